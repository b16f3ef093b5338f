"""Markup and stylesheets agree: a class that nothing styles and no script looks for is a slip."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APPS = ("agents", "memories", "memdash")
CLASSES = re.compile(r"""\bclass="([^"]*)"|"class": "([\w -]*)"|\.className = "([^"]*)\"""")
SELECTORS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
COMMENTS = re.compile(r"\{#.*?#\}|/\*.*?\*/", re.DOTALL)
PRINTED = re.compile(r"\{\{.*?\}\}|\{\w*\}")
TAGS = re.compile(r"\{%.*?%\}", re.DOTALL)


def sources() -> Iterator[Path]:
    """Return the files that give classes to elements."""
    yield from (ROOT / "templates").rglob("*.html")
    yield from (ROOT / "static/js").glob("*.js")
    for app in APPS:
        yield from (ROOT / app).rglob("*.py")


def given(text: str) -> set[str]:
    """Return the classes that a template or a piece of code names; one that is put together ("a{{ age }}") is none."""
    # Each branch of an attribute counts.
    written = TAGS.sub(" ", PRINTED.sub("\0", COMMENTS.sub("", text)))
    found = (name for groups in CLASSES.findall(written) for names in groups for name in names.split())
    return {name for name in found if "\0" not in name}


def known() -> set[str]:
    """Return the classes that a stylesheet has a rule for or that a script looks for."""
    sheets = "".join(path.read_text() for path in (ROOT / "static/css").glob("*.css"))
    rules = re.sub(r"\{[^{}]*\}", " ", re.sub(r"url\('.*?'\)", "", COMMENTS.sub("", sheets)))
    scripts = "".join(path.read_text() for path in (ROOT / "static/js").glob("*.js"))
    sought = re.findall(r"(?:querySelector(?:All)?|closest|matches)\(\s*[\"`](.*?)[\"`]", scripts)
    return {name for text in (rules, *sought) for name in SELECTORS.findall(text)}


def test_every_class_is_styled_or_looked_for_by_a_script() -> None:
    used = known()

    idle = {str(path.relative_to(ROOT)): given(path.read_text()) - used for path in sources()}

    assert {path: names for path, names in idle.items() if names} == {}


@pytest.mark.parametrize(
    ("markup", "classes"),
    [
        ('<p class="a {% if b %}c{% else %}d{% endif %}">', {"a", "c", "d"}),
        ('<p class="{{ x }} t-{{ y }} e">', {"e"}),
        ('{# <p class="off"> #}', set()),
        ('attrs={"class": "input n"}', {"input", "n"}),
        ('banner.className = "banner danger";', {"banner", "danger"}),
        ('<rect class="v{tone}"/>', set()),
    ],
)
def test_classes_are_found_wherever_they_are_written(markup: str, classes: set[str]) -> None:
    assert given(markup) == classes
