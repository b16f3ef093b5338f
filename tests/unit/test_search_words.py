"""What a word is, what a query means, and what of a line is marked."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdash.web import hidden_text
from memories.search.lines import lines_with
from memories.search.queries import Query
from memories.search.words import places, spaced, words_of

UNICODE = json.loads((Path(__file__).parent.parent / "data/security/unicode_cases.json").read_text())

ANY_TEXT = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('"*-− \n日本éẞİ🚀\u200b\u00ad_()^:'), max_size=40
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("test_export_large: 60 s", ["test", "export", "large", "60", "s"]),
        ("Café CAFE\u0301 café", ["cafe"] * 3),
        ("Straße STRASSE", ["strasse"] * 2),
        ("ex\u00adpo\u200brt", ["export"]),
        ("日本語 text", ["日", "本", "語", "text"]),
        ("ship 🚀 it", ["ship", "🚀", "it"]),
        ("हिन्दी", ["हिनदी"]),
        ("a" * 150, ["a" * 100]),
        (" -- ", []),
    ],
)
def test_words_are_small_plain_and_whole(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@given(ANY_TEXT)
def test_words_have_places_and_hold_nothing_that_any_database_reads_as_more_than_a_letter(text: str) -> None:
    found = list(places(text))

    assert [place.word[:100] for place in found] == words_of(text)
    assert all(place.start < place.end <= len(text) for place in found)
    assert not set(spaced(text)) & set("'\"\\%_&|!():*<>-\n\0")


@given(ANY_TEXT, ANY_TEXT, st.booleans())
def test_nothing_that_is_typed_raises_and_what_matches_is_marked(typed: str, text: str, parts: bool) -> None:
    query = Query.read(typed, parts=parts)

    query.matches("", text)
    assert isinstance(query.said, str)
    for line in lines_with(query, text, 3).shown:
        assert line.spans
        assert all(0 <= start < end <= len(line.text) for start, end in line.spans)
        hidden_text.marked(line.text, line.spans)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("export timeout", "the word “export” and the word “timeout”"),
        (
            '"times out" tim* -draft',
            "the words “times out” in this order and a word that begins with “tim”, without “draft”",
        ),
        ("e-mail", "the words “e-mail” in this order"),
        ("“curly quotes”", "the words “curly quotes” in this order"),
        ('a "never closed', "the word “a” and the words “never closed” in this order"),
        (
            "AND OR NOT",
            "the word “AND” and the word “OR” and the word “NOT”".replace("” and the word “OR", "”, the word “OR"),
        ),
    ],
)
def test_what_a_query_means_is_said_in_words(typed: str, said: str) -> None:
    assert Query.read(typed).said == said


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("-draft", "at least one word"),
        ("((( ---", "no letter"),
        ("a*", "at least 2 letters"),
        (" ".join(f"w{number}" for number in range(21)), "more than 20"),
    ],
)
def test_a_query_that_asks_for_nothing_says_why(typed: str, fault: str) -> None:
    query = Query.read(typed)

    assert not query
    assert fault in query.fault


@pytest.mark.parametrize(
    ("typed", "line", "marked"),
    [
        ("export", "test_Export_large", ["Export"]),
        ("times out", "it times out", ["times", "out"]),
        ('"times out"', "out times, out", ["times, out"]),
        ("cafe", "Cafe\u0301 au lait", ["Cafe\u0301"]),
        ("tim*", "times time tiny", ["times", "time"]),
        ("日本", "東日本語", ["日本"]),
    ],
)
def test_hits_are_marked_where_they_stand_as_they_are_written(typed: str, line: str, marked: list[str]) -> None:
    assert [line[start:end] for start, end in Query.read(typed).spans(line)] == marked


@pytest.mark.parametrize(
    ("typed", "line", "marked"), [("xpor", "an Export", ["xpor"]), ("t_l", "export_large", ["t_l"])]
)
def test_parts_of_words_are_marked_to_the_letter(typed: str, line: str, marked: list[str]) -> None:
    assert [line[start:end] for start, end in Query.read(typed, parts=True).spans(line)] == marked


def test_the_lines_that_hold_most_are_shown_and_a_phrase_may_go_over_the_end_of_one() -> None:
    text = "export\nexport\nexport\nexport\nthe export: a timeout\n"

    best = lines_with(Query.read("export timeout"), text, 3)
    broken = lines_with(Query.read('"over the end"'), "over\nthe end\n", 3)

    assert [line.number for line in best.shown] == [1, 2, 5]
    assert best.more == 2
    assert [line.number for line in broken.shown] == [1, 2]


def test_a_long_line_is_shown_near_its_first_hit() -> None:
    (line,) = lines_with(Query.read("needle"), "hay " * 5_000 + "needle" + " hay" * 5_000, 3).shown

    assert "needle" in line.text
    assert len(line.text) <= 240
    assert not line.is_start
    assert not line.is_end


@pytest.mark.parametrize("case", UNICODE, ids=lambda case: case["id"])
def test_what_is_hidden_shows_beside_marks_and_within_them(case: dict[str, str]) -> None:
    text = case["text"]
    whole = hidden_text.label(text)

    assert hidden_text.marked(text, []) == whole
    for spans in ([(0, len(text))], [(0, len(text) // 2)], [(1, 2)]):
        shown = hidden_text.marked(text, spans)
        assert shown.replace("<mark>", "").replace("</mark>", "") == whole
