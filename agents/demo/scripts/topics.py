"""Where a scenario keeps what it knows: a file or directory for each customer or repository, and one for the rest."""

from dataclasses import dataclass

from agents.demo.reading import Document, Listing
from agents.demo.scripts.steps import line_added
from agents.demo.turns import Call, short

INDEX = "/memories/index.md"


@dataclass(frozen=True, slots=True)
class Topics:
    """``kind`` names one topic; ``leaf`` is its file below ``folder``, ``{}`` standing for its slug."""

    kind: str
    folder: str
    leaf: str
    general: str
    general_title: str

    def home(self, slug: str) -> str:
        """Return the file that takes what is learnt about ``slug``; the general one for an empty slug."""
        return f"{self.folder}/{self.leaf.format(slug)}" if slug else self.general

    def place(self, slug: str) -> str:
        """Return the path with everything about ``slug``: a file, or a directory if topics have directories."""
        return self.home(slug).rpartition("/")[0] if "/" in self.leaf else self.home(slug)

    def known(self, found: Listing) -> list[str]:
        """Return the slugs of the topics that the memory holds."""
        beginning = len(self.folder) + 1
        if "/" in self.leaf:
            names = [path[beginning:].split("/") for path in found.below(self.folder)]
            deeper = [path[beginning:] for path in found.unseen if path.rpartition("/")[0] == self.folder]
            return list(dict.fromkeys([first for first, *rest in names if rest] + deeper))
        suffix = self.leaf.removeprefix("{}")
        return [path[beginning:].removesuffix(suffix) for path in found.files if path.rpartition("/")[0] == self.folder]

    def files(self, found: Listing, slug: str) -> list[str]:
        """Return the files about ``slug`` that the memory holds."""
        place = self.place(slug)
        return [path for path in found.files if path == place or path.startswith(place + "/")]


def index_line(path: str, title: str, index: Document | None) -> Call | None:
    """Return the call that lists ``path`` in the index; None without an index or if the index lists it."""
    return line_added(INDEX, "Index", f"- {short(path)}: {title}", index) if index else None
