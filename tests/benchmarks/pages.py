"""What a fragment of the tree costs: processor time of the whole request, and bytes."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.measure import Line, processor_time
from tests.benchmarks.subject import product

ROWS = 100
ROUNDS = 50
CPU_MS = 10
KILOBYTES = 25


def lines() -> Iterator[Line]:
    """Ask for a directory of 100 files as a browser does that opens it in the tree."""
    with TemporaryDirectory(prefix="memdash-pages-") as name:
        subject = product(Path(name))
        subject.seed((f"/memories/customers/customer-{number:03d}.md", "- tea\n" * number) for number in range(ROWS))
        from django.contrib.auth import get_user_model
        from django.test import Client
        from django.urls import reverse

        browser = Client(headers={"HX-Request": "true", "Host": "localhost"})
        browser.force_login(get_user_model().objects.create_superuser("operator"))
        url = reverse("memories:tree", kwargs={"slug": "benchmark", "path": "customers"})
        response = browser.get(url)
        assert response.status_code == 200 and response.content.count(b"</li>") == ROWS
        yield processor_time(
            f"fragment of {ROWS} tree rows, processor time", CPU_MS, lambda _: browser.get(url), ROUNDS
        )
        yield Line(f"fragment of {ROWS} tree rows, size", KILOBYTES, len(response.content) / 1024, " KB")
        subject.close()
