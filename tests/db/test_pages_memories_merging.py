"""The page that merges a text with what became of its file: nothing is preselected, nothing lost, nothing unasked."""

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from agents.making import create_agent
from agents.models import RunState
from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import ImportFile, StrReplace
from memories.models import Draft, MemoryEntry, MemoryStore, MemoryVersion, Role
from tests.support.editors import Editor, conflicts, opened, settle, shown
from tests.support.files import at, move, read_in_run, remove, url_of, write, write_image
from tests.support.people import browser_of, member, stranger
from tests.support.run_rows import run_in
from tests.support.stores import assert_sound, files_of

pytestmark = pytest.mark.django_db(transaction=True)

AGENT = Actor(ActorKind.AGENT, "Support desk", turn=3)
BEFORE = "# Acme\n\nseats: 240\ncontact: mail\n\nrenews 12 May\n\nphone: none\n"
THEIRS = "# Acme Corp\n\nseats: 300\ncontact: mail\n\nrenews 14 May\n\nphone: none\n"
MINE = "# Acme\n\nseats: 250\ncontact: mail\n\nrenews 15 May\n\nphone: 112\n"
"""Two conflicts, and a change of each side that meets none."""


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


@pytest.fixture
def entry(store: MemoryStore) -> MemoryEntry:
    return write(store, "a.md", BEFORE)


@pytest.fixture
def late(store: MemoryStore, browser: Client, entry: MemoryEntry) -> Editor:
    """The page that answers a save after an agent wrote."""
    editor = opened(browser, entry)
    write(store, "a.md", THEIRS, actor=AGENT)
    return shown(editor.send(MINE))


def text_of(store: MemoryStore, relative: str = "a.md") -> str:
    return files_of(store)[at(relative).text].decode()


def words_of(html: str) -> str:
    """Return what a page says, without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html)))


def test_each_overlap_is_asked_about_and_nothing_is_preselected(late: Editor) -> None:
    said = words_of(late.html)

    assert "2 changes merged by themselves. 2 of 2 conflicts still need a choice." in said
    assert "Conflict 1 of 2, line 3" in said and "Conflict 2 of 2, line 6" in said
    assert "Before" in said and "seats: 240" in said and "seats: 300" in said and "seats: 250" in said
    assert "Show the 2 automatic merges" in said
    assert "Support desk, turn 3 wrote version 2" in said and "after you opened version 1" in said
    assert " checked" not in late.html
    assert re.search(r'data-save aria-disabled="true" aria-describedby="left"', late.html)
    assert "keeps your draft for 7 days" in said


@pytest.mark.parametrize(
    ("choices", "seats", "renews"),
    [
        (("mine", "theirs"), "seats: 250\n", "renews 14 May\n"),
        (("theirs", "mine"), "seats: 300\n", "renews 15 May\n"),
        (("both", "hand"), "seats: 300\nseats: 250\n", "renews in May\n"),
    ],
)
def test_what_was_chosen_is_saved_with_the_changes_that_met_none(
    store: MemoryStore, late: Editor, choices: tuple[str, str], seats: str, renews: str
) -> None:
    late.typed[f"hand-{conflicts(late)[1]}"] = "renews in May"

    answer = settle(late, "save", *choices)

    assert answer.headers["Location"] == url_of(store, "a.md")
    assert text_of(store) == f"# Acme Corp\n\n{seats}contact: mail\n\n{renews}\nphone: 112\n"
    assert not Draft.objects.exists()
    assert_sound(store)


def test_saving_waits_for_every_choice_and_keeps_those_made(store: MemoryStore, late: Editor) -> None:
    answer = settle(late, "save", "mine")
    again = shown(answer)

    assert answer.status_code == 422
    assert "Nothing was saved. 1 conflict still needs a choice." in words_of(again.html)
    assert "1 of 2 conflicts still needs a choice." in words_of(again.html)
    assert list(again.choices.values()) == ["mine"]
    assert text_of(store) == THEIRS


def test_the_result_is_previewed_with_what_is_chosen_so_far(late: Editor) -> None:
    answer = settle(late, "preview", "mine")
    said = words_of(answer.content.decode())

    assert answer.status_code == 200
    assert "What saving would change in version 2" in said and "the lines stand as they are in the file now" in said
    assert "<ins>250</ins>" in answer.content.decode()


def test_one_side_is_taken_for_all_conflicts_and_saved_only_then(store: MemoryStore, late: Editor) -> None:
    mine = shown(late.send(all="mine"))
    assert (set(mine.choices.values()), text_of(store)) == ({"mine"}, THEIRS)

    mine.send(save="1")

    assert text_of(store) == MINE.replace("# Acme\n", "# Acme Corp\n")


def test_taking_all_of_theirs_keeps_the_draft(store: MemoryStore, browser: Client, entry: MemoryEntry) -> None:
    editor = opened(browser, entry)
    write(store, "a.md", BEFORE.replace("240", "300"), actor=AGENT)
    typed = BEFORE.replace("240", "250")

    answer = shown(shown(editor.send(typed)).send(all="theirs")).send(save="1")

    draft = Draft.objects.get(entry=entry)
    assert answer.status_code == 302
    assert (draft.text, draft.discarded_at is not None) == (typed, True)
    assert MemoryVersion.objects.filter(entry=entry).count() == 2


def test_a_file_that_changed_again_is_asked_about_again_with_choices_that_still_apply(
    store: MemoryStore, late: Editor
) -> None:
    late.typed[f"hand-{conflicts(late)[1]}"] = "renews in May, says mara"
    memory.apply(store.pk, StrReplace(at("a.md"), "14 May", "16 May"), actor=AGENT)

    answer = settle(late, "save", "mine", "hand")
    again = shown(answer)

    assert answer.status_code == 409
    assert "The file changed again before this was saved." in words_of(again.html)
    assert list(again.choices.values()) == ["mine"]
    assert "1 of 2 conflicts still needs a choice." in words_of(again.html)
    assert again.typed[f"hand-{conflicts(again)[1]}"] == "renews in May, says mara"
    settle(again, "save", "mine", "hand")
    assert "renews in May, says mara\n" in text_of(store)


def test_words_typed_by_hand_for_a_conflict_that_is_gone_stay_on_the_page(store: MemoryStore, late: Editor) -> None:
    late.typed[f"hand-{conflicts(late)[1]}"] = "renews in May, says mara"
    write(store, "a.md", THEIRS.replace("14 May", "15 May"), actor=AGENT)

    again = shown(settle(late, "save", "mine", "hand"))

    assert len(conflicts(again)) == 1
    assert "renews in May, says mara" in again.typed.values()
    assert "You wrote this for a place that has changed" in again.html


def test_a_button_pressed_twice_saves_once_and_leads_to_the_file(store: MemoryStore, late: Editor) -> None:
    answers = [settle(late, "save", "both", "both") for _ in range(2)]

    assert [answer.headers["Location"] for answer in answers] == [url_of(store, "a.md")] * 2
    assert MemoryVersion.objects.count() == 3
    assert not Draft.objects.exists()


def test_the_merged_text_is_edited_on_top_of_the_newest_version(store: MemoryStore, late: Editor) -> None:
    refused = late.send(again="1")
    editor = shown(settle(late, "again", "mine", "mine"))

    assert refused.status_code == 422
    assert (editor.hidden["base_version"], editor.text) == ("2", MINE.replace("# Acme\n", "# Acme Corp\n"))
    editor.send(editor.text + "more\n")
    assert text_of(store).endswith("phone: 112\nmore\n")


def test_ones_whole_text_goes_over_the_file_and_is_asked_again_when_that_changed_too(
    store: MemoryStore, late: Editor
) -> None:
    write(store, "a.md", "water\n")

    second = late.send(over="1")
    assert (second.status_code, text_of(store)) == (409, "water\n")
    shown(second).send(over="1")

    assert text_of(store) == MINE


def test_line_ends_come_back(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "one\r\ntwo\r\nthree\r\n")
    editor = opened(browser, entry)
    write(store, "a.md", "one\r\nTWO\r\nthree\r\n")
    page = shown(editor.send("one\nzwei\nthree\nfour\n"))
    page.typed[f"hand-{conflicts(page)[0]}"] = "TWO\ndeux\n"

    settle(page, "save", "hand")

    assert text_of(store) == "one\r\nTWO\r\ndeux\r\nthree\r\nfour\r\n"


def test_a_version_that_is_not_kept_any_more_makes_every_difference_a_question(
    store: MemoryStore, browser: Client, entry: MemoryEntry
) -> None:
    editor = opened(browser, entry)
    write(store, "a.md", THEIRS)
    MemoryVersion.objects.filter(entry=entry, number=1).update(blob=None)

    page = shown(editor.send(MINE))

    assert "is not kept any more" in words_of(page.html)
    assert len(conflicts(page)) == 4
    settle(page, "save", *["mine"] * 4)
    assert text_of(store) == MINE


def test_a_deleted_file_is_restored_or_made_anew_with_ones_text(
    store: MemoryStore, browser: Client, entry: MemoryEntry
) -> None:
    editor = opened(browser, entry)
    remove(store, "a.md", actor=AGENT)

    page = shown(editor.send(MINE))
    begun = browser.post(
        f"{reverse('memories:new-file', args=[store.slug])}?path=a.md", {"text": page.text, "begin": "1"}
    )

    assert "Support desk deleted this file while you were editing" in words_of(page.html)
    assert "Restore the file and go on" in page.html and "Make a new file of mine" in page.html
    assert f"{reverse('memories:new-file', args=[store.slug])}?path=a.md" in page.html
    assert 'value="a.md"' in begun.content.decode() and "phone: 112" in begun.content.decode()


def test_a_file_that_became_an_image_brings_its_text_back_or_makes_a_new_file(
    store: MemoryStore, browser: Client, entry: MemoryEntry
) -> None:
    editor = opened(browser, entry)
    write_image(store, "b.png")
    picture = files_of(store)[at("b.png").text]
    memory.apply(store.pk, ImportFile(at("a.md"), picture), actor=AGENT)

    answer = editor.send(MINE)
    page = shown(answer)

    assert answer.status_code == 409
    assert "The file is an image now, which no text can be merged with." in words_of(page.html)
    assert "path=a-mine.md" in page.html
    assert Draft.objects.get(entry=entry).text == MINE
    back = page.send(to=f"/files/{entry.uuid}/restore", version="1", again="1")
    assert back.headers["Location"] == f"/files/{entry.uuid}/edit"
    assert (text_of(store), opened(browser, entry).text) == (BEFORE, MINE)


def test_a_file_that_moved_says_where_the_text_goes(store: MemoryStore, browser: Client, entry: MemoryEntry) -> None:
    mine, other = opened(browser, entry), opened(browser, entry)
    move(store, "a.md", "b.md", actor=AGENT)

    said = words_of(browser.get(mine.send(MINE).headers["Location"]).content.decode())
    page = shown(other.send(THEIRS))

    assert text_of(store, "b.md") == MINE
    assert "Saved version 3 of b.md. It was renamed from a.md while you were editing." in said
    assert "It was a.md and is b.md now; saving goes there." in words_of(page.html)
    assert "?path=a.md" in page.html


def test_a_draft_is_merged_before_it_is_saved(store: MemoryStore, browser: Client, entry: MemoryEntry) -> None:
    editor = opened(browser, entry)
    address = reverse("memories:merge", args=[entry.uuid])
    assert browser.get(address).headers["Location"] == f"/files/{entry.uuid}/edit"
    editor.send(MINE, to=f"/files/{entry.uuid}/draft", part=True)
    assert browser.get(address).headers["Location"] == f"/files/{entry.uuid}/edit"
    write(store, "a.md", THEIRS, actor=AGENT)

    assert f'formaction="{address}"' in opened(browser, entry).html
    looked, sent = browser.get(address), editor.send(MINE, to=address)

    assert (looked.status_code, sent.status_code) == (200, 200)
    assert len(conflicts(shown(looked))) == len(conflicts(shown(sent))) == 2
    assert text_of(store) == THEIRS


def test_what_a_live_run_will_notice_is_said(store: MemoryStore, browser: Client, entry: MemoryEntry) -> None:
    agent = create_agent(name="Support desk", model="demo/support-desk", store=store)
    live = run_in(RunState.RUNNING, agent)
    read_in_run(store, "a.md", run_id=live.uuid)
    editor = opened(browser, entry)
    acted = Actor(ActorKind.AGENT, "Support desk", turn=2, run_id=live.uuid)
    write(store, "a.md", THEIRS, actor=acted)

    html = editor.send(MINE).content.decode()

    assert html.count(f'href="/runs/{live.uuid}/') >= 2
    assert "An edit of its own to lines that you changed fails" in html


@pytest.mark.parametrize(("role", "status"), [(None, 404), (Role.VIEWER, 403)])
def test_only_those_who_may_write_merge(store: MemoryStore, entry: MemoryEntry, role: Role | None, status: int) -> None:
    browser = browser_of(member(store, role) if role else stranger())
    address = reverse("memories:merge", args=[entry.uuid])

    assert browser.get(address).status_code == status
    assert browser.post(address, {"text": "x"}).status_code == status


def test_many_conflicts_come_in_parts_and_each_part_keeps_the_choices_of_the_others(
    store: MemoryStore, browser: Client
) -> None:
    lines = [f"{number} <&'\u202e {'word ' * 60}" for number in range(60)]
    entry = write(store, "a.md", "".join(f"{line}\n-\n" for line in lines))
    editor = opened(browser, entry)
    write(store, "a.md", "".join(f"{line} theirs\n-\n" for line in lines))

    page = shown(editor.send("".join(f"{line} mine\n-\n" for line in lines)))
    sizes, seen = [], 0
    while seen < 60:
        start, end = page.html.index("<textarea"), page.html.index("</textarea>")
        sizes.append(len(page.html.encode()) - len(page.html[start:end].encode()))
        seen += len(conflicts(page))
        number = re.search(r'name="show" value="(\d+)"', page.html)
        assert number
        page = shown(settle(page, "show", *["theirs", "mine"] * 30, value=number[1]))

    assert seen == len(page.choices) == 60
    assert max(sizes) <= 100 * 1024, sizes
    assert page.send(save="1").status_code == 302
    assert set(re.findall("theirs|mine", text_of(store))) == {"theirs", "mine"}


def test_too_much_to_be_merged_leaves_one_whole_side(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "".join(f"{number}\n-\n" for number in range(300)))
    editor = opened(browser, entry)
    write(store, "a.md", "".join(f"{number}!\n-\n" for number in range(300)))
    typed = "".join(f"{number}?\n-\n" for number in range(300))

    page = shown(editor.send(typed))

    assert "Too much changed on both sides to be merged here." in words_of(page.html)
    assert page.send(save="1").status_code == 422
    page.send(over="1")
    assert text_of(store) == typed


def test_a_merge_asks_few_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries, late: Editor, browser: Client
) -> None:
    with django_assert_max_num_queries(18):
        late.send(preview="1")
