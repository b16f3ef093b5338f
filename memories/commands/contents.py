"""The bytes of a file: which of them are text, and what a change did to its lines."""

from hashlib import sha256

from memories import replies
from memories.commands.effects import Put
from memories.commands.snapshot import TEXT, Entry
from memories.diffs import Hunk, line_spans
from memories.paths import MemoryPath
from memories.refusals import NotText
from memories.text import SUMMARY, count_lines, lines_between, lines_of

PNG = "image/png"
JPEG = "image/jpeg"
_SIGNATURES = ((b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG))


def read(path: MemoryPath, data: bytes) -> tuple[str, str]:
    """Return what ``data`` is, by its content and never by its name, and the text it spells (nothing, for an image).

    Raises NotText when a store cannot hold it.
    """
    for signature, media in _SIGNATURES:
        if data.startswith(signature):
            return media, ""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise NotText(replies.not_text(path))
    return TEXT, text


def text_in(data: bytes) -> str | None:
    """Return the text that the bytes of a stored file spell; None for an image's."""
    return None if data.startswith(tuple(signature for signature, _ in _SIGNATURES)) else data.decode()


def editable(path: MemoryPath, entry: Entry) -> str:
    """Return the text of a file; NotText for an image."""
    if entry.media != TEXT:
        raise NotText(replies.is_image(path))
    return entry.text


def new_file(path: MemoryPath, data: bytes, text: str, media: str = TEXT) -> Put:
    """Return the change that makes a file of ``data``, which spells ``text`` (nothing, for an image)."""
    lines = count_lines(text)
    hunks = (Hunk(0, 0, 0, lines),) if lines else ()
    return Put(path, data, None, media, lines, hunks, summary("", text, hunks))


def rewritten(path: MemoryPath, entry: Entry, data: bytes, text: str, media: str = TEXT) -> tuple[Put, ...]:
    """Return the change that gives a file other content, with the lines a comparison finds changed; none for the same.

    ``data`` spells ``text``, which is nothing for an image.
    """
    if sha256(data).hexdigest() == entry.sha256:
        return ()
    old = entry.text if entry.media == TEXT else ""
    hunks = tuple(line_spans(old, text))
    return (Put(path, data, entry, media, count_lines(text), hunks, summary(old, text, hunks)),)


def edited(path: MemoryPath, entry: Entry, old: str, new: str, hunks: tuple[Hunk, ...]) -> Put:
    """Return the change that turns ``old`` into ``new``, of which ``hunks`` is known to be what changed."""
    return Put(path, new.encode(), entry, TEXT, count_lines(new), hunks, summary(old, new, hunks))


def replaced_lines(old: str, new: str, start: int, old_stop: int, new_stop: int) -> tuple[Hunk, ...]:
    """Return the lines that changed when ``old[start:old_stop]`` became ``new[start:new_stop]``: one hunk or none.

    Lines that the replaced text only quoted are not counted, nor is one that only gained or lost its final newline.
    """
    above = old.count("\n", 0, start)
    begin = old.rfind("\n", 0, start) + 1
    before = lines_of(old[begin : _line_end(old, old_stop)])
    after = lines_of(new[begin : _line_end(new, new_stop)])
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    hunk = Hunk(above + head, len(before) - head - tail, above + head, len(after) - head - tail)
    return (hunk,) if hunk.old_count or hunk.new_count else ()


def summary(old: str, new: str, hunks: tuple[Hunk, ...]) -> str:
    """Return the change in a line of at most 80 characters: the first line added, else the first one removed.

    Lines of blanks say nothing and are passed over; an empty summary leaves the operation to speak for itself.
    """
    for text, start, count in [(new, hunk.new_start, hunk.new_count) for hunk in hunks] + [
        (old, hunk.old_start, hunk.old_count) for hunk in hunks
    ]:
        for line in lines_between(text, start + 1, start + count):
            if words := " ".join(line.split()):
                return words if len(words) <= SUMMARY else words[: SUMMARY - 1] + "…"
    return ""


def _line_end(text: str, position: int) -> int:
    return text.find("\n", position) + 1 or len(text)
