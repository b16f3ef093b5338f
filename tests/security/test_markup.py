"""Text becomes markup in one module alone; everywhere else Django escapes it."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
REVIEWED = ROOT / "memdash/web/html.py"
UNESCAPED = re.compile(r"mark_safe|SafeString\(|html_safe|\|\s*safe(seq)?\b|autoescape\s+off|is_safe=True|def __html__")
BY_SCRIPT = re.compile(r"innerHTML\s*=|outerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|\son[a-z]+=|\sstyle=|javascript:|hx-on|hx-vals=[\"']js:|hx-vars")


def found(pattern: re.Pattern[str], *globs: str) -> list[str]:
    """Return where the pattern occurs, file by file."""
    files = [file for glob in globs for file in ROOT.glob(glob) if "vendor" not in file.parts]
    assert files, globs
    return [
        f"{file.relative_to(ROOT)}: {match.group()}"
        for file in files
        if file != REVIEWED
        for match in pattern.finditer(file.read_text())
    ]


def test_only_the_reviewed_module_marks_text_as_safe() -> None:
    allowed = ["memdash/web/slots.py: def __html__"]  # a list whose parts the reviewed module joins

    places = found(UNESCAPED, "memdash/**/*.py", "memories/**/*.py", "agents/**/*.py", "templates/**/*.html")

    assert places == allowed


def test_scripts_write_text_and_never_markup() -> None:
    assert found(BY_SCRIPT, "static/js/*.js") == []


def test_templates_have_no_inline_scripts_styles_or_handlers() -> None:
    assert found(INLINE, "templates/**/*.html") == []
