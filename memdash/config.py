"""Every setting an operator may give, read once from the environment and checked by type."""

import secrets
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

Seconds = Annotated[float, Field(gt=0)]


class Config(BaseSettings):
    """The operator's settings; a wrong value stops the start with the name of the variable."""

    model_config = SettingsConfigDict(env_prefix="MEMDASH_", extra="ignore", frozen=True)

    data: Path = Field(default_factory=lambda: user_data_path("memdash"))
    database_url: str = Field(default="", validation_alias="DATABASE_URL")
    redis_url: str = Field(default="", validation_alias="REDIS_URL")
    anthropic_api_key: SecretStr = Field(default=SecretStr(""), validation_alias="ANTHROPIC_API_KEY")
    anthropic_base_url: str = Field(default="", validation_alias="ANTHROPIC_BASE_URL")
    allow_private_base_url: bool = False

    host: str = "127.0.0.1"
    port: int = Field(default=8787, ge=0, le=65535)
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    trusted_origins: Annotated[tuple[str, ...], NoDecode] = ()
    debug: bool = False
    secret_key: SecretStr = SecretStr("")
    sqlite_synchronous: Literal["FULL", "NORMAL"] = "FULL"

    lease_seconds: Seconds = 60
    renew_seconds: Seconds = 15
    reconcile_seconds: Seconds = 15

    @cached_property
    def secret(self) -> str:
        """Return the secret key: the one given, else the data folder's, made there at the first start (mode 0600)."""
        if given := self.secret_key.get_secret_value():
            return given
        file = self.data / "secret-key"
        if not file.exists():
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(64))
        return file.read_text().strip()
