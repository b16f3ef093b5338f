"""The memory that the scripted demo model works with in these tests: files in a directory."""

from pathlib import Path

import pytest

from tests.support.demo import Tool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the directory of the memory's files, which the tool makes."""
    return tmp_path / "memories"


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    """Return the SDK's own tool over that directory."""
    from anthropic.tools import BetaLocalFilesystemMemoryTool

    return BetaLocalFilesystemMemoryTool(str(tmp_path))
