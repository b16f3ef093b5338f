"""What is found in texts: what they repeat, where their links lead, what lies behind the cut."""

import pytest

from memories.health import twins as twins_module
from memories.health.lengths import STARTUP, Length, length_of
from memories.health.links import Tree, broken, named_in
from memories.health.twins import shared_lines, twins

PATHS = ["/memories/index.md", "/memories/customers/acme corp.md", "/memories/customers/bo.md", "/memories/a/b/deep.md"]


def lines(name: str, count: int) -> str:
    return "".join(f"- line {number} of {name} and no other\n" for number in range(count))


@pytest.mark.parametrize(
    ("written", "leads_nowhere"),
    [
        ("[a](customers/bo.md)", False),
        ("[a](<customers/acme corp.md>)", False),
        ("[a](customers/acme%20corp.md#terms)", False),
        ("[a](../memories/customers/bo.md)", False),
        ("[a](https://example.org/customers/no.md) [b](mailto:a@b.c) [c](#top) [d](../../etc/passwd)", False),
        ("[[bo]] [[customers/bo|Bo]] [[DEEP.md#x]] [[ -f x ]] [[1, 2]]", False),
        ("see /memories/customers/, /memories/a/b/deep.md. And https://x.example/memories/no.md", False),
        ("write to /memories/customers/<name>.md or /memories/{year}/x.md", False),
        ("it is in /memories/customers/acme corp.md, and all of /memories/customers/acme corp.md/", False),
        ("[a](</memories/customers/acme corp.md> 'title')", False),
        ("```\n[a](no.md) [[no]]\n```\n", False),
        ("[a](customers/no.md)", True),
        ("[a](/memories/customers/no.md 'title')", True),
        ("[[no such note]]", True),
        ("`/memories/customers/no.md`", True),
        ("the file /memories/no.", True),
        ("it is in /memories/customers/acme corp.md5", True),
        ("it is in /memories/customers/acme corp.md/x", True),
    ],
)
def test_a_link_is_broken_when_none_of_its_readings_leads_to_a_file(written: str, *, leads_nowhere: bool) -> None:
    assert bool(broken("/memories/index.md", f"\n{written}", Tree(PATHS))) is leads_nowhere


def test_a_broken_link_is_named_once_by_its_first_line_and_read_from_its_own_folder() -> None:
    text = "# Bo\n\n[a](../no.md), /memories/no.md and [b](bo.md)\n[c](../no.md)\n"

    (link,) = broken("/memories/customers/bo.md", text, Tree(PATHS))

    assert (link.line, link.written, link.path) == (3, "../no.md", "/memories/no.md")


def test_a_link_in_angle_brackets_is_one_link_whatever_blanks_are_in_it() -> None:
    text = "see [it](</memories/no such.md> 'title') and <b>[that](<also no.md>)</b>"

    assert [link.path for link in broken("/memories/index.md", text, Tree(PATHS))] == [
        "/memories/no such.md",
        "/memories/also no.md",
    ]


def test_a_path_with_blanks_is_found_among_many_that_begin_alike() -> None:
    tree = Tree([f"/memories/a{' b' * number}" for number in range(1, 40)] + ["/memories/a b c/d e!"])

    for written in (
        "/memories/a b b b",
        "/memories/a b b b.",
        "/memories/a b c/d e!",
        "/memories/a b c",
        "/memories/a b",
    ):
        assert tree.stands_in(f"x {written}", 2), written
    for written in ("/memories/a", "/memories/a bc", "/memories/b"):
        assert not tree.stands_in(f"x {written}/x", 2), written


def test_an_index_names_a_folder_whose_name_has_blanks() -> None:
    paths = ["/memories/Big Folder/x.md", "/memories/Other Things/deep/y.md", "/memories/Third One/z.md"]

    assert named_in("- [x](Big%20Folder/)\n- Other Things/: all\n", "/memories/index.md", paths) == {*paths[:2]}


def test_an_index_names_files_by_path_name_link_wiki_link_or_folder() -> None:
    text = "- `customers/acme corp.md`: terms\n- [[bo]]\n- everything in a/b/\n- x.md, [y](y%20z.md)\n"
    more = ["/memories/x.md", "/memories/y z.md", "/memories/ax.md"]

    assert {*PATHS[1:], *more} - named_in(text, PATHS[0], [*PATHS[1:], *more]) == {"/memories/ax.md"}


def test_near_duplicates_are_grouped_once_and_texts_that_share_little_are_not() -> None:
    copied = lines("a", 10)
    texts = {
        1: copied + "something of its own here\n",
        2: copied.upper().replace("- ", "* ") + "another thing of its own\n",
        3: copied,
        4: lines("a", 3) + lines("b", 10),
        5: "# Notes\n- none\n- done\n",
        6: "# Notes\n- none\n- done\n",
    }

    found = twins(texts)

    (group,) = found.groups
    assert found.complete
    assert {group.one, group.other, *group.rest} == {1, 2, 3}
    assert (group.one, group.same, group.of) == (3, 10, 10)
    assert [(line.first, line.second) for line in shared_lines(texts[3], texts[1], 2)] == [(1, 1), (2, 2)]


def test_copies_are_found_among_files_that_share_the_lines_of_a_template() -> None:
    template = lines("the template", 6)
    texts = {number: template + lines(f"file {number}", 6) for number in range(30)}
    texts |= {100: texts[3], 101: texts[20].replace("line 3 of file", "another of file")}

    groups = twins(texts).groups

    assert [(group.one, group.other, group.same, group.of) for group in groups] == [(3, 100, 12, 12), (20, 101, 11, 12)]
    assert twins({1: template, **dict.fromkeys(range(2, 20), template)}).groups[0].same == 6


def test_many_copies_are_one_group_and_the_work_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    copies = {number: lines("a", 9) + f"the words of number {number}\n" for number in range(40)}

    (group,) = twins(copies).groups
    monkeypatch.setattr(twins_module, "STEPS", 100)

    assert len(group.rest) == 38
    assert (group.same, group.of) == (9, 10)
    assert not twins(copies).complete
    monkeypatch.undo()
    monkeypatch.setattr(twins_module, "LOOKS", 100)
    assert not twins(copies).complete


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("/memories/a.md", "x" * 15_999 + "\n", Length(16_000, 16_000)),
        ("/memories/a.md", "é" * 9_999 + "\n" + "x" * 9_000, Length(19_000, 10_000)),
        (STARTUP, "x\n" * 200, Length(400, 400)),
        (STARTUP, "x\n" * 201, Length(402, 400)),
        (STARTUP, "é" * 13_000, Length(13_000, 12_500)),
    ],
)
def test_what_lies_behind_the_cut_is_counted_in_characters(path: str, text: str, expected: Length) -> None:
    assert length_of(path, text) == expected
