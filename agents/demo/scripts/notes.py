"""Remember and forget: what a person asks the memory itself to do."""

import re

from agents.demo.asks import Ask
from agents.demo.reading import Document, Listing
from agents.demo.scripts.edits import brought_up_to_date, line_removed
from agents.demo.scripts.steps import Journal, Step, change, line_added, look, read, unread, write
from agents.demo.scripts.topics import INDEX, Topics, index_line
from agents.demo.turns import Script, delete, short, spelt_out
from agents.demo.words import keywords, known_slug, mentions, one_line

LINES_AT_ONCE = 8
SCRATCH = "/memories/scratch"
_NOT_TELLING = frozenset({"ticket", "number", "file", "everything", "anything", "repository", "repo", "line", "rule"})


def remember(told: Ask, topics: Topics) -> Script:
    """Store the text of ``told``: bring the line that states it otherwise up to date, or add one where it belongs."""
    found = yield from look("I look at my memory before I write to it.", deep=True)
    slug, name = told.subject(topics.known(found))
    path, title = topics.home(slug), name or topics.general_title
    is_new = path not in found.files
    wanted = [INDEX] if is_new and slug else [path]
    shelf = yield from read(f"This belongs in {short(path)}.", [p for p in wanted if p in found.files])
    known, fact = shelf.get(path), stated(told.text, slug)
    line = f"- {fact}"

    if known and known.holds(line):
        return f"I knew that already: {short(path)} says “{fact}”. Nothing had to change."
    update = brought_up_to_date(known, fact) if known else None
    call = update or line_added(path, title, line, known)
    reason = "One line says otherwise, so I bring it up to date." if update else "I write it down."
    journal = Journal()
    yield from write(reason, [call] if call else [], journal)
    if journal.lacks(path):
        state = "I could not note about" if journal.is_refused(path) else "Proposed, and not noted yet, about"
        return f"{state} {title}: “{fact}”.\n\n{journal.told()}"
    listing = index_line(path, title, shelf.get(INDEX))
    yield from write("The index has to list it.", [listing] if listing else [], journal)
    return f"Noted about {title}: “{fact}”.\n\n{journal.told()}"


def stated(told: str, slug: str) -> str:
    """Return what was told as a line of its topic's own file: without the name in front, without the final stop."""
    fact = one_line(told).rstrip(".")
    if slug:
        first, *others = (re.escape(word) for word in slug.split("-"))
        name = first + "".join(rf"(?:[\W_]+{word})?" for word in others)
        kind = r"(?:(?:the|our) )?(?:customer |client |repository |repo )?"
        shorter = re.sub(rf"^{kind}{name}(?:['’]s)?\b[\s:,]+", "", fact, count=1, flags=re.IGNORECASE)
        fact = shorter or fact
    return fact[:1].upper() + fact[1:]


def forget(ask: Ask, target: str, topics: Topics) -> Script:
    """Delete what ``target`` names: a customer or repository, a ticket, a path, or else the lines that say so."""
    found = yield from look("I look for what I have about it.", deep=True)
    slug = known_slug(target, topics.known(found))
    telling = [word for word in keywords(target, without=slug) if word not in _NOT_TELLING]
    whole = _named_as_a_whole(found, target, topics.place(slug) if slug and not telling else "", ask.ticket)
    journal = Journal()
    if whole:
        yield from change("I delete it as a whole.", [delete(path) for path in whole], journal)
        gone = [short(path) for path in whole if not journal.lacks(path)]
        index = [INDEX] if gone and INDEX in found.files and INDEX not in whole else []
        shelf = yield from read("Does the index still list it?", index)
        for document in shelf.documents.values():
            lines = [n for n, line in enumerate(document.lines) if any(name in line for name in gone)]
            yield from drop(document, lines, journal)
    else:
        places = topics.files(found, slug) if slug else found.files
        shelf = yield from read("I read where it might stand.", places if telling else ())
        for document in shelf.documents.values():
            lines = [n for n, line in enumerate(document.lines) if all(mentions(line, word) for word in telling)]
            yield from drop(document, [n for n in lines if not document.lines[n].startswith("#")], journal)
    asked = f"“{one_line(target, 120).rstrip('.')}”"
    if journal.entries:
        return " ".join([f"You asked me to forget {asked}.", *unread(shelf), journal.told()])
    if shelf.refusals:
        return " ".join([*unread(shelf), f"In the rest of my memory there was nothing about {asked} to forget."])
    return f"My memory holds nothing about {asked}, so there was nothing to forget."


def _named_as_a_whole(found: Listing, target: str, place: str, ticket: str) -> list[str]:
    """Return the paths that are to go as a whole: of a topic, of a ticket, or one that is spelt out."""
    if place:
        return [place]
    if ticket:
        return [path for path in found.files if re.search(rf"/ticket-{ticket}\b", path)]
    spelt = spelt_out(re.sub(r"^(?:the )?(?:file |directory |folder )?", "", target, flags=re.IGNORECASE))
    is_there = spelt in found.files or spelt in found.unseen or bool(found.below(spelt))
    return [spelt] if is_there else []


def drop(document: Document, numbers: list[int], journal: Journal) -> Step[None]:
    """Remove the lines with these indexes, the last one first, so that the others keep their numbers."""
    lines = list(document.lines)
    calls = []
    for number in sorted(numbers, reverse=True)[:LINES_AT_ONCE]:
        calls.append(line_removed(Document(document.path, tuple(lines)), number))
        del lines[number]
    yield from change(f"I take it out of {short(document.path)}.", calls, journal)


def tidy_up() -> Script:
    """Delete what was only needed for the moment: everything below scratch, and drafts nobody finished."""
    found = yield from look("I look for what can go.", deep=True)
    passing = [SCRATCH] if found.below(SCRATCH) or SCRATCH in found.unseen else []
    passing += [path for path in found.files if path.endswith(".draft.md") and not path.startswith(SCRATCH + "/")]
    journal = Journal()
    yield from change("Notes for the moment and unfinished drafts can go.", [delete(path) for path in passing], journal)
    state = "The memory is tidy." if journal.is_all_done else "Not everything that can go is gone."
    return f"{state} {journal.told()}"


def no_memory(_: Ask) -> Script:
    """Say that the request offers no memory tool."""
    yield from ()
    return "This request offers no memory tool, so I can neither look anything up nor note anything down."
