"""The manifest of an export that had to spell some paths differently: which file stands for which path."""

import json
import os
import stat
from collections.abc import Mapping

from memories.paths import MemoryPath
from memories.transfer.opening import open_file

NAME = "memdash-manifest.json"
FORMAT = 1
BYTES = 64 * 1024 * 1024


class ManifestRefused(Exception):
    """The file that should say which path is which cannot be used; the text says why."""


def text_of(spelled: Mapping[MemoryPath, str]) -> str:
    """Return the manifest for the paths whose spelling is not their own, or "" when there is none of them."""
    paths = {spelling: path.text for path, spelling in spelled.items() if spelling != path.relative}
    return json.dumps({"format": FORMAT, "paths": paths}, ensure_ascii=False, indent=1) + "\n" if paths else ""


def read(folder: int) -> dict[str, str]:
    """Return the path that each spelling below ``memories/`` stands for; nothing where there is no manifest.

    ``folder`` is the open directory in which it lies. Raises ManifestRefused, for one that is a link too: where it
    leads is not read, and without it every path would be taken for another.
    """
    try:
        descriptor = open_file(NAME, folder)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ManifestRefused(f"{NAME} cannot be read, or is a symbolic link: {error.strerror}.") from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ManifestRefused(f"{NAME} is no regular file.")
        try:
            data = file.read(BYTES + 1)
            document = json.loads(data) if len(data) <= BYTES else None
        except (OSError, ValueError, RecursionError) as error:
            raise ManifestRefused(f"{NAME} cannot be read as JSON: {type(error).__name__}.") from None
    if len(data) > BYTES:
        raise ManifestRefused(f"{NAME} has more than {BYTES:,} bytes.")
    paths = document.get("paths") if isinstance(document, dict) and document.get("format") == FORMAT else None
    if not isinstance(paths, dict) or not all(isinstance(path, str) for path in paths.values()):
        raise ManifestRefused(f"{NAME} is no manifest of an export of this version (format {FORMAT}).")
    return paths
