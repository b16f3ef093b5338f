"""Pages of files and folders: the tree, what a file shows, what became of a path, what a person may do to a file."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memories import store as memory
from memories.actors import Actor, ActorKind
from memories.commands import Lock, Pin
from memories.models import MemoryEntry, MemoryStore, ReadEvent, Role, StoreSeen
from tests.support.files import at, move, page, read_in_run, remove, write, write_image
from tests.support.people import browser_of, member, operator
from tests.support.stores import PERSON

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def browser(store: MemoryStore) -> Client:
    """The browser of a curator of the store."""
    return browser_of(member(store, Role.CURATOR))


def url(store: MemoryStore, path: str = "") -> str:
    return reverse("memories:files", kwargs={"slug": store.slug, **({"path": path} if path else {})})


def row_of(html: str, name: str) -> str:
    """Return the tree's row with this name."""
    before, _, after = html.partition(f'<bdi class="nm">{name}</bdi>')
    return before[before.rindex("<li") :] + name + after[: after.index("</a>")]


def test_an_empty_store_says_what_it_waits_for(store: MemoryStore, browser: Client) -> None:
    html = page(browser, url(store))

    assert "No memory yet" in html
    assert "0 of 10,000 files · 0B of 100.0M" in html


def test_the_tree_shows_one_level_with_folders_first_and_opens_the_way_to_the_page(
    store: MemoryStore, browser: Client
) -> None:
    for name in ("b.md", "z/deep/c.md", "a/d.md"):
        write(store, name, "x")

    html = page(browser, url(store, "z/deep/c.md"))

    places = [html.index(f'<bdi class="nm">{name}</bdi>') for name in ("a", "z", "deep", "c.md", "b.md")]
    assert places == sorted(places)
    assert 'class="nm">d.md' not in html
    assert 'aria-expanded="true"' in row_of(html, "z")
    assert 'aria-expanded="false"' in row_of(html, "a")
    assert 'aria-selected="true"' in row_of(html, "c.md")


def test_a_path_far_down_a_long_folder_is_in_sight(store: MemoryStore, browser: Client) -> None:
    for number in range(300):
        write(store, f"many/n{number:03}.md", "x")

    html = page(browser, url(store, "many/n250.md"))

    assert 'aria-selected="true"' in row_of(html, "n250.md")
    assert "Show earlier" in html
    assert "Show more" in html
    assert 'class="nm">n000.md' not in html


def test_an_opened_folder_stays_open_until_it_is_closed(store: MemoryStore, browser: Client) -> None:
    write(store, "a/b/c.md", "x")
    write(store, "notes.md", "x")
    tree = f"/stores/{store.slug}/tree/a"

    opened = browser.post(tree, {"open": "true"}, headers=HTMX)
    after = page(browser, url(store, "notes.md"))
    closed = browser.post(tree, {"open": "false"}, headers=HTMX)

    assert 'class="nm">b<' in opened.content.decode()
    assert 'aria-expanded="true"' in row_of(after, "a")
    assert closed.status_code == 204
    assert 'aria-expanded="false"' in row_of(page(browser, url(store, "notes.md")), "a")


def test_a_look_at_the_tree_remembers_nothing(store: MemoryStore, browser: Client) -> None:
    write(store, "a/b.md", "x")

    page(browser, f"/stores/{store.slug}/tree/a", part=True)

    assert "open-folders" not in browser.session


def test_without_scripts_more_of_the_tree_is_the_folders_page(store: MemoryStore, browser: Client) -> None:
    answer = browser.get(f"/stores/{store.slug}/tree/a", {"after": "/memories/a/x.md"})

    assert answer.headers["Location"] == f"{url(store, 'a')}?after=%2Fmemories%2Fa%2Fx.md"


def test_the_filter_keeps_what_the_files_found_lie_in(store: MemoryStore, browser: Client) -> None:
    for name in ("customers/acme.md", "customers/globex.md", "memories.md", "a/b.md"):
        write(store, name, "x")

    html = page(browser, url(store) + "?q=ACME")

    assert "4 files, 1 matches." in html
    assert 'aria-expanded="true"' in row_of(html, "customers")
    assert 'class="nm">acme.md' in html
    assert 'class="nm">globex.md' not in html
    assert "4 files, 1 matches." in page(browser, url(store) + "?q=memor")


def test_the_filter_finds_letters_and_no_patterns(store: MemoryStore, browser: Client) -> None:
    for name in ("a_b.md", "axb.md", "50%.md"):
        write(store, name, "x")

    assert "3 files, 1 matches." in page(browser, url(store) + "?q=a_b")
    assert "3 files, 1 matches." in page(browser, url(store) + "?q=%25")
    assert "3 files, none has “zz” in its path." in page(browser, url(store) + "?q=zz")


def test_the_filter_answers_htmx_with_the_rows_and_the_address_of_the_page(store: MemoryStore, browser: Client) -> None:
    write(store, "a b/c.md", "x")
    shown = "http://testserver" + url(store, "a b/c.md")

    answer = browser.get(f"/stores/{store.slug}/tree/?q=c", headers={**HTMX, "HX-Current-URL": shown})

    assert answer.headers["HX-Replace-Url"] == url(store, "a b/c.md") + "?q=c"
    assert "<html" not in answer.content.decode()
    assert 'aria-selected="true"' in row_of(answer.content.decode(), "c.md")


def test_a_row_carries_two_marks_at_most_in_their_order(store: MemoryStore, browser: Client) -> None:
    old = Actor(ActorKind.PERSON, "mia", authored_at=timezone.now() - timedelta(days=120))
    for name in ("all.md", "fixed.md"):
        write(store, name, "x", actor=old)
        memory.apply(store.pk, Pin(at(name)), actor=PERSON)
        memory.apply(store.pk, Lock(at(name)), actor=PERSON)
    store.refresh_from_db()
    StoreSeen.objects.create(store=store, user=operator(), seq=store.seq)
    write(store, "young.md", "x")

    html = page(browser, url(store))
    seen = page(browser_of(StoreSeen.objects.get().user), url(store))

    assert 'new to you</i><i class="old">not read for 90 days</i><b>' in row_of(html, "all.md") + "<b>"
    assert 'class="old"' in row_of(seen, "fixed.md")
    assert 'class="lock"' in row_of(seen, "fixed.md")
    assert 'class="pin"' not in row_of(seen, "fixed.md")
    assert 'class="new"' in row_of(seen, "young.md")
    assert 'class="old"' not in row_of(seen, "young.md")


def test_an_agents_view_and_a_new_version_make_a_file_young_again(store: MemoryStore, browser: Client) -> None:
    old = Actor(ActorKind.PERSON, "mia", authored_at=timezone.now() - timedelta(days=120))
    for name in ("read.md", "written.md", "left.md"):
        write(store, name, "x", actor=old)

    read_in_run(store, "read.md")
    write(store, "written.md", "y")
    html = page(browser, url(store))

    assert ["old" in row_of(html, name) for name in ("read.md", "written.md", "left.md")] == [False, False, True]


def test_hidden_items_are_shown_and_said_not_to_be_listed(store: MemoryStore, browser: Client) -> None:
    for name in (".drafts/x.md", "node_modules/y.js", "plain.md"):
        write(store, name, "x")

    html = page(browser, url(store))

    assert ["not listed to the agent" in row_of(html, name) for name in (".drafts", "node_modules", "plain.md")] == [
        True,
        True,
        False,
    ]
    assert "Not listed to the agent" in page(browser, url(store, ".drafts/x.md"))


def test_markdown_is_rendered_and_can_be_read_as_it_was_written(store: MemoryStore, browser: Client) -> None:
    write(store, "a/notes.md", "# Acme\n\n<b>raw</b> [more](../other.md) [away](https://x.example/y)\n")

    rendered, raw = page(browser, url(store, "a/notes.md")), page(browser, url(store, "a/notes.md") + "?view=raw")

    assert "<h2>Acme</h2>" in rendered
    assert f'<a href="{url(store, "other.md")}"' in rendered
    assert "&lt;b&gt;raw&lt;/b&gt;" in rendered
    assert "# Acme" in raw
    assert '<td class="n">3</td>' in raw


def test_other_text_has_line_numbers_and_visible_characters(store: MemoryStore, browser: Client) -> None:
    write(store, "rules.xml", "<r>\n  be\u200b kind\u202e\n</r>\n")

    html = page(browser, url(store, "rules.xml"))

    assert "[U+200B]" in html
    assert "[U+202E]" in html
    assert "&lt;r&gt;" in html
    assert "Rendered</a>" not in html


def test_long_text_comes_in_pages_and_shows_where_one_view_ends(store: MemoryStore, browser: Client) -> None:
    write(store, "log.txt", "".join(f"line {number} of many words\n" for number in range(1, 1301)))

    first = page(browser, url(store, "log.txt"))
    second = page(browser, url(store, "log.txt") + "?from=501")
    last = page(browser, url(store, "log.txt") + "?from=99999")

    assert "Lines 1 to 500 of 1,300" in first
    assert "?view=raw&amp;from=501" in first
    assert "Lines 501 to 1,000 of 1,300" in second
    assert second.count("A view without a range ends here") == 1
    assert "Lines 1,300 to 1,300 of 1,300" in last
    assert "agents read the rest line range by line range" in first


def test_long_markdown_is_rendered_up_to_a_line_and_goes_on_as_text(store: MemoryStore, browser: Client) -> None:
    write(store, "log.md", "".join(f"- entry {number} of many words\n" for number in range(1, 1501)))

    html = page(browser, url(store, "log.md"))

    shown = html.count("<li>entry ")
    assert f"Rendered up to line {shown:,} of 1,500." in html
    assert f"?view=raw&amp;from={shown + 1}" in html


def test_a_line_that_no_page_can_hold_is_cut_and_says_so(store: MemoryStore, browser: Client) -> None:
    write(store, "one.txt", "x" * 20_000)

    assert "… 12,000 more characters" in page(browser, url(store, "one.txt"))


def test_an_empty_file_says_that_it_is_empty(store: MemoryStore, browser: Client) -> None:
    write(store, "empty.txt", "")

    assert "An empty file" in page(browser, url(store, "empty.txt"))


def test_the_about_pane_tells_length_reads_and_where_lines_came_from(store: MemoryStore, browser: Client) -> None:
    agent = Actor(ActorKind.AGENT, "Support desk", turn=6)
    write(store, "a.md", "one\ntwo\nthree\n", actor=agent)
    write(store, "a.md", "one\n2\nthree\n")
    read_in_run(store, "a.md", turn=7)
    read_in_run(store, "a.md", turn=8)

    html = page(browser, url(store, "a.md"))

    assert "12 characters, about 3 tokens" in html
    assert "2 reads by 2 runs in 30 days. Yours do not count." in html
    assert html.index("Support desk, turn 8") < html.index("Support desk, turn 7")
    sources = html[html.index("Where these lines came from") :]
    assert sources.index("Edited by mia") < sources.index("Support desk, turn 6")
    assert "1 line<" in sources
    assert "2 lines<" in sources


def test_a_persons_look_is_no_access(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    for view in ("", "?view=raw"):
        page(browser, url(store, "a.md") + view)
    browser.get(f"/files/{entry.uuid}/download")
    memory.reads.flush()

    entry.refresh_from_db()
    assert entry.accessed_at is None
    assert not ReadEvent.objects.exists()


@pytest.mark.parametrize(("verb", "field", "inverse"), [("pin", "pinned", "unpin"), ("lock", "locked", "unlock")])
def test_a_mark_is_set_and_the_toast_takes_it_back(
    store: MemoryStore, browser: Client, verb: str, field: str, inverse: str
) -> None:
    entry = write(store, "a.md", "x")

    answer = browser.post(f"/files/{entry.uuid}/{verb}", {"next": url(store, "a.md") + "?view=raw"}, follow=True)
    html = answer.content.decode()

    assert answer.redirect_chain == [(url(store, "a.md") + "?view=raw", 302)]
    assert getattr(MemoryEntry.objects.get(pk=entry.pk), field)
    assert f'action="/files/{entry.uuid}/{inverse}"' in html[html.index("data-toast") :]

    browser.post(f"/files/{entry.uuid}/{inverse}")

    assert not getattr(MemoryEntry.objects.get(pk=entry.pk), field)


def test_an_act_answers_htmx_with_the_file_and_a_toast_out_of_band(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    html = browser.post(f"/files/{entry.uuid}/pin", headers=HTMX).content.decode()

    assert "<html" not in html
    assert ">Unpin<" in html
    assert 'hx-swap-oob="true"' in html
    assert "<span>Pinned a.md.</span>" in html
    assert "expire" not in html


def test_an_act_finds_the_file_after_a_rename(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    move(store, "a.md", "b/c.md")

    answer = browser.post(f"/files/{entry.uuid}/pin")

    assert answer.headers["Location"] == url(store, "b/c.md")
    assert MemoryEntry.objects.get(pk=entry.pk).pinned


def test_an_act_leads_nowhere_but_to_pages_of_ours(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")

    answer = browser.post(f"/files/{entry.uuid}/pin", {"next": "https://evil.example/"})

    assert answer.headers["Location"] == url(store, "a.md")


def test_a_deleted_file_cannot_be_pinned(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "a.md", "x")
    remove(store, "a.md")

    answer = browser.post(f"/files/{entry.uuid}/pin", follow=True)

    assert "does not exist" in answer.content.decode()
    assert not MemoryEntry.objects.get(pk=entry.pk).pinned


def test_a_folder_lists_what_is_in_it_page_by_page(store: MemoryStore, browser: Client) -> None:
    write(store, "many/sub/x.md", "x")
    for number in range(120):
        write(store, f"many/n{number:03}.md", "x")

    first = page(browser, url(store, "many"))
    listing = first[first.index("<tbody>") : first.index("</tbody>")]
    later = first[first.index("Later names") - 200 :].split('href="')[1].split('"')[0].replace("&amp;", "&")
    second = page(browser, later)

    assert "121 files" in first
    assert listing.index(">sub<") < listing.index(">n000.md<") < listing.index(">n098.md<")
    assert ">n099.md<" not in listing
    assert ">n119.md<" in second[second.index("<tbody>") : second.index("</tbody>")]
    assert "Earlier names" in second


def test_the_stores_first_page_shows_its_latest_changes(store: MemoryStore, browser: Client) -> None:
    write(store, "a.md", "x")
    write(store, "a.md", "y")
    remove(store, "a.md")

    html = page(browser, url(store))

    assert "No files now" in html
    assert [html.count(f'faint">{word}<') for word in ("created", "modified", "deleted")] == [1, 1, 1]


@pytest.mark.parametrize("path", ["a//b", "..%2Fx", "a%00b", "a/%E2%80%AE", "x" * 300])
def test_an_address_that_names_no_path_is_not_found(store: MemoryStore, browser: Client, path: str) -> None:
    assert browser.get(f"/stores/{store.slug}/files/{path}").status_code == 404


ODD = ("a b.md", "50% off.md", "a%20b.md", "what?.md", "x#y.md", "日本語.md", "a:b.md", "<b>.md", "n&m.md")


@pytest.mark.parametrize("name", ODD)
def test_odd_names_have_addresses_that_lead_to_them(store: MemoryStore, browser: Client, name: str) -> None:
    entry = write(store, f"d/{name}", "hello there")

    listing = page(browser, url(store, "d"))
    links = {part.split('"')[0] for part in listing.split('href="')[1:]}
    address = next(link for link in links if link.startswith(url(store, "d") + "/")).replace("&amp;", "&")

    assert str(entry.uuid) in page(browser, address)


def test_an_image_is_drawn_anew_and_kept_apart_from_our_pages(store: MemoryStore, browser: Client) -> None:
    entry = write_image(store, "chart.png")

    answer = browser.get(f"/files/{entry.uuid}/image")

    assert f'src="/files/{entry.uuid}/image"' in page(browser, url(store, "chart.png"))
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["Content-Disposition"] == 'inline; filename="image.png"'
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.content.startswith(b"\x89PNG")


def test_text_is_no_image_whatever_its_name(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "page.png", "<svg onload='alert(1)'/>")

    assert browser.get(f"/files/{entry.uuid}/image").status_code == 404


def test_a_download_is_what_was_written_and_opens_in_no_browser(store: MemoryStore, browser: Client) -> None:
    entry = write(store, "räge.html", "<script>\r\nä\n")

    answer = browser.get(f"/files/{entry.uuid}/download")

    assert b"".join(answer.streaming_content) == "<script>\r\nä\n".encode()  # type: ignore[attr-defined]
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
