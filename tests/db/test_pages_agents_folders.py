"""What the list of agents says of one whose folder is followed."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents import folders
from agents.making import create_agent
from agents.models import Place, WatchedFolder
from tests.support.people import browser_of, operator

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return operator()


@pytest.fixture
def browser(ada: User) -> Client:
    return browser_of(ada)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"problem": "/srv/helper is not there."}, "Folder needs a look"),
        ({"waiting": [["a.md", "locked"]], "waiting_count": 1}, "1 file not taken"),
        ({"waiting": [["a.md", "locked"], ["b.md", "locked"]], "waiting_count": 2}, "2 files not taken"),
    ],
)
def test_an_agent_whose_folder_is_in_trouble_needs_somebody_and_stands_first(
    ada: User, browser: Client, tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    create_agent(name="Another")
    agent = create_agent(name="Pipeline", place=Place.FOLDER)
    folders.register(agent, str(tmp_path), ada)
    assert words not in browser.get("/agents/").content.decode()
    WatchedFolder.objects.update(**changes)

    page = browser.get("/agents/").content.decode()
    needy = browser.get("/agents/?need=1").content.decode()

    assert words in page
    assert page.index("Pipeline</bdi></a>") < page.index("Another</bdi></a>")
    assert "Pipeline</bdi></a>" in needy
    assert "Another</bdi></a>" not in needy
