"""A store with a long past: many files, each written many times, with moves and deletions between."""

from itertools import count

from memories import store as memory
from memories.actors import Actor
from memories.commands import Command, Delete, ImportFile, Rename
from memories.models import MemoryStore
from memories.paths import MemoryPath

AT_ONCE = 2_000


def with_history(store: MemoryStore, actor: Actor, *, files: int, versions: int) -> None:
    """Write ``files`` files into the store, in directories of 50, until it has had ``versions`` changes.

    One change in twenty moves a file to another directory, and some delete one that comes again.
    """
    places = [MemoryPath(f"/memories/customers/group-{n // 50:03}/customer-{n:05}.md") for n in range(files)]
    live = [False] * files
    done, numbers = 0, count()
    while done < versions:
        with memory.locked(store.pk) as tx:
            for _ in range(min(AT_ONCE, versions - done)):
                number = next(numbers)
                file, lap = number % files, number // files
                path = places[file]
                command: Command
                if live[file] and lap % 20 == 7:
                    places[file] = MemoryPath(f"/memories/moved/{lap}/{path.name}")
                    command = Rename(path, places[file])
                elif live[file] and lap % 20 == 13 and file % 10 == 0:
                    command = Delete(path)
                else:
                    text = f"# {path.name}\n- lap {lap}\n" + "- tea\n" * ((file + lap) % 40)
                    command = ImportFile(path, text.encode())
                live[file] = not isinstance(command, Delete)
                tx.apply(command, actor=actor)
                done += 1
    store.refresh_from_db()
