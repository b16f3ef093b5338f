"""Places in pages: what apps register is shown in order, escaped unless it is safe."""

from collections import defaultdict
from collections.abc import Iterator

import pytest
from django.http import HttpRequest
from django.template import Context, Template
from django.utils.safestring import SafeString

from memdash.web import slots
from memdash.web.slots import RailItem


@pytest.fixture(autouse=True)
def no_fillers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start without the apps' own fillers."""
    monkeypatch.setattr(slots, "_fillers", defaultdict(list))
    yield


def shown(source: str) -> str:
    """Return what a template makes of a place."""
    return Template(source).render(Context({"request": HttpRequest()}))


def test_a_place_that_nobody_fills_is_empty() -> None:
    assert shown('{% slot "nowhere" %}') == ""


def test_fillers_come_in_their_order_and_nothing_is_left_out() -> None:
    slots.register("place", lambda request: "second", order=2)
    slots.register("place", lambda request: None)
    slots.register("place", lambda request: ["first ", "and "], order=1)

    assert shown('{% slot "place" %}') == "first and second"


def test_a_filler_registered_twice_counts_once() -> None:
    def filler(request: HttpRequest) -> str:
        return "once"

    slots.register("place", filler)
    slots.register("place", filler)

    assert shown('{% slot "place" %}') == "once"


def test_what_is_not_safe_is_escaped() -> None:
    slots.register("place", lambda request: "<b>")
    slots.register("place", lambda request: SafeString("<i>"))

    assert shown('{% slot "place" %}') == "&lt;b&gt;<i>"


def test_a_filler_gets_what_the_place_is_about() -> None:
    slots.register("place", lambda request, store: store.upper())

    assert shown('{% slot "place" store="tea" %}') == "TEA"


def test_a_template_may_take_the_parts_themselves() -> None:
    slots.register("place", lambda request: ["a", "b"])

    assert (
        shown('{% slot "place" as parts %}{{ parts|length }}{% for part in parts %}-{{ part }}{% endfor %}') == "2-a-b"
    )


@pytest.mark.parametrize(
    ("path", "leads"),
    [("/stores/", True), ("/stores/tea/files/", True), ("/stories/", False), ("/", False), ("/files/1/pin", True)],
)
def test_a_rail_item_is_current_on_its_page_and_those_below(path: str, leads: bool) -> None:
    item = RailItem("Stores", "/stores/", "folder", under=("/stores/", "/files/"))

    assert item.leads_to(path) is leads
