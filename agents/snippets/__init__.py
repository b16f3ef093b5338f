"""Programs to paste that use a store from elsewhere. The files are whole programs with an example's address in them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

URL: Final = "https://memdash.example.org"
STORE: Final = "support-desk"

LABELS: Final = {
    "python": "Python",
    "python-async": "Python, asynchronous",
    "python-loop": "Python, a loop of your own",
    "typescript": "TypeScript",
    "curl": "curl",
}


@dataclass(frozen=True, slots=True)
class Snippet:
    """A program: its short name for addresses, its name for people, and its text."""

    name: str
    label: str
    text: str

    @property
    def is_python(self) -> bool:
        """Return whether it imports memdash's client."""
        return self.name.startswith("python")

    @property
    def asks_claude(self) -> bool:
        """Return whether it calls the model, and needs a key for that, besides the memory."""
        return self.name != "curl"


def snippets(url: str = URL, store: str = STORE) -> list[Snippet]:
    """Return the programs for the store with the slug ``store`` at ``url``; all read the token from MEMDASH_TOKEN."""
    return [Snippet(name, label, _text(name, url.rstrip("/"), store)) for name, label in LABELS.items()]


def _text(name: str, url: str, store: str) -> str:
    text = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")
    # The address last, since it may hold the words that stand for the store.
    return text.replace(STORE, store).replace(URL, url)
