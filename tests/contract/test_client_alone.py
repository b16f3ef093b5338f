"""The client's file works in a program that has nothing but ``anthropic`` installed."""

import re
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.memory_server import STORE, TOKEN, answering, says

PROGRAM = """
import sys

sys.path.insert(0, sys.argv[1])
from memory import AsyncMemdashMemoryTool, MemdashMemoryTool, call_memory

found = {name.partition(".")[0] for name in sys.modules}
assert not found & {"django", "memdash", "memories", "agents"}, found
url, store, token = sys.argv[2:]
print(MemdashMemoryTool(url=url, store=store, token=token).call({"command": "view", "path": "/memories"}))
"""
HERE = """
import sys

import memdash.client

print(*sorted({name.partition(".")[0] for name in sys.modules} & {"django", "memories", "agents", "celery", "ninja"}))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a copy of the client, the SDK and what the SDK needs, and nothing else."""
    shutil.copyfile(settings.BASE_DIR / "memdash" / "client.py", tmp_path / "memory.py")
    for package in needed("anthropic", {}).values():
        for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            (tmp_path / name).symlink_to(Path(str(package.locate_file(name))))
    return tmp_path


def needed(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """Return the distribution of that name, and all that it needs without extras, by their names."""
    if name not in found:
        found[name] = distribution(name)
        for requirement in found[name].requires or ():
            if "extra ==" not in requirement:
                try:
                    needed(re.split(r"[^\w.-]", requirement, maxsplit=1)[0].replace("_", "-"), found)
                except PackageNotFoundError:
                    continue  # for another system or Python
    return found


def run(*arguments: str) -> str:
    """Run Python without any packages but those it is told of and return what it printed."""
    ran = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_copy_of_the_file_works_beside_the_sdk_alone(folder: Path) -> None:
    with answering(says("Here you are.")) as server:
        said = run("-I", "-S", "-W", "error", "-c", PROGRAM, str(folder), server.url, STORE, TOKEN)

    assert said == "Here you are.\n"
    assert not (folder / "django").exists()


def test_importing_it_from_an_installation_starts_nothing_of_ours() -> None:
    assert run("-c", HERE) == "\n"
