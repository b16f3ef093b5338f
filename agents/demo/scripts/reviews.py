"""The code reviewer's own work: checks attached code against the rules in memory and keeps count per repository."""

import re

from agents.demo.asks import Ask
from agents.demo.reading import Document
from agents.demo.scripts.edits import line_replaced
from agents.demo.scripts.questions import quoted
from agents.demo.scripts.rules import CODE_READ, Finding, findings
from agents.demo.scripts.steps import Journal, Step, change, look, read, reason, unread, write
from agents.demo.scripts.topics import Topics
from agents.demo.turns import Call, Script, Turn, create, insert, short
from agents.demo.words import READ_AT_MOST, known_slug

TOPICS = Topics("repository", "/memories/repos", "{}/notes.md", "/memories/conventions.md", "Review rules")
FIRST_RULES = (
    "# Review rules\n\n"
    "- A pull request changes at most 300 lines\n"
    "- Lines have at most 100 characters\n"
    "- No `print(` in code that ships\n"
    "- Every bug fix brings a test\n"
)
_REPOSITORY = re.compile(r"\b(?:repository|repo|review|of|in|for) ([a-z0-9][\w.-]{0,59})", re.IGNORECASE)
_NUMBER = re.compile(r"(?:#|\b(?:pull request|PR|merge request) #?)(\d{1,9})", re.IGNORECASE)
_NO_REPOSITORY_WORDS = "the this that a an my our pull pr merge code change changes request these it of repository repo"
_NO_REPOSITORY = frozenset(_NO_REPOSITORY_WORDS.split())


def review(ask: Ask) -> Script:
    """Check the code that came with ``ask`` against the rules in memory, and note the review."""
    journal = Journal()
    found = yield from look("I will look at my memory first.")
    if found.is_empty:
        yield from write("It is empty, so I start with a few rules.", [create(TOPICS.general, FIRST_RULES)], journal)
    repo, number = _repository(ask, TOPICS.known(found)), _pull_request(ask)
    flaky = f"{TOPICS.place(repo)}/flaky-tests.md"
    shelf = yield from read(f"The rules first, and what {repo} has of flaky tests.", [TOPICS.general, flaky])
    rules, tests = shelf.get(TOPICS.general), shelf.get(flaky)
    results = findings(rules, _code(ask))
    yield from _note(repo, f"- {number or 'unnumbered'}: {_tally(results)}", journal)

    unreadable = shelf.refusals.keys() - shelf.missing
    parts = [f"Review of {repo} {number}".rstrip() + f": {_tally(results)}."]
    parts += unread(shelf, but=shelf.missing)
    if rules is None and TOPICS.general not in unreadable:
        parts.append(f"My memory holds no {short(TOPICS.general)}, so there was no rule to check.")
    if results:
        parts.append("\n".join(f"- {result}" for result in results))
    known = quoted(tests) if tests else []
    if known:
        parts.append("Known flaky tests:\n" + "\n".join(known))
    elif flaky not in unreadable:
        parts.append(f"No flaky test of {repo} is known.")
    return "\n\n".join([*parts, journal.told()])


def _note(repo: str, entry: str, journal: Journal) -> Step[None]:
    """Count the review in the repository's file, which the first look does not reach: it may be there already."""
    path = f"{TOPICS.place(repo)}/reviews.md"
    file = create(path, f"# Reviews of {repo}\n\n- Reviews so far: 1\n{entry}\n")
    [answer] = yield Turn("I note this review.", (file,))
    if not (answer.is_error and "already exists" in answer.text):
        journal.note([file], [answer])
        return
    cause = f"That did not work: {reason(answer)}. So there were reviews before, and I look at them."
    shelf = yield from read(cause, [path])
    if known := shelf.get(path):
        yield from change("I count this one and add it.", _counted(known, entry), journal)


def _counted(known: Document, entry: str) -> list[Call]:
    """Return the calls that add ``entry``, or put it in the place of the one with the same number, and count it."""
    calls: list[Call] = []
    same = None
    for index, line in enumerate(known.lines):
        if match := re.match(r"- Reviews so far: (\d{1,9})$", line):
            calls.append(line_replaced(known, index, f"- Reviews so far: {int(match[1]) + 1}"))
        elif line.startswith(entry.partition(":")[0] + ":"):
            same = index
    if same is None:
        return [*calls, insert(known.path, known.end, entry + "\n")]
    return calls if known.lines[same] == entry else [*calls, line_replaced(known, same, entry)]


def _tally(results: list[Finding]) -> str:
    return f"{len(results)} points, {sum(result.is_broken for result in results)} broken"


def _code(ask: Ask) -> str:
    """Return what is to be reviewed: the attachments, else a fenced block in the message."""
    fenced = re.search(r"```[^\n]*\n(.*?)(?:```|$)", ask.text[:CODE_READ], re.DOTALL)
    return "\n".join(ask.attachments) or (fenced[1] if fenced else "")


def _repository(ask: Ask, known: list[str]) -> str:
    """Return the repository the words name: a known one, else the first word that can be one."""
    texts = (ask.request, *reversed(ask.earlier))
    names = (match[1].lower().strip(".-_") for text in texts for match in _REPOSITORY.finditer(text[:READ_AT_MOST]))
    return known_slug(ask.request, known) or next((n for n in names if n and n not in _NO_REPOSITORY), "unnamed")


def _pull_request(ask: Ask) -> str:
    match = _NUMBER.search(ask.text[:READ_AT_MOST])
    return f"#{match[1]}" if match else ""
