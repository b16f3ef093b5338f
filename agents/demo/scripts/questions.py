"""Questions: the answer quotes the lines that the views have just shown, and nothing else."""

from collections.abc import Iterable

from agents.demo.asks import Ask
from agents.demo.reading import Document, Listing
from agents.demo.scripts.steps import CALLS_A_TURN, look, read, unread
from agents.demo.scripts.topics import INDEX, Topics
from agents.demo.turns import Script, short
from agents.demo.words import keywords, mentions, one_line

LINES_QUOTED = 40
FILES_NAMED = 30


def overview(topics: Topics) -> Script:
    """Say what the memory holds, for a message that asks for nothing in particular."""
    found = yield from look("I look at what I have in memory.", deep=True)
    if not found.files:
        return f"My memory is empty. Tell me something to remember, or name a {topics.kind}."
    rows = [f"- {short(path)}" for path in found.files]
    if len(rows) > FILES_NAMED:
        rows = [*rows[:FILES_NAMED], f"- and {len(rows) - FILES_NAMED} more"]
    count = "one file" if len(found.files) == 1 else f"{len(found.files)} files"
    return f"My memory holds {count}:\n" + "\n".join(rows) + "\n\nWhat shall I do?"


def answer_question(ask: Ask, topics: Topics) -> Script:
    """Answer from the files about what is asked; say so when they do not say it, or are gone."""
    found = yield from look("I look at my memory first.", deep=True)
    if not found.files:
        return "My memory is empty, so I can't say."
    slug, name = ask.subject(topics.known(found))
    own = topics.files(found, slug) if slug else []
    words = keywords(ask.request, without=slug) or ([] if own else keywords(ask.request))
    others = _named_after(words, found, topics)
    paths = own + others or _general_first(found, topics, is_about_one=bool(slug))
    is_gone = bool(slug) and not own
    shelf = yield from read("These files may know.", [*([INDEX] if is_gone and INDEX in found.files else []), *paths])

    parts = [_gone(name, topics.home(slug), shelf.get(INDEX))] if is_gone else []
    parts += unread(shelf)
    documents = [document for path in paths if (document := shelf.get(path))]
    hits = _best_lines(documents, words)
    held = [line for document in documents if document.path in own for line in quoted(document)]
    if hits:
        parts.append("My memory says:\n" + "\n".join(hits))
    elif held:
        intro = "My memory does not say it in these words. It" if words else f"About {name} my memory"
        parts.append(f"{intro} holds:\n" + "\n".join(held[:LINES_QUOTED]))
    elif documents:
        looked_at = ", ".join(short(document.path) for document in documents)
        parts.append(f"My memory says nothing about that. I looked at {looked_at}.")
    return "\n\n".join(parts)


def quoted(document: Document, numbers: Iterable[int] | None = None) -> list[str]:
    """Return the lines with these indexes, or all, as list items that name file and line; headings are left out."""
    chosen = range(len(document.lines)) if numbers is None else numbers
    return [
        f"- {text} ({short(document.path)}, line {number + 1})"
        for number in chosen
        if (text := plain(document.lines[number])) and not document.lines[number].startswith("#")
    ]


def plain(line: str) -> str:
    """Return a line without its bullet, in backticks if it holds markup."""
    text = one_line(line.strip().removeprefix("- "))
    return f"`{text}`" if "<" in text else text


def _gone(name: str, home: str, index: Document | None) -> str:
    if index and any(short(home) in line for line in index.lines):
        return f"index.md still lists {short(home)}, but the file is gone."
    return f"There is no file about {name} in my memory."


def _named_after(words: list[str], found: Listing, topics: Topics) -> list[str]:
    """Return the files outside the topics whose path holds one of ``words``."""
    outside = [path for path in found.files if not path.startswith(topics.folder + "/")]
    return [path for path in outside if any(mentions(short(path), word) for word in words)]


def _general_first(found: Listing, topics: Topics, *, is_about_one: bool) -> list[str]:
    """Return files that may know anything, those about other topics left out if it ``is_about_one``."""
    files = [path for path in found.files if not (is_about_one and path.startswith(topics.folder + "/"))]
    return sorted(files, key=lambda path: (path != topics.general, path.count("/"), path))[:CALLS_A_TURN]


def _best_lines(documents: Iterable[Document], words: list[str]) -> list[str]:
    """Return the lines in which most of ``words`` stand; for a heading, what stands below it."""
    scored = [
        (score, document, number)
        for document in documents
        for number, line in enumerate(document.lines)
        if (score := sum(mentions(line, word) for word in words))
    ]
    best = max((score for score, _, _ in scored), default=0)
    chosen = ((document, _block(document, number)) for score, document, number in scored if score == best)
    return list(dict.fromkeys(line for document, block in chosen for line in quoted(document, block)))[:LINES_QUOTED]


def _block(document: Document, number: int) -> list[int]:
    if not document.lines[number].startswith("#"):
        return [number]
    after = range(number + 1, len(document.lines))
    end = next((n for n in after if document.lines[n].startswith("#")), len(document.lines))
    return list(range(number + 1, end))
