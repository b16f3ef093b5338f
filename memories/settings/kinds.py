"""Kinds of things with settings: how a value is read, set and said, and who may set it.

A store knows no agent, so the kinds of agents are registered by the app that has them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar, Final, NamedTuple

from django.db import models

from memdash.web.formats import thousands
from memories.actors import Actor
from memories.models import MemoryStore

Plain = str | int | bool | None
"""A value as a row of an act keeps it."""

EXISTS: Final = "exists"
"""The field of a thing that is there or not: None before it was made."""


class Group(StrEnum):
    """What lists of acts tell apart."""

    SETTINGS = "settings"
    MEMBERS = "members"
    NOTES = "notes"


class Right(StrEnum):
    """What somebody has to be to set a value, and to read what it was."""

    WRITE = "write"
    OWN = "own"
    OPERATE = "operate"


class Change(NamedTuple):
    """One setting that an act changed; ``name`` is what the thing was called then."""

    kind: str
    key: str
    field: str
    before: Plain
    after: Plain
    name: str


class Said(NamedTuple):
    """An act in words around the name of what it changed: "changed the model of", "Support desk", ""."""

    verb: str
    name: str
    rest: str = ""
    url: str = ""


class Thing(NamedTuple):
    """What is set, in which store, and by whom; the key never changes."""

    store: MemoryStore | None
    key: str
    actor: Actor | None = None


class Kind(ABC):
    """One kind of thing with settings."""

    name: ClassVar[str]
    group: ClassVar[Group] = Group.SETTINGS
    right: ClassVar[Right] = Right.OWN
    labels: ClassVar[Mapping[str, str]] = {}
    """Each field in the words of its form."""

    briefly: ClassVar[Mapping[str, str]] = {}
    """The words for lists of acts where they differ; several fields may share one."""

    @abstractmethod
    def called(self, thing: Thing) -> str:
        """Return what the thing is called now."""

    @abstractmethod
    def read(self, thing: Thing) -> Mapping[str, Plain] | None:
        """Return what is set now, locked until the transaction ends; None where the thing is gone."""

    @abstractmethod
    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        """Set values, or raise Refused and set none."""

    @abstractmethod
    def url(self, thing: Thing) -> str:
        """Return the page of the thing."""

    def shown(self, field: str, value: Plain) -> str:
        """Return a value in words."""
        if field == EXISTS:
            return "there" if value else "not there"
        if value is None or value == "":
            return "none"
        if isinstance(value, bool):
            return "on" if value else "off"
        return thousands(value) if isinstance(value, int) else value

    def said(self, changes: Sequence[Change]) -> tuple[str, str]:
        """Return what was done, in words before the thing's name and after it."""
        for change in changes:
            if change.field == EXISTS:
                return "deleted" if not change.after else "made" if change.before is None else "brought back", ""
        briefly = dict.fromkeys(self.briefly.get(each.field, self.labels[each.field].lower()) for each in changes)
        *most, last = briefly
        return f"changed {', '.join(most)}{' and ' if most else ''}{last} of", ""


class RowKind(Kind):
    """Things that are rows, found by a column that never changes; their fields are columns."""

    model: ClassVar[type[models.Model]]
    column: ClassVar[str] = "slug"

    def called(self, thing: Thing) -> str:
        row = self.rows(thing).first()
        return str(row) if row else thing.key

    def read(self, thing: Thing) -> Mapping[str, Plain] | None:
        row = self.rows(thing).select_for_update().first()
        return self.values_of(row) if row else None

    def put(self, thing: Thing, values: Mapping[str, Plain]) -> None:
        self.rows(thing).update(**values)

    def rows(self, thing: Thing) -> "models.QuerySet[Any]":
        """Return the row of the thing, or none."""
        return self.model._default_manager.filter(**{self.column: thing.key})

    def values_of(self, row: Any) -> Mapping[str, Plain]:
        """Return what is set in a row."""
        return {field: plain(getattr(row, field)) for field in self.labels if field != EXISTS}


def plain(value: Any) -> Plain:
    """Return a value of a column as an act keeps it, equal values alike."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    assert value is None or isinstance(value, str | int | bool)
    return value


_kinds: Final[dict[str, Kind]] = {}


def register(kind: Kind) -> None:
    """Have settings of this kind changed, said and taken back."""
    _kinds[kind.name] = kind


def kind_of(name: str) -> Kind:
    """Return the kind of that name; raise KeyError for one that nobody registered."""
    return _kinds[name]


def names_in(group: Group) -> list[str]:
    """Return the names of the kinds in a group."""
    return [kind.name for kind in _kinds.values() if kind.group is group]


def said(store: MemoryStore | None, changes: Sequence[Change]) -> Said:
    """Return in words what an act changed; what it made on the way, such as a store for an agent, is left out."""
    last = next((change for change in reversed(changes) if change.field == EXISTS), changes[-1])
    kind = kind_of(last.kind)
    own = [change for change in changes if (change.kind, change.key) == (last.kind, last.key)]
    verb, rest = kind.said(own)
    return Said(verb, last.name, rest, kind.url(Thing(store, last.key)))
