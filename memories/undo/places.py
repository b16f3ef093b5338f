"""Where files of an undo come to lie: which of them find their path taken, and in which order all get there."""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from memories.models import Kind, MemoryEntry
from memories.paths import ROOT, directories


@dataclass(frozen=True, slots=True)
class Move:
    """A file, by its id, that lives at ``at`` and shall live at ``to``; an empty path is the trash."""

    file: int
    at: str
    to: str

    @property
    def leaves(self) -> bool:
        return bool(self.at) and self.at != self.to

    @property
    def arrives(self) -> bool:
        return bool(self.to) and self.at != self.to


class Arrivals:
    """The files that arrive somewhere, by the paths that have to be free for them."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self._at: dict[str, list[Move]] = defaultdict(list)
        self._below: dict[str, list[Move]] = defaultdict(list)
        for move in moves:
            if move.arrives:
                self._at[move.to].append(move)
                for directory in _above(move.to):
                    self._below[directory].append(move)

    def hindered_by(self, path: str) -> Iterator[Move]:
        """Yield the files that cannot arrive while a file lives at ``path``: it is there, above them, or below."""
        return chain(self._at.get(path, ()), self._below.get(path, ()), *(self._at.get(up, ()) for up in _above(path)))


def obstructed(moves: Sequence[Move], live: Mapping[str, MemoryEntry], given_up: Collection[int] = ()) -> set[int]:
    """Return the files that something stands in the way of: what stays where it is, or another one that arrives.

    Of two that hinder each other the first arrives. ``live`` is what lives at the paths of all that arrive, and above
    those. An obstructed file that is among the ``given_up`` stays too, in the way of others; the rest get another path.
    """
    leaving = {move.at for move in moves if move.leaves}
    left = Counter(directory for path in leaving for directory in _above(path))
    arrivals = Arrivals(moves)
    hindered: set[int] = set()
    claimed: set[str] = set()
    holding: set[str] = set()
    stuck: deque[Move] = deque()
    for move in moves:
        if not move.arrives:
            continue
        above = set(_above(move.to))
        is_claimed = move.to in claimed or move.to in holding or not claimed.isdisjoint(above)
        if is_claimed or _is_taken(move.to, live, leaving, left):
            stuck.append(move)
        else:
            claimed.add(move.to)
            holding |= above
    while stuck:
        move = stuck.popleft()
        if move.file in hindered:
            continue
        hindered.add(move.file)
        if move.file in given_up and move.leaves:
            stuck += arrivals.hindered_by(move.at)
    return hindered


def _is_taken(path: str, live: Mapping[str, MemoryEntry], leaving: Collection[str], left: Counter[str]) -> bool:
    """Say whether something lives at the path that does not leave it itself, or a file where a directory has to be."""
    if any(up not in leaving and up in live and live[up].kind == Kind.FILE for up in _above(path)):
        return True
    holder = live.get(path)
    if holder is None:
        return False
    return path not in leaving if holder.kind == Kind.FILE else holder.file_count > left[path]


def in_order(moves: Sequence[Move]) -> Iterator[tuple[Move, bool]]:
    """Yield each file once it can arrive or leave, in the order given where none hinders another.

    None may be obstructed. Where files wait for each other in a ring, one comes first with True: it has to step aside,
    and comes again.
    """
    arrivals = Arrivals(moves)
    leaving = [move for move in moves if move.leaves]
    waits = Counter(hindered.file for move in leaving for hindered in arrivals.hindered_by(move.at))
    ready = deque(move for move in moves if move.file not in waits)
    waiting = {move.file: move for move in moves if move.file in waits}
    in_ring = (move for move in leaving if move.file in waiting)
    aside: set[int] = set()
    while ready or waiting:
        move = ready.popleft() if ready else next(in_ring)
        yield move, move.file in waiting
        if move.leaves and move.file not in aside:
            for hindered in arrivals.hindered_by(move.at):
                waits[hindered.file] -= 1
                if not waits[hindered.file]:
                    ready.append(waiting.pop(hindered.file))
        aside.add(move.file)


def _above(path: str) -> Iterator[str]:
    """Yield the directories that a path lies in, but for the root, which is always there."""
    return (directory for directory in directories(path) if directory != ROOT)
