"""Every setting an operator may give, read once from the environment and checked by type."""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from memdash.processes import folder

Seconds = Annotated[float, Field(gt=0)]
Names = Annotated[tuple[str, ...], NoDecode]


class WrongSetting(Exception):
    """A setting has a value it may not have; the text names the variable and the rule, one line for each."""


class Config(BaseSettings):
    """The operator's settings. Each field's description is its row in ``docs/settings.md``."""

    model_config = SettingsConfigDict(
        env_prefix="MEMDASH_", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    data: Path = Field(
        default_factory=lambda: user_data_path("memdash"),
        description="Data folder: SQLite database, secret key, lock. Made with mode 0700.",
    )
    database_url: str = Field(
        default="",
        validation_alias="DATABASE_URL",
        repr=False,
        description="PostgreSQL, as postgresql://user:password@host:port/name?sslmode=require."
        " Empty: SQLite in the data folder.",
    )
    redis_url: str = Field(
        default="",
        validation_alias="REDIS_URL",
        repr=False,
        description="Redis, as redis://host:port/0 or rediss://…, for web, worker and beat as processes of their own."
        " Empty: all in one process.",
    )
    anthropic_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias="ANTHROPIC_API_KEY", description="Key for runs of Claude."
    )
    anthropic_base_url: str = Field(
        default="",
        validation_alias="ANTHROPIC_BASE_URL",
        description="Another address of the Messages API. https, and public unless the next setting is on.",
    )
    allow_private_base_url: bool = Field(
        default=False,
        description="Whether ANTHROPIC_BASE_URL may be http or lead to a private, loopback or link-local address.",
    )

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8787, ge=0, le=65535, description="Port to listen on, 0 to 65535; 0 takes a free one.")
    public_url: str = Field(
        default="",
        description="Address people open when a proxy stands in front, as https://memory.example.org."
        " With https, cookies travel over TLS only and http is redirected.",
    )
    trusted_proxies: Names = Field(
        default=(),
        description="Addresses of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, by comma.",
    )
    allowed_hosts: Names = Field(default=(), description="Further host names under which pages are served, by comma.")
    allow_plain_http: bool = Field(
        default=False,
        description="Whether to serve without TLS beyond this machine, where others may read passwords on the way."
        " The names people use go into MEMDASH_ALLOWED_HOSTS.",
    )
    hsts_seconds: int = Field(
        default=86400,
        ge=0,
        description="With https in MEMDASH_PUBLIC_URL: how long browsers refuse plain http (HSTS); 0 sends no header.",
    )
    secret_key: SecretStr = Field(
        default=SecretStr(""),
        description="Signs sessions and links, at least 50 characters. Processes on several machines need the same."
        " Empty: made in the data folder at the first start, mode 0600.",
    )

    sqlite_synchronous: Literal["FULL", "NORMAL"] = Field(
        default="FULL",
        description="NORMAL is faster and may lose the last commits at a power cut; nothing is corrupted.",
    )
    token_calls_per_minute: int = Field(
        default=12_000,
        gt=0,
        description="How many calls a minute one token may make. Each process that serves pages counts for itself.",
    )
    lease_seconds: Seconds = Field(
        default=60, description="How long a claim on a run or a watched folder lasts without renewal."
    )
    renew_seconds: Seconds = Field(default=15, description="How often it is renewed; below the lease.")
    reconcile_seconds: Seconds = Field(default=15, description="How often lost and interrupted runs are looked for.")
    watch_seconds: Seconds = Field(
        default=15,
        description="How often a watched folder is looked through even when the system told of no change in it.",
    )
    idle_seconds: Seconds = Field(
        default=60, description="How long the model may be silent before a request is given up and asked again."
    )
    turn_seconds: Seconds = Field(
        default=1800, description="How long one answer may take in all before the request is given up and asked again."
    )
    retry_seconds: Seconds = Field(
        default=4, description="Wait before a failed request is asked again; it doubles with each failure."
    )
    longest_wait_seconds: Seconds = Field(
        default=3600, description="Longest such wait, also where the model API asks for more."
    )
    demo_pace: float = Field(
        default=0.03,
        ge=0,
        description="How long the scripted demo model waits between two pieces of a streamed answer, in seconds.",
    )

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Least level of log lines. Above DEBUG they hold no memory text."
    )
    debug: bool = Field(default=False, description="Error pages with detail, for those who work on memdash only.")

    @classmethod
    def read(cls) -> Self:
        """Return the settings of this environment; raise WrongSetting naming each variable that is wrong."""
        try:
            return cls()
        except ValidationError as wrong:
            raise WrongSetting("\n".join(_sentence(error) for error in wrong.errors())) from None

    @field_validator("trusted_proxies", "allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("data")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("database_url")
    @classmethod
    def _postgresql(cls, value: str) -> str:
        url = urlsplit(value)
        if value and (url.scheme not in {"postgres", "postgresql"} or not url.path.strip("/")):
            raise ValueError("must be postgresql://user:password@host:port/name; for SQLite leave it empty")
        return value

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: str) -> str:
        if value and urlsplit(value).scheme not in {"redis", "rediss"}:
            raise ValueError("must be redis://host:port/number, or rediss:// over TLS")
        return value

    @field_validator("public_url")
    @classmethod
    def _origin(cls, value: str) -> str:
        url = urlsplit(value.rstrip("/"))
        if value and (url.scheme not in {"http", "https"} or not url.hostname or url.path or url.query):
            raise ValueError("must be https://name or http://name, with a port if need be and without a path")
        return value.rstrip("/")

    @field_validator("secret_key")
    @classmethod
    def _long(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < 50:
            raise ValueError("must have at least 50 characters; leave it empty to have one made")
        return value

    @model_validator(mode="after")
    def _together(self) -> Self:
        if self.redis_url and not self.database_url:
            raise ValueError(
                "REDIS_URL needs DATABASE_URL: separate processes share a PostgreSQL server, not an SQLite file."
                " Set DATABASE_URL, or unset REDIS_URL and start memdash up"
            )
        if self.tls and not self.trusted_proxies:
            raise ValueError(
                "MEMDASH_PUBLIC_URL with https needs MEMDASH_TRUSTED_PROXIES: the addresses of the proxy that ends TLS,"
                " such as 127.0.0.1"
            )
        if self.renew_seconds >= self.lease_seconds:
            raise ValueError("MEMDASH_RENEW_SECONDS must be below MEMDASH_LEASE_SECONDS")
        return self

    @property
    def tls(self) -> bool:
        """Return whether people reach the pages over https."""
        return self.public_url.startswith("https://")

    @cached_property
    def secret(self) -> str:
        """Return the secret key that was given, else the data folder's."""
        return self.secret_key.get_secret_value() or folder.secret_key(self.data)


def variable(name: str) -> str:
    """Return the environment variable of a field of :class:`Config`."""
    alias = Config.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"MEMDASH_{name.upper()}"


def _sentence(error: Any) -> str:
    # Never the value itself: it may be a password, and it is in the operator's own environment anyway.
    message = error["msg"].removeprefix("Value error, ").replace("Input should", "must")
    if not error["loc"]:
        return f"{message}."
    place = str(error["loc"][0])
    name = place if place not in Config.model_fields else variable(place)
    return f"{name} {message}."
