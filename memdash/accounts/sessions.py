"""The session engine: rows that know whose they are and end after 12 hours of rest or 7 days at most."""

from datetime import datetime, timedelta
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db import OperationalError
from django.http import HttpRequest
from django.utils import timezone

from memdash.accounts.browsers import browser_name
from memdash.accounts.models import Session
from memdash.web.passing import in_passing

TOUCH_AFTER = timedelta(minutes=1)


class SessionStore(DatabaseStore):
    """Sessions in the database, with the person, browser and times in columns of their own."""

    _known: dict[str, Any] | None = None

    def __init__(self, session_key: str | None = None) -> None:
        """Begin with the session of a key. A key that is none of ours is not looked for: a cookie can hold U+0000."""
        super().__init__(session_key if session_key and session_key.isascii() and session_key.isalnum() else None)

    def load(self) -> dict[str, Any]:
        """Return the session's data, empty for one that has ended."""
        data = super().load()
        self._known = _but_use(data)
        return data

    def save(self, must_create: bool = False) -> None:
        """Write the session. A note of its last use alone is lost where others write for longer than a moment."""
        if must_create or self.session_key is None or _but_use(dict(self.items())) != self._known:
            self._write(must_create)
        else:
            in_passing(self._write)

    def _write(self, must_create: bool = False) -> None:
        try:
            super().save(must_create)
        except UpdateError as error:
            # Django says of a database that is busy, too, that the session was ended elsewhere.
            if isinstance(error.__context__, OperationalError):
                raise error.__context__ from None
            raise
        self._known = _but_use(dict(self.items()))

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """Return the model of the rows."""
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """Return the row for the session's data."""
        row = cast("Session", super().create_model_instance(data))
        row.user_id = data.get(SESSION_KEY)
        row.started_at = _moment(data.get("started"))
        row.seen_at = _moment(data.get("seen"))
        row.address = data.get("address")
        row.browser = data.get("browser", "")
        return row

    def get_expiry_age(self, **kwargs: Any) -> int:  # noqa: ARG002 (what Django passes is about expiry it decides)
        """Return the seconds this session may still rest, no more than what is left of its longest life."""
        longest: float = settings.SESSION_COOKIE_AGE
        if started := _moment(self.get("started")):
            longest -= (timezone.now() - started).total_seconds()
        return max(0, int(min(longest, settings.MEMDASH_SESSION_IDLE_SECONDS)))

    def get_expiry_date(self, **kwargs: Any) -> datetime:  # noqa: ARG002 (as above)
        """Return when this session ends unless it is used before."""
        return timezone.now() + timedelta(seconds=self.get_expiry_age())


def note_start(request: HttpRequest, **_: Any) -> None:
    """Note in a session that just began what its owner will want to recognise it by."""
    now = timezone.now().isoformat()
    agent = request.headers.get("User-Agent", "")
    request.session.update(
        {
            "started": now,
            "seen": now,
            "address": request.META.get("REMOTE_ADDR") or None,
            "browser": browser_name(agent),
        }
    )
    SessionStore.clear_expired()


def touch(request: HttpRequest) -> None:
    """Note that the session is in use, at most once a minute, which also puts off its end."""
    seen = _moment(request.session.get("seen"))
    if seen and timezone.now() - seen >= TOUCH_AFTER:
        request.session["seen"] = timezone.now().isoformat()


def end_others(user: User, request: HttpRequest) -> int:
    """End the person's sessions in other browsers and return how many there were."""
    ended, _ = Session.objects.filter(user=user).exclude(session_key=request.session.session_key).delete()
    return ended


def _but_use(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != "seen"}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
