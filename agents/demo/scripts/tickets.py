"""The support desk's own work: a draft reply to a ticket, with what is noted on the way, and closing a ticket."""

import re
from dataclasses import dataclass, replace

from agents.demo.asks import Ask, Subject
from agents.demo.reading import Document, Shelf
from agents.demo.scripts.edits import line_replaced
from agents.demo.scripts.notes import drop
from agents.demo.scripts.questions import quoted
from agents.demo.scripts.steps import Journal, Step, change, line_added, look, read, unread, write
from agents.demo.scripts.topics import INDEX, Topics, index_line
from agents.demo.turns import Call, Script, create, delete, insert, rename, str_replace
from agents.demo.words import known_slug, one_line, slugged, titled

TOPICS = Topics("customer", "/memories/customers", "{}.md", "/memories/lessons.md", "Lessons")
POLICIES = "/memories/policies"
OPEN_THREADS = "/memories/progress/open_threads.md"
# Each value stands in one file only, so that a person changes it in one place.
FIRST_FILES = {
    f"{POLICIES}/refund_policies.xml": (
        "<refund_policies>\n"
        '  <refund window_days="30">Full refund on request, no reason needed</refund>\n'
        '  <credit months="2">For an outage of more than one working day</credit>\n'
        "</refund_policies>\n"
    ),
    f"{POLICIES}/tone.md": "# Tone\n\n- Thank the customer first, then answer\n- No promises about dates\n",
    TOPICS.general: "# Lessons\n\n- Ask for the date range before asking for logs\n",
    INDEX: "# Index\n\n- policies/refund_policies.xml: refunds and credits\n- lessons.md: what tickets taught\n",
}
GUESSED_LINE = 400
LINES_QUOTED = 20
_OPENING = re.compile(
    r"^(?:can you |could you )?(?:reply|answer|respond|draft|write|handle|work|take|look)\b[^.:\n]*?"
    r"\b(?:ticket|case|request)\s*(?:no\.?|number)?\s*#?\d+(?: (?:from|for|by) [^.,:;\n]{1,60})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Thread:
    """One matter of one customer, and the files it is noted in."""

    ask: Ask
    customer: Subject

    @property
    def key(self) -> str:
        if self.ask.ticket:
            return f"ticket-{self.ask.ticket}"
        return slugged(" ".join(self.ask.request.split()[:5])) or "message"

    @property
    def noted(self) -> str:
        return f"/memories/progress/{self.key}.md"

    @property
    def draft(self) -> str:
        return f"/memories/progress/{self.key}.draft.md"

    @property
    def plan(self) -> str:
        return f"/memories/scratch/{self.key}-plan.md"

    @property
    def home(self) -> str:
        return TOPICS.home(self.customer.slug) if self.customer.slug else ""

    @property
    def about(self) -> str:
        """Return the first sentence that says what it is about."""
        attached = self.ask.attachments[0] if self.ask.attachments else ""
        rest = _OPENING.sub("", self.ask.request).strip(" .:,;–-\n") or attached.strip()
        sentence = re.split(r"(?<=[.!?])\s|\n", rest)[0]
        return one_line(sentence.rstrip("."), 80) or "no details given"


def reply(ask: Ask) -> Script:
    """Draft a reply from the customer's file and the policies, and leave the thread noted under progress."""
    journal = Journal()
    found = yield from look("I will look at my memory first.")
    files = set(found.files)
    if found.is_empty:
        first = [create(path, text) for path, text in FIRST_FILES.items()]
        yield from write("It is empty, so I set it up: policies, lessons and an index.", first, journal)
        files = set(FIRST_FILES)
    thread = Thread(ask, ask.subject(TOPICS.known(found)))
    listed = None
    if ask.ticket and not thread.home:
        notes = [path for path in (thread.noted, OPEN_THREADS) if path in files]
        before = yield from read("No customer is named, so I see whose ticket it is.", notes)
        thread = replace(thread, customer=_owner(ask.ticket, before, TOPICS.known(found)))
        listed = before.get(OPEN_THREADS)
    policies = sorted(path for path in files if path.startswith(POLICIES + "/"))
    wanted = [thread.home, thread.noted, INDEX, TOPICS.general, *policies]
    shelf = yield from read("Now what matters for this one.", [path for path in wanted if path in files])

    yield from write("I make a plan and note the thread.", _opening_notes(thread, shelf), journal)
    entry = f"- {thread.key}: {thread.about}" + (f" ({thread.customer.name})" if thread.home else "")
    if listed:
        step = line_added(OPEN_THREADS, "Open threads", entry, listed)
        yield from write("It goes on the list of open threads.", [step] if step else [], journal)
    else:
        guess = "Next is the list of open threads. I have not looked at it yet, so I guess where it ends."
        yield from write(guess, [insert(OPEN_THREADS, GUESSED_LINE, entry + "\n")], journal)
    yield from _put_away(thread, shelf.get(thread.noted), journal)
    rules = [line for path in policies if (policy := shelf.get(path)) for line in _values(policy)]
    draft = _draft_reply(thread, shelf, rules, is_started=not journal.lacks(thread.home))
    return "\n\n".join([*draft, journal.told()])


def _owner(ticket: str, notes: Shelf, known: list[str]) -> Subject:
    """Return the customer that the notes name in a line about the ticket, or in the ticket's own file."""
    for document in notes.documents.values():
        is_its_own = document.path != OPEN_THREADS
        for line in document.lines:
            if (is_its_own or re.search(rf"\b{ticket}\b", line)) and (slug := known_slug(line, known)):
                return Subject(slug, titled(slug))
    return Subject()


def _opening_notes(thread: Thread, shelf: Shelf) -> list[Call]:
    title, customer = titled(thread.key), thread.customer.name or "not named"
    calls: list[Call | None] = [
        create(thread.plan, f"# Plan for {title}\n\n- read what is known\n- draft the reply\n- tidy up\n"),
        create(
            thread.draft,
            f"# {title}\n\n- Customer: {customer}\n- About: {thread.about}\n- Status: draft\n- Replies drafted: 1\n",
        ),
    ]
    if thread.home:
        known = shelf.get(thread.home)
        calls.append(line_added(thread.home, customer, f"- {title}: see progress/{thread.key}.md", known))
        calls.append(None if known else index_line(thread.home, customer, shelf.get(INDEX)))
    return [call for call in calls if call]


def _put_away(thread: Thread, earlier: Document | None, journal: Journal) -> Step[None]:
    """Move the draft to its place; where an earlier reply has that place, count there and drop the draft.

    A draft or plan that could not be written is left alone.
    """
    calls, has_draft = [], not journal.lacks(thread.draft)
    if has_draft and earlier is None:
        done = str_replace(thread.draft, "- Status: draft", "- Status: reply drafted, not sent")
        calls += [done, rename(thread.draft, thread.noted)]
    elif has_draft:
        calls.append(delete(thread.draft))
    if not journal.lacks(thread.plan):
        calls.append(delete(thread.plan))
    if earlier:
        text = "This thread had a reply before. I count this one there; draft and plan go."
        yield from change(text, [_counted(earlier), *calls], journal)
    elif has_draft:
        yield from change("The draft is done. Its notes go to their place, the plan goes away.", calls, journal)
    else:
        yield from change("The thread could not be noted, so the plan goes away.", calls, journal)


def _counted(noted: Document) -> Call:
    for number, line in enumerate(noted.lines):
        if match := re.match(r"- Replies drafted: (\d{1,9})$", line):
            return line_replaced(noted, number, f"- Replies drafted: {int(match[1]) + 1}")
    return insert(noted.path, noted.end, "- Another reply drafted\n")


def _values(policy: Document) -> list[str]:
    numbers = [number for number, line in enumerate(policy.lines) if re.search(r"\d", line)]
    return quoted(policy, numbers)[:LINES_QUOTED]


def _draft_reply(thread: Thread, shelf: Shelf, rules: list[str], *, is_started: bool) -> list[str]:
    name, ticket = thread.customer.name, thread.ask.ticket
    parts = [
        f"Draft reply for {f'ticket {ticket}' if ticket else 'this message'}" + (f", {name}:" if name else ":"),
        f"> Hello,\n> thank you for writing. We have your message about “{thread.about}” and what you sent us before,\n"
        "> so you need not send it again. A colleague looks at it and answers here.",
    ]
    known = shelf.get(thread.home)
    facts = quoted(known)[:LINES_QUOTED] if known else []
    parts += unread(shelf, but=shelf.missing)
    if facts:
        parts.append(f"What my memory says about {name}:\n" + "\n".join(facts))
    elif name and thread.home not in shelf.refusals:
        started = " and started one" if is_started else ""
        parts.append(f"My memory had no file about {name}, so I quote nothing{started}.")
    elif not name:
        parts.append("No customer was named, so I looked nobody up.")
    is_all_read = shelf.missing.issuperset(shelf.refusals)
    none = f"{'My memory holds' if is_all_read else 'I have read'} no policy with a number in it, so I promise none."
    parts.append("Rules that apply:\n" + "\n".join(rules) if rules else none)
    return parts


def close(ask: Ask) -> Script:
    """Delete what was noted about a ticket that is closed, and take it off the list of open threads."""
    found = yield from look("I look for what I noted about it.")
    noted = [path for path in found.files if re.search(rf"/ticket-{ask.ticket}\b", path)]
    journal = Journal()
    yield from change("It is closed, so its notes can go.", [delete(path) for path in noted], journal)
    listed = [path for path in found.files if path == OPEN_THREADS]
    shelf = yield from read("Does the list of open threads name it?", listed)
    for document in shelf.documents.values():
        lines = [n for n, line in enumerate(document.lines) if line.startswith(f"- ticket-{ask.ticket}:")]
        yield from drop(document, lines, journal)
    if not (journal.entries or shelf.refusals):
        return f"My memory holds nothing about ticket {ask.ticket}, so there was nothing to tidy up."
    is_clear = journal.is_all_done and not shelf.refusals
    state = "is closed." if is_clear else "is closed, but not everything about it could be cleared away."
    return " ".join([f"Ticket {ask.ticket} {state}", *unread(shelf), journal.told()])
