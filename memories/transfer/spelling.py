"""Names that every file system can hold, for paths that are legal here and not elsewhere."""

import re
from collections.abc import Iterable

from memories.paths import NAME_BYTES, MemoryPath

_FORBIDDEN = re.compile(r'[<>:"|?*]|\.$')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)", re.IGNORECASE)


def portable(paths: Iterable[MemoryPath]) -> dict[MemoryPath, str]:
    """Return a spelling below the root for each path, a plain one where it needs no other.

    No two spellings are the same where case does not count, none holds a character or a device name that Windows
    refuses, and what lies in one directory stays together.
    """
    directories = {MemoryPath.ROOT: ""}
    taken: set[str] = set()
    spelled: dict[MemoryPath, str] = {}

    def place(path: MemoryPath) -> str:
        spelling = _free(directories[path.parent], _plain(path.name), taken)
        taken.add(spelling.casefold())
        return spelling

    for path in paths:
        for directory in reversed(list(path.ancestors())):
            if directory not in directories:
                directories[directory] = f"{place(directory)}/"
        spelled[path] = place(path)
    return spelled


def _plain(name: str) -> str:
    name = _FORBIDDEN.sub("_", name)
    return _DEVICE.sub(lambda device: f"{device[0]}_", name, count=1) if _DEVICE.match(name) else name


def _free(directory: str, name: str, taken: set[str]) -> str:
    spelling = directory + name
    number = 1
    while spelling.casefold() in taken:
        number += 1
        stem, dot, ending = name.rpartition(".")
        mark = f"~{number}"
        if not stem:
            stem, dot, ending = name, "", ""
        room = NAME_BYTES - len(f"{mark}{dot}{ending}".encode())
        spelling = f"{directory}{stem.encode()[:room].decode(errors='ignore')}{mark}{dot}{ending}"
    return spelling
