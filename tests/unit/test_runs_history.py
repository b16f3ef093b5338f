"""The conversation as it is sent, from the messages as they are stored."""

import pytest

from agents.models import Message
from agents.runs.history import Attachment, Block, NothingSaid, content_of, sendable, title_of, tool_uses
from agents.runs.texts import tokens_in


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def use(id_: str) -> Block:
    return {"type": "tool_use", "id": id_, "name": "memory", "input": {}}


def conversation(*messages: tuple[str, list[Block]]) -> list[Message]:
    return [Message(seq=seq, role=role, content=content) for seq, (role, content) in enumerate(messages, 1)]


def test_messages_of_one_role_that_follow_each_other_are_sent_as_one() -> None:
    results = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    stored = conversation(
        ("user", [text("a")]), ("assistant", [use("t")]), ("user", [results]), ("user", [text("and b")])
    )

    sent = sendable(stored)

    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert sent[-1]["content"] == [results, text("and b")]
    assert stored[2].content == [results], "what is stored must not change"


def test_texts_without_words_and_empty_answers_are_not_sent_back() -> None:
    stored = conversation(
        ("user", [text("a")]), ("assistant", []), ("user", [text("b")]), ("assistant", [text(" \n"), use("t")])
    )

    assert sendable(stored) == [
        {"role": "user", "content": [text("a"), text("b")]},
        {"role": "assistant", "content": [use("t")]},
    ]


def test_from_a_summary_on_only_the_summary_and_what_follows_is_sent() -> None:
    summary = {"type": "compaction", "content": "So far: tea."}
    stored = conversation(
        ("user", [text("a")]), ("assistant", [text("before"), summary, text("after")]), ("user", [text("b")])
    )

    assert sendable(stored) == [
        {"role": "assistant", "content": [summary, text("after")]},
        {"role": "user", "content": [text("b")]},
    ]


def test_a_summary_that_failed_summarizes_nothing() -> None:
    failed = {"type": "compaction", "content": None}
    stored = conversation(("user", [text("a")]), ("assistant", [failed, text("b")]))

    assert sendable(stored)[0] == {"role": "user", "content": [text("a")]}


def test_blocks_of_unknown_types_are_sent_back_as_they_came() -> None:
    hologram = {"type": "hologram", "text": None, "payload": [1, {"deep": None}]}
    stored = conversation(("user", [text("a")]), ("assistant", [hologram]))

    assert sendable(stored)[1]["content"] == [hologram]


def test_each_attachment_is_a_block_of_its_own_with_its_name_and_trust() -> None:
    content, marks = content_of(
        "Look at this",
        [Attachment("page.html", "<p>buy</p>"), Attachment("", "notes", trusted=True), Attachment("x", " ")],
    )

    assert [block["text"] for block in content] == [
        "Look at this",
        "Attached: page.html\n\n<p>buy</p>",
        "Attached: attachment\n\nnotes",
    ]
    assert marks == [
        {"name": "", "trust": "trusted"},
        {"name": "page.html", "trust": "external"},
        {"name": "attachment", "trust": "trusted"},
    ]


def test_a_message_needs_words() -> None:
    with pytest.raises(NothingSaid):
        content_of(" \n", [Attachment("a", "text")])


def test_what_no_column_can_hold_is_replaced() -> None:
    content, marks = content_of("a\x00b\ud800c", [Attachment("n\x00", "t")])

    assert content[0]["text"] == "a\ufffdb\ufffdc"
    assert marks[1]["name"] == "n\ufffd"


@pytest.mark.parametrize(
    ("said", "title"), [("\n  Hello \nworld", "Hello"), ("x" * 300, "x" * 199 + "…"), ("a\x00b", "a\ufffdb")]
)
def test_a_title_is_the_first_line_that_has_words(said: str, title: str) -> None:
    assert title_of(said) == title


def test_a_tool_call_that_comes_twice_in_one_answer_counts_once() -> None:
    answer = Message(content=[text("a"), use("t1"), use("t2"), use("t1")])

    assert [(position, block["id"]) for position, block in tool_uses(answer)] == [(1, "t1"), (2, "t2")]


@pytest.mark.parametrize(("claimed", "counted"), [(7, 7), (0, 0), (-7, 0), (10**30, 0), ("7", 0), (None, 0), ([], 0)])
def test_a_count_of_tokens_that_makes_no_sense_counts_nothing(claimed: object, counted: int) -> None:
    assert tokens_in({"input_tokens": claimed}, "input_tokens") == counted
    assert tokens_in({}, "input_tokens") == 0
