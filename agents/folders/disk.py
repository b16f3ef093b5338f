"""A followed folder on disk: where its files lie, which path each stands for, and which differ from the last time."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from agents.folders.claims import Claim
from agents.models import Layout, WatchedFolder
from memories.paths import MemoryPath
from memories.refusals import PathRefused
from memories.transfer.looking import Facts, Look, look
from memories.transfer.opening import NoSource, reason
from memories.transfer.source import MEMORIES, Found, Source


class Disk:
    """The folder as the last look found it, and the facts at which each file was last in step with the store."""

    def __init__(self, folder: WatchedFolder, claim: Claim) -> None:
        self._folder, self._claim = folder, claim
        self._source: Source | None = None
        self._seen = Look((0, 0), {}, set(), {})
        self._spellings: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._settled: dict[str, Facts] = {}
        self.place: tuple[int, int] | None = None
        """What tells the directory that was looked through from another one there; None when none was."""

    @property
    def root(self) -> Path:
        """Return the directory in which the files lie."""
        folder = Path(self._folder.path)
        return folder / MEMORIES if self._folder.layout == Layout.MEMORIES else folder

    @property
    def files(self) -> dict[str, Facts]:
        """Return the files by their names below the root."""
        return self._seen.files

    @property
    def is_bare(self) -> bool:
        """Return whether it holds no file and is another directory than the one that held some, as if unmounted."""
        return not self._seen.files and self._folder.root not in ("", _root(self._seen))

    @property
    def closed(self) -> dict[str, str]:
        """Return the directories that could not be looked into, with the reason."""
        return self._seen.closed

    @property
    def directories(self) -> set[str]:
        """Return the directories below the root that could be looked into."""
        return self._seen.directories

    @contextmanager
    def look(self) -> Iterator[bool]:
        """Look through the folder and keep it open for reading; give whether it is known where its files lie.

        That is so once it has held one. Raises NoSource or ManifestRefused when nothing is known of its files now.
        Afterwards nothing is open, so that the folder can be unmounted.
        """
        self.place = None
        with self._opened() as source:
            try:
                seen = look(source.root)
            except OSError as error:
                raise NoSource(reason(self.root, error)) from None
            if has_files := self._is_settled(source, seen):
                self._source, self._seen, self.place = source, seen, seen.place
                self._name(source)
                self._keep_root()
            yield has_files

    def changed(self) -> dict[str, Facts]:
        """Return the files that are not as they were when they were last settled."""
        settled = self._settled
        return {name: facts for name, facts in self._seen.files.items() if settled.get(name) != facts}

    def settle(self, name: str) -> None:
        """Take the file, as it was found, for one that is in step with the store."""
        self._settled[name] = self._seen.files[name]

    def path_of(self, name: str) -> str:
        """Return the path that a file stands for; an empty one when it stands for none."""
        return self._paths[name]

    def name_at(self, path: str) -> str:
        """Return the name of the file that stands for ``path``, of several spellings the first; "" for none."""
        return self._names.get(path, "")

    def holds(self, path: str) -> bool:
        """Return whether a file stands for ``path``."""
        return path in self._names

    def away(self, paths: Iterable[str]) -> list[str]:
        """Return which of ``paths`` no file stands for, as far as their directories could be looked into."""
        away = [path for path in paths if path not in self._names]
        if self._seen.closed and self._source:
            named = self._source.name_of
            away = [path for path in away if not self._seen.hides(named(MemoryPath(path)))]
        return away

    def read(self, name: str, max_bytes: int) -> Found:
        """Return a file with its bytes, or with what is wrong with it."""
        assert self._source, "nothing was looked at"
        return self._source.read(name, max_bytes)

    def stands(self, name: str) -> bool:
        """Return whether the file is still as the last look found it."""
        assert self._source, "nothing was looked at"
        return self._source.facts(name) == self._seen.files[name]

    def _opened(self) -> AbstractContextManager[Source]:
        layout = self._folder.layout
        has_memories = None if layout == Layout.UNKNOWN else layout == Layout.MEMORIES
        return Source.at(Path(self._folder.path), has_memories=has_memories)

    def _is_settled(self, source: Source, seen: Look) -> bool:
        """Return whether it is decided where the files lie, and decide it when the first is there."""
        if self._folder.layout == Layout.UNKNOWN and (source.has_memories or seen.files):
            layout = Layout.MEMORIES if source.has_memories else Layout.PLAIN
            self._claim.write(layout=layout)
            self._folder.layout = layout
        return self._folder.layout != Layout.UNKNOWN

    def _keep_root(self) -> None:
        """Keep across processes which directory it is that holds the files."""
        root = _root(self._seen)
        if self._seen.files and self._folder.root != root:
            self._claim.write(root=root)
            self._folder.root = root

    def _name(self, source: Source) -> None:
        if self._spellings != source.spellings:
            self._spellings = source.spellings
            self._paths.clear()
            self._settled.clear()
        files = self._seen.files
        if self._paths.keys() == files.keys():
            return
        known = self._paths
        self._paths = {name: known[name] if name in known else _path(source, name) for name in sorted(files)}
        self._names = {path: name for name, path in reversed(self._paths.items()) if path}
        self._settled = {name: facts for name, facts in self._settled.items() if name in files}


def _root(seen: Look) -> str:
    return ":".join(map(str, seen.place))


def _path(source: Source, name: str) -> str:
    try:
        return source.path_of(name).text
    except PathRefused:
        return ""
