"""Give a customer, a repository or a file another name, and write the new name where the old one stands."""

from agents.demo.reading import Document
from agents.demo.scripts.edits import line_replaced
from agents.demo.scripts.steps import Journal, change, look, read
from agents.demo.scripts.topics import INDEX, Topics
from agents.demo.turns import Call, Script, rename, short, spelt_out
from agents.demo.words import known_slug, one_line, slugged


def rename_topic(old: str, new: str, topics: Topics) -> Script:
    """Move what ``old`` names to the name ``new``; say so if the memory holds nothing of that name."""
    found = yield from look("I look for what carries that name.", deep=True)
    slug, title = known_slug(old, topics.known(found)), ""
    if slug:
        title = one_line(new, 80)
        source, target = topics.place(slug), topics.place(slugged(new) or "unnamed")
    else:
        source, target = spelt_out(old), spelt_out(new)
        if "/" not in new:
            target = f"{source.rpartition('/')[0]}/{short(target)}"
        if source not in found.files:
            return f"My memory holds nothing called “{one_line(old, 120)}”, so there is nothing to rename."
    journal = Journal()
    [answer] = yield from change("I give it the new name.", [rename(source, target)], journal)
    if not (answer.is_error or answer.is_held):
        home = topics.home(slugged(new)) if slug and topics.home(slug) in found.files else ""
        paths = [path for path in (home, INDEX if INDEX in found.files else "") if path]
        shelf = yield from read("The old name may stand inside, too.", paths)
        renamed = (_renamed_line(known, short(source), short(target), title) for known in shelf.documents.values())
        yield from change("I write the new name there.", [call for call in renamed if call], journal)
    return journal.told()


def _renamed_line(document: Document, source: str, target: str, title: str) -> Call | None:
    """Return the edit of the index line that names ``source``, or of the heading of the topic's own file."""
    for number, line in enumerate(document.lines):
        if document.path == INDEX and source in line:
            return line_replaced(document, number, f"- {target}: {title}" if title else line.replace(source, target))
        if document.path != INDEX and number == 0 and line.startswith("# "):
            return line_replaced(document, number, f"# {title}") if line != f"# {title}" else None
    return None
