"""What tests of the client start from."""

import pytest

from memdash import client


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client try again at once, and know nothing from the environment."""
    monkeypatch.setattr(client, "PAUSES", (0.0, 0.0, 0.0))
    for name in ("URL", "STORE", "TOKEN"):
        monkeypatch.delenv(f"MEMDASH_{name}", raising=False)
