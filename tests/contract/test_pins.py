"""What is installed is what pyproject.toml pins, and nothing in it says where packages come from."""

import re
import tomllib
from importlib.metadata import distributions

from django.conf import settings
from packaging.requirements import Requirement

PROJECT = settings.BASE_DIR / "pyproject.toml"
# Ours, and what virtual environments may bring along by themselves.
UNPINNED = {"memdash", "pip", "setuptools", "wheel", "uv"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    constraints = tomllib.loads(PROJECT.read_text())["tool"]["uv"]["constraint-dependencies"]
    return {canonical(pin.name): str(pin.specifier) for pin in map(Requirement, constraints)}


def test_every_installed_package_is_pinned_to_the_version_that_is_installed() -> None:
    installed = {canonical(each.name): f"=={each.version}" for each in distributions()}

    loose = {name: version for name, version in installed.items() if pins().get(name) != version}

    assert not {name: version for name, version in loose.items() if name not in UNPINNED}, "run .ci/pins"


def test_every_pin_is_one_exact_version() -> None:
    assert [pin for pin in pins().values() if not re.fullmatch(r"==[^*,]+", pin)] == []


def test_every_dependency_we_name_is_pinned() -> None:
    project = tomllib.loads(PROJECT.read_text())
    named = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]

    assert {canonical(Requirement(each).name) for each in named} <= set(pins())


def test_no_package_index_is_named() -> None:
    assert "index" not in tomllib.loads(PROJECT.read_text())["tool"]["uv"]
    assert "://" not in PROJECT.read_text()
