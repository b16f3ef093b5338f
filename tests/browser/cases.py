"""Which pages there are to open: each app's ``cases_<app>`` module has rows to make and an address for every route.

A module has ``CASES``, its routes with how to open them; ``POST_ONLY``, its routes that answer no GET; and, if its
pages show rows, ``seed(size)``, which makes none, one or a thousand of each kind.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import tests.browser

SIZES = (0, 1, 1000)


@dataclass(frozen=True)
class Case:
    """How to open a route: its path once rows are there, or None when there is nothing to show at this size.

    A part of a page is looked at for what it loads; only whole pages are measured by axe. A stream or a download is
    no page to open (``shown=False``); its headers and who may have it are tested elsewhere.
    """

    path: Callable[[], str | None]
    whole: bool = True
    signed_in: bool = True
    shown: bool = True
    status: int = 200


def modules() -> list[ModuleType]:
    """Return the apps' modules of cases."""
    names = sorted(found.name for found in pkgutil.iter_modules(tests.browser.__path__))
    return [importlib.import_module(f"tests.browser.{name}") for name in names if name.startswith("cases_")]


def cases() -> dict[str, Case]:
    """Return the case of every route that has one."""
    return {name: case for module in modules() for name, case in module.CASES.items()}


def post_only() -> set[str]:
    """Return the routes that answer POST alone."""
    return {name for module in modules() for name in module.POST_ONLY}


def seed(size: int) -> None:
    """Make rows for every app's pages."""
    for module in modules():
        if hasattr(module, "seed"):
            module.seed(size)
