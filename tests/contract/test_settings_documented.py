"""Every setting has its row in docs/settings.md, and a wrong one is told by its name."""

from pathlib import Path

import pytest
from django.conf import settings
from pydantic_core import PydanticUndefined

from memdash.config import Config, WrongSetting, variable

DOCUMENT = settings.BASE_DIR / "docs" / "settings.md"


def row(name: str) -> str:
    """Return the row of the table for a field, as the document must hold it."""
    field = Config.model_fields[name]
    if name == "data":
        default = "the platform's folder for user data"
    elif isinstance(field.default, bool):
        default = f"`{'on' if field.default else 'off'}`"
    else:
        plain = field.default.get_secret_value() if hasattr(field.default, "get_secret_value") else field.default
        default = f"`{plain}`" if plain not in ("", (), PydanticUndefined) else ""
    return f"| `{variable(name)}` | {default} | {field.description} |".replace("|  |", "| |")


@pytest.mark.parametrize("name", sorted(Config.model_fields))
def test_each_setting_stands_in_the_document_with_its_default_and_meaning(name: str) -> None:
    assert row(name) in DOCUMENT.read_text().splitlines()


def test_the_document_names_no_setting_that_does_not_exist() -> None:
    rows = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]

    assert rows == [row(name) for name in Config.model_fields]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("MEMDASH_PORT", "80000", "MEMDASH_PORT must be less than or equal to 65535."),
        ("MEMDASH_PORT", "http", "MEMDASH_PORT must be a valid integer"),
        ("MEMDASH_DEBUG", "perhaps", "MEMDASH_DEBUG must be a valid boolean"),
        ("MEMDASH_SECRET_KEY", "short-and-secret", "MEMDASH_SECRET_KEY must have at least 50 characters"),
        ("MEMDASH_PUBLIC_URL", "memory.example.org", "MEMDASH_PUBLIC_URL must be https://name"),
        ("MEMDASH_PUBLIC_URL", "https://memory.example.org", "needs MEMDASH_TRUSTED_PROXIES"),
        ("MEMDASH_RENEW_SECONDS", "60", "MEMDASH_RENEW_SECONDS must be below MEMDASH_LEASE_SECONDS"),
        ("DATABASE_URL", "mysql://user:hunter2@db/x", "DATABASE_URL must be postgresql://"),
        ("REDIS_URL", "amqp://user:hunter2@mq", "REDIS_URL must be redis://"),
    ],
)
def test_a_wrong_value_is_told_by_its_variable_and_rule_and_never_repeated(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(WrongSetting) as wrong:
        Config.read()

    assert words in str(wrong.value)
    assert "hunter2" not in str(wrong.value)
    assert "short-and-secret" not in str(wrong.value)


def test_redis_with_sqlite_is_refused_with_both_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:6379/0")

    with pytest.raises(WrongSetting, match=r"Set DATABASE_URL, or unset REDIS_URL and start memdash up\."):
        Config.read()


def test_every_wrong_variable_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDASH_PORT", "-1")
    monkeypatch.setenv("MEMDASH_LEASE_SECONDS", "0")

    with pytest.raises(WrongSetting) as wrong:
        Config.read()

    assert [line.split()[0] for line in str(wrong.value).splitlines()] == ["MEMDASH_PORT", "MEMDASH_LEASE_SECONDS"]


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDASH_PORT", "")

    assert Config.read().port == 8787


def test_the_data_folder_may_begin_with_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMDASH_DATA", "~/memory")

    assert Config.read().data == tmp_path / "memory"


def test_a_representation_of_the_settings_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-hunter2")
    monkeypatch.setenv("DATABASE_URL", "postgresql://user:hunter2@db/x")
    monkeypatch.setenv("REDIS_URL", "redis://:hunter2@mq/0")

    assert "hunter2" not in repr(Config.read())
