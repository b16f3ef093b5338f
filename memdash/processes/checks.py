"""What ``memdash doctor`` looks at. No finding shows a secret: of keys only whether they are set, of URLs the host."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from django.db import DatabaseError, connection
from django.utils import timezone

from agents import jobs
from agents.claude.addresses import AddressRefused, NameUnknown, check_base_url
from agents.jobs import SILENT_ROUNDS
from agents.models import Run, RunState
from memdash.config import Config, variable
from memdash.processes import folder
from memdash.processes.database import UNMIGRATED, lacks_migrations
from memdash.processes.port import is_loopback
from memdash.terminal import printable, trouble

ANSWER_SECONDS = 3
OURS_IN_TESTS = {"MEMDASH_TEST_REQUIRE"}
OURS_IN_PROGRAMS_ELSEWHERE = {"MEMDASH_URL", "MEMDASH_STORE", "MEMDASH_TOKEN"}


class Verdict(StrEnum):
    OK = "ok"
    NOTE = "note"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; only FAIL means that something does not work."""

    verdict: Verdict
    about: str
    words: str


def examine(config: Config) -> Iterator[Finding]:
    """Yield what each check finds, in the order in which an operator would mend things."""
    yield from _settings()
    yield from _data_folder(config)
    database = _database(config)
    yield database
    if config.redis_url:
        yield _redis(config)
    if database.verdict is Verdict.OK:
        yield _worker(config)
        yield from _waiting(config)
    yield _key(config)
    yield _base_url(config)
    yield _address(config)


def _settings() -> Iterator[Finding]:
    known = {variable(name) for name in Config.model_fields} | OURS_IN_TESTS | OURS_IN_PROGRAMS_ELSEWHERE
    for name in sorted(set(os.environ) - known):
        if name.startswith("MEMDASH_"):
            yield Finding(
                Verdict.NOTE, "settings", f"{printable(name)} is set; docs/settings.md knows no such setting."
            )


def _data_folder(config: Config) -> Iterator[Finding]:
    place = config.data
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        yield Finding(Verdict.FAIL, "data folder", f"{place} cannot be read and written by this user.")
    elif folder.is_open(place):
        yield Finding(Verdict.NOTE, "data folder", f"{place} is open to others on this machine: chmod 700 {place}")
    else:
        yield Finding(Verdict.OK, "data folder", f"{place}, closed to others")


def _database(config: Config) -> Finding:
    name = place_of(config.database_url) if config.database_url else f"SQLite {connection.settings_dict['NAME']}"
    try:
        lacking = lacks_migrations()
    except DatabaseError as error:
        return Finding(Verdict.FAIL, "database", f"{name}: {trouble(error)}")
    if lacking:
        return Finding(Verdict.FAIL, "database", f"{name}: {UNMIGRATED}")
    return Finding(Verdict.OK, "database", f"{name}, all migrations applied")


def _redis(config: Config) -> Finding:
    from redis import Redis, RedisError  # noqa: PLC0415  (only of use beside Redis)

    name = place_of(config.redis_url)
    try:
        Redis.from_url(config.redis_url, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=ANSWER_SECONDS).ping()
    except RedisError as error:
        return Finding(Verdict.FAIL, "redis", f"{name} does not answer ({type(error).__name__}). Check REDIS_URL.")
    return Finding(Verdict.OK, "redis", name)


def _worker(config: Config) -> Finding:
    """Judge by the periodic jobs: a live worker claims one at least each ``reconcile_seconds``."""
    holder = folder.holder(config.data)
    where = f"memdash up, process {holder['pid']}" if holder and holder.get("pid") else "the worker"
    silent = jobs.silent_for()
    if silent is None:
        return Finding(Verdict.NOTE, "worker", "none has been at work here yet")
    words = f"{where}: last periodic job {silent:,.0f} s ago"
    if jobs.is_at_work(silent):
        return Finding(Verdict.OK, "worker", words)
    if config.redis_url or holder:
        remedy = "Is memdash beat running, and memdash worker -Q default?" if config.redis_url else "Start it again."
        return Finding(Verdict.FAIL, "worker", f"{words}. {remedy}")
    return Finding(Verdict.NOTE, "worker", f"not running; {words}")


def _waiting(config: Config) -> Iterator[Finding]:
    """Tell of runs that no worker takes; that may be right, when all of them are busy."""
    long_ago = timezone.now() - timedelta(seconds=SILENT_ROUNDS * config.reconcile_seconds)
    waiting = Run.objects.filter(state=RunState.QUEUED, updated_at__lt=long_ago).count()
    if waiting:
        command = "memdash worker -Q runs" if config.redis_url else "memdash up"
        runs = f"{waiting:,} run{'s' if waiting > 1 else ''}"
        yield Finding(
            Verdict.NOTE, "queue", f"{runs} wait{'' if waiting > 1 else 's'} for a worker. Is {command} running?"
        )


def _key(config: Config) -> Finding:
    if config.anthropic_api_key.get_secret_value():
        return Finding(Verdict.OK, "key", "ANTHROPIC_API_KEY is set")
    return Finding(Verdict.NOTE, "key", "ANTHROPIC_API_KEY is not set, so only the scripted demo model can run.")


def _base_url(config: Config) -> Finding:
    if not config.anthropic_base_url:
        return Finding(Verdict.OK, "model address", "Anthropic's own")
    try:
        check_base_url(config.anthropic_base_url, allow_private=config.allow_private_base_url)
    except (AddressRefused, NameUnknown) as refused:
        return Finding(Verdict.FAIL, "model address", str(refused))
    return Finding(Verdict.OK, "model address", f"{place_of(config.anthropic_base_url)} may be called")


def _address(config: Config) -> Finding:
    if config.debug:
        return Finding(Verdict.FAIL, "pages", "MEMDASH_DEBUG is on, so error pages show memory. Turn it off.")
    if config.tls:
        return Finding(Verdict.OK, "pages", f"{config.public_url}, cookies over TLS only")
    if is_loopback(config.host):
        served = (folder.holder(config.data) or {}).get("address") or f"http://{config.host}:{config.port}"
        return Finding(Verdict.OK, "pages", f"{served}, from this machine only")
    if config.allow_plain_http:
        return Finding(Verdict.NOTE, "pages", f"{config.host} without TLS: others may read passwords on the way.")
    return Finding(Verdict.FAIL, "pages", f"{config.host} without TLS is refused. Set MEMDASH_PUBLIC_URL.")


def place_of(url: str) -> str:
    """Return scheme, host, port and path of a URL, without the name, password and options in it."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"
