"""A followed folder in tests, looked through when the test says so."""

from pathlib import Path
from threading import Event

from agents import folders
from agents.folders import claims
from agents.folders.following import Follower
from agents.making import create_agent
from agents.models import Place, WatchedFolder
from memories import store
from memories.commands import Overwrite
from memories.models import MemoryVersion
from memories.paths import MemoryPath
from tests.support.stores import PERSON, files_of


class Folder:
    """A folder with a follower whose clock the test turns; its files lie in ``files_at``."""

    def __init__(self, root: Path, files_at: str = "memories") -> None:
        self.root = root
        self.place = root / files_at
        self.said: list[str] = []
        self.agent = create_agent(name="Pipeline", place=Place.FOLDER)
        self.memory = self.agent.store
        self.now = 1000.0
        self.place.mkdir(parents=True)
        self.row = folders.claim_in_shell(self.agent, root, "memdash watch")
        self.start()

    def start(self) -> None:
        """Begin anew, as a process does that knows only the rows."""
        claim = claims.take(self.row.pk)
        assert claim
        self.claim = claim
        self.row = WatchedFolder.objects.select_related("agent__store").get(pk=self.row.pk)
        self.follower = Follower(self.row, claim, self, Event())

    def restart(self) -> None:
        self.claim.release()
        self.start()

    def file(self, line: str) -> None:
        self.said.append(line)

    def folder(self, line: str, *, is_bad: bool) -> None:
        self.said.append(f"problem: {line}" if is_bad else line)

    def put(self, name: str, text: str | bytes) -> Path:
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def look(self, times: int = 3, seconds: float = 1.0) -> list[str]:
        """Look so often, with so much time between, and return what was said."""
        before = len(self.said)
        for _ in range(times):
            self.now += seconds
            self.follower.look(self.now)
        return self.said[before:]

    @property
    def files(self) -> dict[str, str]:
        return {path.removeprefix("/memories/"): data.decode() for path, data in files_of(self.memory).items()}

    def history(self, path: str) -> list[tuple[str, str]]:
        entry = self.memory.entries.live().get(path=f"/memories/{path}")
        return list(entry.versions.order_by("number").values_list("operation", "actor_kind"))


def path(name: str) -> MemoryPath:
    return MemoryPath.parse(f"/memories/{name}")


def sha(disk: Folder, name: str) -> str:
    return str(MemoryVersion.objects.filter(store=disk.memory, path=f"/memories/{name}").latest("seq").sha256)


def edit(disk: Folder, name: str, text: str) -> None:
    store.apply(disk.memory.pk, Overwrite(path(name), text, sha(disk, name)), actor=PERSON)
