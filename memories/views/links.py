"""What the links in a file's text lead to."""

from collections.abc import Collection

from memdash.web.markdown import Ours
from memories.models import MemoryEntry, MemoryStore
from memories.paths import MemoryPath
from memories.views import addresses


class Links:
    """Resolves the links of the file at ``path``; what it was asked for once it does not look up again."""

    def __init__(self, store: MemoryStore, path: MemoryPath) -> None:
        self._store, self._path = store, path
        self._known: dict[str, Ours | None] = {}

    def __call__(self, targets: Collection[str]) -> dict[str, Ours]:
        """Return our page for each target that is a path a store can hold, and whether anything lives there.

        One query, however many they are.
        """
        fresh = {target: addresses.linked(self._path.text, target) for target in targets if target not in self._known}
        there = self._there({path for path in fresh.values() if path})
        for target, path in fresh.items():
            page = addresses.files(self._store.slug, path.text) if path else ""
            self._known[target] = Ours(page, exists=path in there) if path else None
        return {target: ours for target in targets if (ours := self._known[target])}

    def _there(self, paths: Collection[MemoryPath]) -> set[MemoryPath]:
        asked = [path for path in paths if not path.is_root]
        found = MemoryEntry.objects.filter(store=self._store).at(*asked) if asked else MemoryEntry.objects.none()
        return {MemoryPath.ROOT, *map(MemoryPath, found.values_list("path", flat=True))}
