"""Texts for system prompts that steer what an agent does with its memory, to be inserted and changed by people."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Steering:
    """A text: its short name, what the button says, what it is good for, and itself; ``<…>`` is to be filled in."""

    key: str
    label: str
    use: str
    text: str


STEERING: Final = (
    Steering(
        "tidy",
        "Keep the folder tidy",
        "The tool asks for this already. Insert it if an agent leaves a mess all the same.",
        "Keep your memory directory short, current and in order. Correct what is out of date, rename or delete files"
        " that serve no longer, and make a new file only for what belongs into none that you have.",
    ),
    Steering(
        "topic",
        "Write only about",
        "Keeps everything else out of memory. Fill in the topic.",
        "Write into your memory only what concerns <topic>, and leave out everything else.",
    ),
    Steering(
        "index",
        "Maintain index.md",
        "Helps an agent find what it knows in a large memory.",
        "Keep a list of your files in /memories/index.md, one line for each with what it is about. Read it before the"
        " others, and bring it up to date whenever you add, rename or delete a file.",
    ),
    Steering(
        "private",
        "No personal data",
        "A request, and no guarantee: look at what is written.",
        "Never write names of private persons, contact details, passwords or keys into your memory.",
    ),
    Steering(
        "sessions",
        "Work over several sessions",
        "For projects too long for one conversation: the first session sets up files from which all others go on.",
        """\
This work takes several sessions, and only your memory directory passes from one to the next.

If /memories/progress.md does not exist, this is the first session. Before any other work, write three files:
- /memories/progress.md: what was done, and what comes next
- /memories/features.md: every feature that belongs to the work, as a checklist with nothing ticked
- /memories/startup.md: how the project is set up and started, with the commands or the script that do it

If it exists, read all three files first and go on from what they say. Do not look again for what they tell you.

Work on one feature at a time. Tick it in features.md when you have seen it work from end to end, and not when its \
code is written.

Before you end a session, and whenever a step is finished, bring progress.md up to date: what is done, what is left, \
and where to begin next time. A session may be cut off at any moment.""",
    ),
)
"""Told to no agent unless somebody puts it into its prompt."""
