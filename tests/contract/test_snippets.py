"""The programs to paste: the same in the document and on pages, for any store and address."""

import pytest
from django.conf import settings

from agents.snippets import STORE, URL, Snippet, snippets

DOCUMENT = settings.BASE_DIR / "docs" / "client.md"


@pytest.mark.parametrize("snippet", snippets(), ids=lambda snippet: snippet.name)
def test_the_document_has_the_program(snippet: Snippet) -> None:
    assert f"\n{snippet.text}```\n" in DOCUMENT.read_text(encoding="utf-8")


def test_every_program_is_for_the_store_and_the_address_it_is_asked_for() -> None:
    for snippet in snippets("http://127.0.0.1:8787/", "mias-store"):
        assert "http://127.0.0.1:8787" in snippet.text
        assert "8787//" not in snippet.text
        assert "mias-store" in snippet.text
        assert URL not in snippet.text
        assert STORE not in snippet.text


def test_no_program_holds_a_token() -> None:
    for snippet in snippets():
        assert "MEMDASH_TOKEN" in snippet.text
        assert "mdh_" not in snippet.text
