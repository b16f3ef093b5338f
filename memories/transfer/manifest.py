"""The manifest of an export that had to spell some paths differently: which file stands for which path."""

import json
from collections.abc import Mapping
from pathlib import Path

from memories.paths import MemoryPath

NAME = "memdash-manifest.json"
FORMAT = 1
BYTES = 64 * 1024 * 1024


class ManifestRefused(Exception):
    """The file that should say which path is which cannot be used; the text says why."""


def text_of(spelled: Mapping[MemoryPath, str]) -> str:
    """Return the manifest for the paths whose spelling is not their own, or "" when there is none of them."""
    paths = {spelling: path.text for path, spelling in spelled.items() if spelling != path.relative}
    return json.dumps({"format": FORMAT, "paths": paths}, ensure_ascii=False, indent=1) + "\n" if paths else ""


def read(folder: Path) -> dict[str, str]:
    """Return the path that each spelling below ``memories/`` stands for; nothing where there is no manifest."""
    file = folder / NAME
    if not file.is_file() or file.is_symlink():
        return {}
    try:
        if file.stat().st_size > BYTES:
            raise ManifestRefused(f"{file} has more than {BYTES:,} bytes.")
        document = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise ManifestRefused(f"{file} cannot be read as JSON: {type(error).__name__}.") from None
    paths = document.get("paths") if isinstance(document, dict) and document.get("format") == FORMAT else None
    if not isinstance(paths, dict) or not all(isinstance(path, str) for path in paths.values()):
        raise ManifestRefused(f"{file} is no manifest of an export of this version (format {FORMAT}).")
    return paths
