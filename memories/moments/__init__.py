"""A store as it was at a moment, rebuilt from its versions. A moment is a ``seq``: the number of changes until then."""

from memories.moments.files import FileAt, file_at, files_at, files_now, seq_at, written_at

__all__ = ["FileAt", "file_at", "files_at", "files_now", "seq_at", "written_at"]
