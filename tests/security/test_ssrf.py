"""Where the operator's key may be sent."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from agents.claude.addresses import AddressRefused, NameUnknown, check_base_url, is_public
from agents.claude.answers import Final, Transient
from agents.claude.endpoints import PUBLIC_URL, endpoint_for, obstacle

Row = dict[str, Any]

ROWS: list[Row] = json.loads(Path("tests/data/security/ssrf_urls.json").read_text())
PUBLIC = "93.184.216.34"


def is_accepted(row: Row, *, allow_private: bool) -> bool:
    """Return whether the row's address is accepted; names resolve as the row says, else to a public address."""
    answers = row.get("resolve_to", PUBLIC)
    literal = None if row["id"].startswith("b") else lambda _: [answers] if isinstance(answers, str) else answers
    try:
        check_base_url(row["url"], allow_private=allow_private, resolve=literal)
    except (AddressRefused, NameUnknown):
        return False
    return True


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_each_address_of_the_list_is_taken_or_refused_as_given_there(row: Row) -> None:
    assert is_accepted(row, allow_private=False) == (row["verdict"] == "accept")


@pytest.mark.parametrize("row", [row for row in ROWS if "setting" in row["verdict"]], ids=lambda row: row["id"])
def test_an_address_on_this_machine_is_taken_with_the_setting_for_it(row: Row) -> None:
    assert check_base_url(row["url"], allow_private=True) == row["url"]


def test_even_with_the_setting_the_key_goes_to_no_public_host_in_plain_text() -> None:
    with pytest.raises(AddressRefused, match="plain text"):
        check_base_url("http://api.example/", allow_private=True, resolve=lambda _: [PUBLIC])


@pytest.mark.parametrize(
    "address",
    [
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "fe80::1%eth0",
        "224.0.0.1",
        "ff02::1",
        "192.0.2.1",
    ],
)
def test_an_inner_address_is_seen_through_every_wrapping(address: str) -> None:
    assert not is_public(address)


def test_a_name_that_does_not_resolve_now_may_later() -> None:
    settings = {"MEMDASH_ANTHROPIC_API_KEY": "sk-made-up", "MEMDASH_ANTHROPIC_BASE_URL": "https://no-such-host.invalid"}
    with override_settings(**settings), pytest.raises(Transient, match="could not be resolved"):
        endpoint_for("claude-opus-5-5")


def test_a_refused_address_names_the_variable_and_the_way_out() -> None:
    settings = {"MEMDASH_ANTHROPIC_API_KEY": "sk-made-up", "MEMDASH_ANTHROPIC_BASE_URL": "https://127.0.0.1"}
    with override_settings(**settings), pytest.raises(Final, match="MEMDASH_ALLOW_PRIVATE_BASE_URL"):
        endpoint_for("claude-opus-5-5")


def test_without_a_key_claude_has_an_obstacle_that_names_the_demo_model_and_the_demo_model_has_none() -> None:
    with override_settings(MEMDASH_ANTHROPIC_API_KEY=""):
        assert "ANTHROPIC_API_KEY" in obstacle("claude-opus-5-5")
        assert "demo/support-desk" in obstacle("claude-opus-5-5")
        assert obstacle("demo/support-desk") == ""
    with override_settings(MEMDASH_ANTHROPIC_API_KEY="sk-made-up"):
        assert obstacle("claude-opus-5-5") == ""


def test_without_another_address_the_key_goes_to_anthropic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", (PUBLIC, 0))])
    with override_settings(MEMDASH_ANTHROPIC_API_KEY="sk-made-up", MEMDASH_ANTHROPIC_BASE_URL=""):
        endpoint = endpoint_for("claude-opus-5-5")

    assert endpoint.base_url == PUBLIC_URL
    assert "sk-made-up" not in repr(endpoint)
