"""A store as it was at each of its changes."""

from collections.abc import Mapping
from random import Random

import pytest

from memories import store as memory
from memories.actors import Actor
from memories.commands import Command, Create, Delete, Rename, StrReplace
from memories.models import Blob, MemoryStore
from memories.moments import file_at, files_at
from memories.paths import MemoryPath
from memories.refusals import Refused
from tests.support.stores import content_of, files_of

PATHS = [
    MemoryPath(f"/memories/{name}") for name in ("a.md", "b.md", "dir", "dir/c.md", "dir/d.md", "dir0.md", "e/f/g.md")
]


def rebuilt(store: MemoryStore, seq: int) -> Mapping[str, bytes]:
    files = files_at(store, seq)
    contents = Blob.objects.in_bulk([file.blob_id for file in files if file.blob_id])
    return {file.path: content_of(contents[file.blob_id]) for file in files if file.blob_id}


def random_command(random: Random, number: int) -> Command:
    path, other = random.sample(PATHS, 2)
    made: Command = Create(path, f"line {number}\ncommon\n")
    return random.choice(
        [made, made, made, Delete(path), Rename(path, other), StrReplace(path, "common", f"c {number}")]
    )


@pytest.mark.parametrize("seed", range(3))
def test_every_moment_of_a_random_history_is_rebuilt_byte_for_byte(store: MemoryStore, agent: Actor, seed: int) -> None:
    random, taken = Random(seed), {0: files_of(store)}
    for number in range(200):
        try:
            memory.apply(store.pk, random_command(random, number), actor=agent)
        except Refused:
            continue
        store.refresh_from_db()
        taken[store.seq] = files_of(store)

    assert len(taken) > 30
    for seq, files in taken.items():
        assert rebuilt(store, seq) == files, seq


def test_a_part_of_the_store_is_asked_for_by_the_paths_of_then(store: MemoryStore, agent: Actor) -> None:
    _, _, _, inside, beside, look_alike, far = PATHS
    for path in (inside, beside, look_alike, far):
        memory.apply(store.pk, Create(path, "x\n"), actor=agent)
    memory.apply(store.pk, Rename(MemoryPath("/memories/dir"), MemoryPath("/memories/moved")), actor=agent)

    below = MemoryPath("/memories/dir")

    assert [file.path for file in files_at(store, 4, below=below)] == [inside.text, beside.text]
    assert files_at(store, 6, below=below) == []
    assert [file.path for file in files_at(store, 4, below=far)] == [far.text]


def test_one_file_is_found_where_it_lived_then(store: MemoryStore, agent: Actor) -> None:
    a, b = PATHS[:2]
    memory.apply(store.pk, Create(a, "x\n"), actor=agent)
    memory.apply(store.pk, Rename(a, b), actor=agent)
    memory.apply(store.pk, Delete(b), actor=agent)
    entry = files_at(store, 1)[0].entry_id

    found = [file_at(store, seq, entry) for seq in range(4)]

    assert [file and file.path for file in found] == [None, a.text, b.text, None]
