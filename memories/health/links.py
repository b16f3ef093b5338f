"""Links between files: Markdown links, wiki links and plain paths, and where they lead."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from posixpath import commonprefix, normpath
from typing import Final
from urllib.parse import unquote

from memories.paths import ROOT, MemoryPath
from memories.refusals import PathRefused

_TARGET = r"(?:<([^<>\n]{1,1000})>|([^\s()<>]{1,1000}))"
_LINK = re.compile(r"\]\(" + _TARGET + r"(?:\s{1,4}[\"'(][^\n]{0,200}?[\"')])?\)")
_WIKI = re.compile(r"\[\[([^\s\[\]|#][^\[\]|#\n]{0,255})[^\[\]\n]{0,255}\]\]")
_PLAIN = re.compile(r"(?<![\w/.:~%-])/memories/[^\s\"'`<>()\[\]{}|*?,;\\…，。；！？、）」]{1,1000}[<{*\[…]?")
_FENCED = re.compile(r"^[ ]{0,3}(```|~~~).*?(?:^[ ]{0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_OPEN_END: Final = "<{*[…"
_CLOSING: Final = ".:!/"
_GOES_ON = re.compile(r"\w|/\S")
_WORDS = re.compile(r"[^\w./~@+-]+")

MOST: Final = 50
"""Broken links that are named of one file."""

LONGEST: Final = 1_100
TRIES: Final = 16
"""Characters of a text in which a path of the store is looked for; none is longer. And how many paths are tried there:
each begins like the last one."""

SEARCHED: Final = 200_000
"""Characters of an index in which names that have blanks are searched for, each on its own."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a file: its line, counted from 1, what is written, and the path it would lead to."""

    line: int
    written: str
    path: str


class Tree:
    """The paths of a store's files, as links are read against them."""

    def __init__(self, files: Collection[str]) -> None:
        self._paths = {ROOT, *files}
        for path in files:
            while (path := path.rpartition("/")[0]) and path not in self._paths:
                self._paths.add(path)
        self._names = {name for path in files for name in _spellings(path)}
        self._unusual = sorted(path for path in self._paths if not _is_plain(path))

    def has(self, path: str) -> bool:
        """Say whether a file or a directory lives at the path."""
        return path in self._paths

    def stands_in(self, text: str, start: int) -> bool:
        """Say whether a path begins there that goes on where plain ones end, such as one with blanks."""
        rest = text[start : start + LONGEST]
        for _ in range(TRIES):
            at = bisect_right(self._unusual, rest)
            if not at:
                break
            path = self._unusual[at - 1]
            if rest.startswith(path) and not _GOES_ON.match(text, start + len(path)):
                return True
            rest = commonprefix([path, rest[: len(path) - rest.startswith(path)]])
        return False

    def is_called(self, name: str) -> bool:
        """Say whether a wiki link of this name leads to a file: by its name or path, with or without its ending."""
        return name.casefold().removeprefix("/memories/") in self._names


def broken(path: str, text: str, tree: Tree) -> list[Link]:
    """Return the links in the text of the file at ``path`` that lead to no file, each target once."""
    found: dict[str, Link] = {}
    for start, written, target in sorted(_missing(path, text, tree)):
        if target not in found:
            found[target] = Link(text.count("\n", 0, start) + 1, written, target)
        if len(found) == MOST:
            break
    return list(found.values())


def named_in(index: str, index_path: str, paths: Collection[str]) -> set[str]:
    """Return those of the paths that the index names: by path or name, by a link, or by a folder they lie in."""
    words = {word.strip("./") for word in _WORDS.split(index.casefold())}
    linked = {target.casefold() for _, _, targets in _targets(index_path, index) for target in targets}
    wiki = {match[1].strip().casefold() for match in _WIKI.finditer(index)}
    lowered = index[:SEARCHED].casefold()

    @cache
    def stands_in_it(name: str) -> bool:
        return name in lowered

    return {path for path in paths if _is_named(path, words, linked, wiki, stands_in_it)}


def _is_named(
    path: str, words: set[str], linked: set[str], wiki: set[str], stands_in_index: Callable[[str], bool]
) -> bool:
    relative = path[len(ROOT) + 1 :].casefold()
    if not wiki.isdisjoint(_spellings(path)) or relative.rpartition("/")[2] in words:
        return True
    named = relative
    while named:
        if named in words or f"memories/{named}" in words or f"{ROOT}/{named}" in linked:
            return True
        # Of a name with blanks, words are but parts.
        if _WORDS.search(named) and stands_in_index(named if named == relative else f"{named}/"):
            return True
        named = named.rpartition("/")[0]
    return False


def _missing(path: str, text: str, tree: Tree) -> Iterator[tuple[int, str, str]]:
    """Yield where a link that leads nowhere stands, what is written, and the path it would lead to."""
    for start, written, targets in _targets(path, text):
        if not any(map(tree.has, targets)) and _is_path(targets[0]) and not tree.stands_in(text, start):
            yield start, written, targets[0]
    fences = _fences(text)
    for match in _WIKI.finditer(text) if "[[" in text else ():
        name = match[1].strip()
        if any(letter.isalpha() for letter in name) and not _within(match.start(), fences) and not tree.is_called(name):
            target = f"{ROOT}/{name.removeprefix('/memories/')}"
            yield match.start(), match[0], target if "." in name.rpartition("/")[2] else f"{target}.md"


def _targets(path: str, text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield where a link stands, what is written, and the paths it may mean, the likeliest first."""
    folder = path.rpartition("/")[0]
    fences = _fences(text)
    for match in _LINK.finditer(text) if "](" in text else ():
        written = match[1] or match[2]
        if not _within(match.start(), fences) and (targets := _meant(folder, written)):
            yield match.start(), written, targets
    for match in _PLAIN.finditer(text) if "/memories/" in text else ():
        written = match[0]
        # What goes on with a placeholder names no file; a Markdown link was read above.
        if written[-1] in _OPEN_END or text[max(match.start() - 3, 0) : match.start()].endswith(("](", "](<")):
            continue
        bare = written.rstrip(_CLOSING)
        if bare != ROOT:
            yield match.start(), bare, [bare]


def _meant(folder: str, written: str) -> list[str]:
    """Return what a Markdown link may mean: read from its own folder or, as agents write it, from the root."""
    target = unquote(re.split("[#?]", written, maxsplit=1)[0])
    if not target or _SCHEME.match(target) or target.startswith("//"):
        return []
    if target.startswith("/"):
        return [target.rstrip("/")] if target.startswith(f"{ROOT}/") else []
    if "." not in target and "/" not in target:
        return []
    spelled = [normpath(f"{start}/{target}") for start in (folder, ROOT)]
    return [path for path in spelled if path == ROOT or path.startswith(f"{ROOT}/")]


def _is_plain(path: str) -> bool:
    """Say whether the whole path is read where it stands in plain text."""
    return _PLAIN.fullmatch(path) is not None and path[-1] not in f"{_OPEN_END}{_CLOSING}"


def _is_path(path: str) -> bool:
    try:
        MemoryPath.parse(path)
    except PathRefused:
        return False
    return True


def _spellings(path: str) -> Iterator[str]:
    """Yield how a wiki link may name a file."""
    relative = path[len(ROOT) + 1 :].casefold()
    for spelled in (relative, relative.rpartition("/")[2]):
        yield spelled
        if spelled.endswith(".md"):
            yield spelled.removesuffix(".md")


def _fences(text: str) -> list[tuple[int, int]]:
    """Return where code stands, in which brackets are no links."""
    return [match.span() for match in _FENCED.finditer(text)] if "```" in text or "~~~" in text else []


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    at = bisect_right(spans, (place, place)) - 1
    return at >= 0 and place < spans[at][1]
