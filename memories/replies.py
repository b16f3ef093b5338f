"""The sentences of the memory tool: the specification's to the letter, then those it leaves open.

``Error:`` stands in front where the specification puts it. Paths are canonical.
"""

from collections.abc import Sequence

from memories.paths import MemoryPath
from memories.text import VIEW, numbered

MAX_LINES = 999_999
QUOTED = 1_000
LISTED_LINES = 1_000
BUSY = "Error: the memory store is busy; nothing was changed. Try again."
NOT_IN_TRASH = "Error: the file is not in the trash; somebody restored it, or it is gone for good."
KEY_REUSED = "Error: this key was used before for another command; nothing was changed."


def view_directory(path: MemoryPath, rows: Sequence[str]) -> str:
    head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    return "\n".join((head, *rows))


def view_file(path: MemoryPath, lines: Sequence[str], first: int = 1) -> str:
    return f"Here's the content of {path} with line numbers:\n{numbered(lines, first)}"


def view_missing(path: MemoryPath) -> str:
    return f"The path {path} does not exist. Please provide a valid path."


def view_too_long(path: MemoryPath) -> str:
    return f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines."


def created(path: MemoryPath) -> str:
    return f"File created successfully at: {path}"


def create_taken(path: MemoryPath) -> str:
    return f"Error: File {path} already exists"


def replaced(lines: Sequence[str], first: int) -> str:
    head = "The memory file has been edited."
    if not lines:
        return head
    return f"{head} Here is the snippet showing the change (with line numbers):\n{numbered(lines, first)}"


def replace_missing(path: MemoryPath) -> str:
    return f"Error: {view_missing(path)}"


def replace_not_found(path: MemoryPath, old: str) -> str:
    return f"No replacement was performed, old_str `{_quoted(old)}` did not appear verbatim in {path}."


def replace_ambiguous(old: str, line_numbers: Sequence[int]) -> str:
    numbers = ", ".join(map(str, line_numbers[:LISTED_LINES]))
    more = " and more" if len(line_numbers) > LISTED_LINES else ""
    return (
        f"No replacement was performed. Multiple occurrences of old_str `{_quoted(old)}` in lines: {numbers}{more}."
        " Please ensure it is unique"
    )


def edited(path: MemoryPath) -> str:
    return f"The file {path} has been edited."


def missing(path: MemoryPath) -> str:
    """Return what insert, delete and rename answer."""
    return f"Error: The path {path} does not exist"


def insert_out_of_range(line: int, count: int) -> str:
    return (
        f"Error: Invalid `insert_line` parameter: {line}."
        f" It should be within the range of lines of the file: [0, {count}]"
    )


def deleted(path: MemoryPath) -> str:
    return f"Successfully deleted {path}"


def renamed(source: MemoryPath, target: MemoryPath) -> str:
    return f"Successfully renamed {source} to {target}"


def rename_taken(target: MemoryPath) -> str:
    return f"Error: The destination {target} already exists"


# What the specification leaves open.


def cut_after(shown: int, lines: int, characters: int) -> str:
    return (
        f"[Cut at about {VIEW:,} characters: lines up to {shown:,} of {lines:,} are shown, the file has {characters:,}"
        f" characters. Use view_range, such as [{shown + 1}, -1], to read on.]"
    )


def cut_line(number: int, lines: int) -> str:
    more = f", or [{number + 1}, -1] to read on" if number < lines else ""
    whole = f"Use view_range [{number}, {number}] to read it whole"
    return f"[Line {number:,} is cut after {VIEW:,} characters. {whole}{more}.]"


def range_beyond(first: int, count: int) -> str:
    return f"Error: Invalid `view_range`: it begins at line {first}, but the file has {count} lines."


def create_on_directory(path: MemoryPath) -> str:
    return f"Error: {path} is a directory; send the path of a file."


def under_file(path: MemoryPath) -> str:
    return f"Error: {path} is a file, so nothing can be stored below it."


def root_kept(verb: str) -> str:
    return f"Error: Cannot {verb} the {MemoryPath.ROOT} directory itself"


def inside_itself(source: MemoryPath, target: MemoryPath) -> str:
    return f"Error: Cannot rename {source} to {target}, which lies inside it"


def is_image(path: MemoryPath) -> str:
    return f"Error: {path} is an image and cannot be edited as text."


def not_text(path: MemoryPath) -> str:
    return f"Error: {path} is neither UTF-8 text without NUL characters nor a PNG or JPEG image."


def content_changed(path: MemoryPath) -> str:
    return f"Error: {path} has changed since it was opened; nothing was saved."


def no_such_version(path: MemoryPath, number: int) -> str:
    return f"Error: {path} has no version {number} whose text could be restored."


def moved_meanwhile(path: MemoryPath) -> str:
    return f"Error: the file is no longer at {path}; nothing was changed."


def restored(path: MemoryPath, number: int) -> str:
    return f"Version {number} of {path} is back, as a new version."


def undeleted(path: MemoryPath) -> str:
    return f"{path} is out of the trash."


def too_large(path: MemoryPath, size: int, limit: int) -> str:
    return f"Error: {path} would have {size:,} bytes; a file of this store may have at most {limit:,}."


def too_many_files(count: int, limit: int) -> str:
    return f"Error: the store would hold {count:,} files; it may hold at most {limit:,}. Delete or merge some first."


def too_many_bytes(size: int, limit: int) -> str:
    return f"Error: the store would hold {size:,} bytes; it may hold at most {limit:,}. Delete or shorten files first."


def marked(path: MemoryPath, name: str, on: bool) -> str:
    return f"{path} is {name}." if on else f"{path} is no longer {name}."


def labelled(path: MemoryPath) -> str:
    return f"The labels of {path} were changed."


def noted(path: MemoryPath, is_kept: bool) -> str:
    return f"{path} has a note." if is_kept else f"{path} has no note."


def too_many_labels(path: MemoryPath, limit: int) -> str:
    return f"Error: {path} would have more than {limit} labels. Take one away first."


def note_changed(path: MemoryPath) -> str:
    return f"Error: somebody changed the note on {path} meanwhile. Nothing was saved."


def purged(count: int) -> str:
    return f"{count:,} {'file is' if count == 1 else 'files are'} gone for good."


def done_to(files: int) -> str:
    return f"Done to {files:,} file{'' if files == 1 else 's'}."


def paused(on: bool) -> str:
    return "Agents may read this memory but not change it." if on else "Agents may change this memory again."


def locked(path: MemoryPath) -> str:
    return f"Error: {path} is locked by a person and cannot be changed. Its content can still be viewed."


STORE_GONE = (
    "Error: this memory store is gone, since a person undid the making of it; nothing was changed."
    " Whoever undid it can bring it back."
)

PAUSED = "Error: a person has paused changes to this memory. Reading still works."


def held(path: MemoryPath) -> str:
    return f"The change to {path} is waiting for review and is not visible yet. Continue without it."


def internal_error(reference: str) -> str:
    return f"Error: internal error (ref {reference}); nothing was changed."


def _quoted(text: str) -> str:
    return text if len(text) <= QUOTED else text[:QUOTED] + "…"
