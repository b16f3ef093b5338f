"""Figures and times read as the design says."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.template import Context, Template

from memdash.web import formats

NOW = datetime(2026, 12, 2, 9, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0B"),
        (812, "812B"),
        (1023, "1023B"),
        (1024, "1.0K"),
        (1536, "1.5K"),
        (4096, "4.0K"),
        (104_857_600, "100.0M"),
        (5 * 1024**3, "5.0G"),
    ],
)
def test_sizes_read_as_the_tool_prints_them(size: int, words: str) -> None:
    assert formats.filesize(size) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0"), (1200, "1,200"), (-3, "−3"), (1_000_000, "1,000,000")])
def test_numbers_have_commas_and_a_true_minus(number: int, words: str) -> None:
    assert formats.thousands(number) == words


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=26), "26 min ago"),
        (timedelta(hours=5, minutes=59), "5 h ago"),
        (timedelta(days=5), "27 Nov"),
        (timedelta(days=400), "28 Oct 2025"),
        (timedelta(minutes=-6, seconds=-5), "in 6 min"),
        (timedelta(days=-90), "2 Mar 2027"),
    ],
)
@time_machine.travel(NOW, tick=False)
def test_times_are_relative_within_a_day(passed: timedelta, words: str) -> None:
    assert formats.ago(NOW - passed) == words


@time_machine.travel(NOW, tick=False)
def test_a_time_on_a_page_tells_the_exact_one_too() -> None:
    html = Template("{{ moment|ago }}").render(Context({"moment": NOW - timedelta(minutes=26)}))

    assert html == '<time datetime="2026-12-02T08:48:30+00:00" title="2 Dec 2026, 08:48:30 UTC">26 min ago</time>'


@pytest.mark.parametrize(
    ("value", "limit", "words"),
    [(0, 100, "0%"), (1, 1000, "<1%"), (94, 100, "94%"), (999, 1000, "99%"), (5, 5, "100%")],
)
def test_a_share_is_full_only_when_it_is(value: int, limit: int, words: str) -> None:
    assert formats.share(value, limit) == words


@pytest.mark.parametrize(
    ("value", "tone", "words"), [(89, 'class="v"', "89% of 100B"), (90, 'class="v hi"', "90% of 100B")]
)
def test_a_meter_turns_amber_at_ninety_percent_and_names_the_limit(value: int, tone: str, words: str) -> None:
    html = Template("{% meter value 100 %}").render(Context({"value": value}))

    assert tone in html
    assert words in html


def test_a_meter_of_files_counts_files() -> None:
    assert "29% of 10,000 files" in Template('{% meter 2940 10000 "files" %}').render(Context())


def test_a_named_icon_is_an_image_and_a_plain_one_is_hidden() -> None:
    html = Template('{% icon "pin" "pinned" %}{% icon "pin" %}').render(Context())

    assert 'role="img" aria-label="pinned"' in html
    assert html.count('aria-hidden="true"') == 1
