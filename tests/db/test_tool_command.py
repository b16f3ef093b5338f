"""``memdash tool``: the memory tool for scripts."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from memories.models import MemoryEntry, MemoryStore, ReadEvent
from tests.support.stores import assert_sound

NOT_JSON = {"content": "Error: the line is not JSON. Send one tool input per line.", "is_error": True}
CREATE = rb'{"command": "create", "path": "/memories/a.md", "file_text": "t\u00e9a\n"}'
VIEW = b'{"command": "view", "path": "/memories/a.md"}'


def answers(store: MemoryStore, monkeypatch: pytest.MonkeyPatch, *lines: bytes) -> list[dict[str, object]]:
    """Return what the command prints for ``lines`` on its standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(lines))))
    out = io.StringIO()
    call_command("memory_tool", store=store.slug, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_each_line_is_a_call_and_gets_a_line(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    created, viewed, wrong, no_text, missing = answers(
        store, monkeypatch, CREATE, b"", VIEW, b"not json", b"\xff", VIEW.replace(b"a.md", b"b.md")
    )

    assert created == {"content": "File created successfully at: /memories/a.md", "is_error": False}
    assert str(viewed["content"]).endswith("\n     1\ttéa")
    assert wrong == no_text == NOT_JSON
    assert missing["is_error"] is True
    assert_sound(store)


def test_a_view_counts_as_access_by_a_token(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(store, monkeypatch, CREATE, VIEW)

    event = ReadEvent.objects.get()
    assert (event.actor_kind, event.actor_label) == ("token", "cli")
    assert MemoryEntry.objects.get(store=store).accessed_at == event.read_at


def test_deeply_nested_json_is_answered(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answers(store, monkeypatch, b"[" * 100_000) == [NOT_JSON]


def test_a_store_that_is_not_there_is_named(db: None) -> None:
    with pytest.raises(CommandError, match="no store nope"):
        call_command("memory_tool", store="nope")
