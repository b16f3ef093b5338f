"""The input of a memory tool call, read as it comes from a model: any JSON value, checked field by field."""

from collections.abc import Callable
from typing import Any

from memories.commands import Command, Create, Delete, Insert, Rename, StrReplace, View
from memories.paths import MemoryPath
from memories.refusals import InputRefused, PathRefused
from memories.text import echo, storable

Fields = dict[Any, Any]
NUMBER_BITS = 256


def command_of(value: object) -> Command:
    """Return the command that ``value`` asks for; InputRefused names the field at fault and says what to send.

    Unknown fields are ignored, and so are those of other commands.
    """
    if not isinstance(value, dict):
        raise InputRefused(f"Error: the input must be an object with a `command`, not {echo(value)}.")
    name = value.get("command")
    read = _READERS.get(name) if isinstance(name, str) else None
    if read is None:
        raise InputRefused(f"Error: Unknown command: {echo(name)}. Send one of {', '.join(_READERS)}.")
    return read(value)


def _view(fields: Fields) -> View:
    return View(_path(fields, "path"), _range(fields.get("view_range")))


def _create(fields: Fields) -> Create:
    return Create(_path(fields, "path", final_slash=False), _text(fields, "file_text"), may_overwrite=True)


def _str_replace(fields: Fields) -> StrReplace:
    path, old = _path(fields, "path"), _text(fields, "old_str")
    if not old:
        raise InputRefused("Error: `old_str` is empty. Send the text to be replaced.")
    return StrReplace(path, old, "" if fields.get("new_str") is None else _text(fields, "new_str"))


def _insert(fields: Fields) -> Insert:
    return Insert(_path(fields, "path"), _line(fields, "insert_line"), _text(fields, "insert_text"))


def _delete(fields: Fields) -> Delete:
    return Delete(_path(fields, "path"))


def _rename(fields: Fields) -> Rename:
    return Rename(_path(fields, "old_path"), _path(fields, "new_path"))


_READERS: dict[str, Callable[[Fields], Command]] = {
    "view": _view,
    "create": _create,
    "str_replace": _str_replace,
    "insert": _insert,
    "delete": _delete,
    "rename": _rename,
}


def _path(fields: Fields, name: str, *, final_slash: bool = True) -> MemoryPath:
    value = fields.get(name)
    if not isinstance(value, str):
        raise _wrong(fields, name, "a path that begins with /memories")
    try:
        return MemoryPath.parse(value, final_slash=final_slash)
    except PathRefused as refusal:
        raise PathRefused(f"{refusal} Send a valid `{name}`.") from None


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise _wrong(fields, name, "a string")
    if not storable(value):
        raise InputRefused(f"Error: `{name}` holds a NUL character or an unpaired surrogate, which cannot be stored.")
    return value


def _line(fields: Fields, name: str) -> int:
    number = _whole_number(fields.get(name))
    if number is None:
        raise _wrong(fields, name, "a whole number, the line after which to insert")
    return number


def _range(value: object) -> tuple[int, int] | None:
    if value is None:
        return None
    numbers = [_whole_number(item) for item in value] if isinstance(value, list) else []
    match numbers:
        case [int(first), int(last)] if last == -1 or last >= max(first, 1):
            return first, last
    raise InputRefused(
        "Error: Invalid `view_range`. Send two whole numbers, the first and the last line; -1 means the end."
    )


def _whole_number(value: object) -> int | None:
    """Return a line number; JSON's 2.0 is one, a boolean or a fraction is none, nor is one too long to be printed."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= NUMBER_BITS:
        return value
    return None


def _wrong(fields: Fields, name: str, wanted: str) -> InputRefused:
    if name not in fields:
        return InputRefused(f"Error: `{name}` is missing. Send {wanted}.")
    return InputRefused(f"Error: Invalid `{name}`: {echo(fields[name])}. Send {wanted}.")
