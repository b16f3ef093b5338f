"""The past of the onboarding notes: a folder that people brought in and now keep here."""

from agents.demo.history.acts import Act, Did, Edited, Imported, Looked, World
from agents.demo.history.moments import At
from agents.models import Place
from memories.commands import Delete, Rename
from memories.paths import MemoryPath

FIRST_DAY, TOOLS = "/memories/first-day.md", "/memories/tools.md"
QUESTIONS = "/memories/questions.md"
PARKING, OFFICE = "/memories/office/parking.md", "/memories/office/rooms.md"

LAST_SPRING = {
    FIRST_DAY: (
        "# First day\n\n"
        "1. Badge at the front desk\n"
        "2. Laptop and password manager with IT\n"
        "3. Lunch with the team\n"
        "4. First small pull request before the end of the week\n"
    ),
    PARKING: "# Parking\n\n- Bicycles: yard, code with the badge\n- Cars: level 2, ask the front desk\n",
    OFFICE: "# Rooms\n\n- Big room: book it a day ahead\n- Phone boxes: no booking, half an hour\n",
    TOOLS: "# Tools\n\n- Chat, calendar, wiki: one sign-in\n- Expenses: by the fifth of the month\n",
}
THIS_AUTUMN = {
    QUESTIONS: "# Questions new people ask\n\n- Who approves holidays? Your lead, in the calendar\n",
    "/memories/teams/support.md": "# Support\n\n- Mara leads it; tickets are shared out at 9:00\n",
    "/memories/teams/platform.md": "# Platform\n\n- Jon and Lena; reviews within a day\n",
}

ACTS: tuple[Act, ...] = (
    Imported(At(128, "09:42"), "mara", LAST_SPRING),
    Imported(At(33, "10:10"), "mara", THIS_AUTUMN),
    Edited(At(31, "13:40"), "jon", TOOLS, "", "- Code: two keys, one of them in the safe\n", note="Keys"),
    Edited(At(26, "09:25"), "mara", QUESTIONS, "", "- Where is the first-aid box? Kitchen, left of the door\n"),
    Edited(
        At(21, "14:15"),
        "mara",
        "/memories/teams/support.md",
        "at 9:00",
        "at 9:30",
        note="Later, since most customers start at ten",
    ),
    Did(
        At(17, "10:05"),
        "jon",
        Rename(MemoryPath.parse("/memories/teams/platform.md"), MemoryPath.parse("/memories/teams/engineering.md")),
    ),
    Edited(At(17, "10:07"), "jon", "/memories/teams/engineering.md", "# Platform", "# Engineering"),
    Did(At(13, "16:30"), "mara", Delete(MemoryPath.parse(OFFICE))),
    Edited(At(6, "11:50"), "jon", QUESTIONS, "", "- How do I get a second screen? Ask IT, it takes two days\n"),
    Looked(),
    Imported(At(1, "12:15"), "mara", {FIRST_DAY: LAST_SPRING[FIRST_DAY].replace("the team", "the team, who pay")}),
)

ONBOARDING = World(
    name="Onboarding notes",
    slug="onboarding-notes",
    description="Scripted demo: a made-up folder of notes for new people.",
    since=At(128, "09:40"),
    acts=ACTS,
    place=Place.FOLDER,
)
