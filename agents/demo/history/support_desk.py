"""The past of the support desk: tickets of customers that do not exist."""

from agents.demo import SUPPORT_DESK as MODEL
from agents.demo.history.acts import Act, Asked, Attached, Did, Edited, Imported, Looked, Opened, World
from agents.demo.history.moments import At
from memories.commands import Delete, Lock, Pin
from memories.paths import MemoryPath

ACME, GLOBEX = "/memories/customers/acme-corp.md", "/memories/customers/globex.md"
INITECH, TIDEWATER = "/memories/customers/initech.md", "/memories/customers/tidewater-ferries.md"
UMBRELLA, LESSONS = "/memories/customers/umbrella-health.md", "/memories/lessons.md"
REFUNDS, TONE = "/memories/policies/refund_policies.xml", "/memories/policies/tone.md"
GUIDELINES = "/memories/policies/guidelines.xml"

FOUND_LAST_SPRING = {
    "/memories/archive/price-list.md": (
        "# Price list before the new tiers\n\n"
        "- Starter: 9 a seat, up to 10 seats\n"
        "- Team: 14 a seat, up to 50 seats\n"
        "- Company: 19 a seat, single sign-on included\n"
    ),
    "/memories/customers/hollis-freight.md": (
        "# Hollis Freight\n\n"
        "- Team tier, 24 seats\n"
        "- Contact: dispatch office, mail only\n"
        "- Asked twice for an offline mode; there is none planned\n"
    ),
}
FIRST_FILES = {
    REFUNDS: (
        "<refund_policies>\n"
        '  <refund window_days="14">Full refund on request, no reason needed</refund>\n'
        '  <credit months="1">For an outage of more than one working day</credit>\n'
        "  <exceptions>Ask the account manager, never promise one</exceptions>\n"
        "</refund_policies>\n"
    ),
    GUIDELINES: (
        "<guidelines>\n"
        '  <first_answer within_hours="4">On working days, in the customer\'s time zone</first_answer>\n'
        '  <escalate after_replies="3">To tier 2, with what was tried so far</escalate>\n'
        "  <logs>Ask for a date range first; never ask twice for the same logs</logs>\n"
        "</guidelines>\n"
    ),
    TONE: "# Tone\n\n- Thank the customer first, then answer\n- Short sentences, no jargon\n",
    LESSONS: (
        "# Lessons\n\n"
        "- Ask for the date range before asking for logs\n"
        "- Say which workaround was tested, and on which version\n"
    ),
    "/memories/index.md": (
        "# Index\n\n"
        "- policies/refund_policies.xml: refunds and credits\n"
        "- policies/guidelines.xml: how fast, and when to escalate\n"
        "- lessons.md: what tickets taught\n"
        "- customers/acme-corp.md: Acme Corp\n"
        "- customers/globex.md: Globex\n"
    ),
    ACME: (
        "# Acme Corp\n\n"
        "- Business tier, 220 seats\n"
        "- Renews 12 December\n"
        "- Contact: head of IT operations, through the ticket portal only\n"
        "- Prefers mail to calls\n"
    ),
    GLOBEX: "# Globex\n\n- Team tier, 70 seats\n- Renews 30 June\n- Runs the nightly import of contacts\n",
}

EXPORT_MAIL = Attached(
    "ticket-4821.eml",
    "From: it-operations@acme-corp.example\n"
    "Subject: Export job, again\n\n"
    "Hello,\n"
    "the export of invoices still stops after twenty minutes. We sent you the logs two weeks ago and would rather not\n"
    "send them again. The file has about 80,000 rows.\n"
    "Please tell us what happens next.\n",
)
FERRY_MAIL = Attached(
    "ticket-4818.eml",
    "From: office@tidewater-ferries.example\n"
    "Subject: Sign-in codes come late\n\n"
    "Good morning, on board the codes arrive after five minutes and are expired by then. Can they live longer?\n",
)

ACTS: tuple[Act, ...] = (
    Imported(At(132, "10:05"), "mara", FOUND_LAST_SPRING),
    Imported(At(42, "09:20"), "mara", FIRST_FILES),
    Asked(At(42, "14:10"), "mara", "What do you know about Acme Corp?"),
    Asked(At(41, "09:12"), "mara", "Reply to ticket 4790 from Globex: the import of contacts stops at row 5,000."),
    Asked(At(40, "11:02"), "jon", "Remember that Initech pays by invoice and has 60 seats"),
    Asked(At(39, "10:26"), "jon", "Reply to ticket 4793 from Initech: two invoices carry the same number."),
    Edited(
        At(39, "16:20"),
        "mara",
        INITECH,
        "",
        "- Contact: accounts payable, Tuesdays and Thursdays\n- Orders come with a purchase order number\n",
        note="Contact rules after the call",
    ),
    Asked(At(37, "15:31"), "mara", "Close ticket 4790, the customer confirmed that the import works."),
    Asked(At(36, "09:47"), "jon", "Remember that Umbrella has 35 seats and renews on 3 March"),
    Asked(At(35, "13:05"), "mara", "Reply to ticket 4801 from Umbrella: they ask where patient data is stored."),
    Asked(At(33, "10:15"), "mara", "Umbrella is now called Umbrella Health"),
    Edited(
        At(32, "11:40"),
        "mara",
        REFUNDS,
        'window_days="14"',
        'window_days="30"',
        note="Thirty days, as on the website",
    ),
    Asked(
        At(31, "09:08"),
        "mara",
        "Reply to ticket 4807 from Acme Corp: the export job times out above 50,000 rows.",
    ),
    Edited(
        At(31, "14:52"),
        "mara",
        ACME,
        "- Prefers mail to calls\n",
        "- Prefers mail to calls\n- Time zone Europe/Lisbon; replies before 17:00\n\n"
        "## Open issues\n\n- Export job times out above 50,000 rows. Workaround: split by month\n",
    ),
    Asked(At(29, "11:33"), "jon", "Remember that Bluebird Dental wants replies before noon"),
    Asked(At(29, "15:17"), "jon", "Close ticket 4793, the second invoice was cancelled."),
    Asked(At(28, "10:20"), "jon", "Reply to ticket 4811 from Bluebird Dental: the calendar shows last week's shifts."),
    Asked(At(27, "16:04"), "mara", "Remember that Vandelay Imports prefers calls to mail"),
    Asked(At(26, "09:50"), "mara", "Reply to ticket 4815 from Vandelay Imports: they want to cancel and get a refund."),
    Asked(At(25, "15:12"), "mara", "Forget everything about Vandelay Imports"),
    Asked(At(24, "14:44"), "jon", "Close ticket 4811, it was a cache in their browser."),
    Asked(
        At(23, "08:58"),
        "jon",
        "Reply to ticket 4818 from Tidewater Ferries: sign-in codes arrive too late on board.",
        (FERRY_MAIL,),
    ),
    Edited(
        At(22, "10:36"),
        "jon",
        TIDEWATER,
        "",
        "- Starter tier, 9 seats\n- On board the network is slow; codes by mail take minutes\n",
    ),
    Asked(At(21, "13:28"), "mara", "Remember that Globex now has 85 seats"),
    Asked(At(21, "16:02"), "mara", "Close ticket 4815, the refund is paid."),
    Asked(
        At(20, "08:50"),
        "mara",
        "Reply to ticket 4821 from Acme Corp. The customer is unhappy about the export job.",
        (EXPORT_MAIL,),
        ("When does Acme Corp renew?",),
    ),
    Edited(
        At(20, "09:35"),
        "mara",
        LESSONS,
        "",
        "- Above 50,000 rows, offer the split by month first\n",
        note="What ticket 4821 taught",
    ),
    Asked(At(19, "11:18"), "mara", "Remember that Vandelay Imports is a customer again, with 12 seats"),
    Asked(At(17, "09:31"), "jon", "Reply to ticket 4826 from Umbrella Health: they need the data agreement signed."),
    Did(At(16, "15:48"), "mara", Delete(MemoryPath.parse("/memories/progress/ticket-4801.md"))),
    Asked(
        At(14, "09:40"),
        "jon",
        "Reply to ticket 4829 from Globex: contacts with an apostrophe are imported twice.",
        overloaded_at=3,
    ),
    Asked(
        At(14, "10:55"),
        "jon",
        "Reply to ticket 4829 from Globex: contacts with an apostrophe are imported twice.",
    ),
    Asked(
        At(12, "16:22"),
        "mara",
        "Reply to ticket 4833 from Initech: the purchase order number is missing on the last invoice.",
        max_turns=3,
    ),
    Asked(At(11, "09:15"), "mara", "Tidy up before the week ends."),
    Asked(At(11, "13:40"), "jon", "Close ticket 4826, the agreement is signed."),
    Asked(
        At(10, "10:03"),
        "mara",
        "Reply to ticket 4833 from Initech: the purchase order number is missing on the last invoice.",
    ),
    Asked(At(9, "14:37"), "jon", "Remember that Acme Corp has 240 seats"),
    Edited(
        At(8, "11:25"),
        "mara",
        ACME,
        "## Open issues\n",
        "## Decisions\n\n"
        "- Credit of 1 month for the outage, granted by the account manager\n"
        "- No phone support until the new contract is signed\n\n"
        "## Open issues\n",
        note="Decisions after the call with their IT operations",
    ),
    Asked(At(7, "15:06"), "jon", "Close ticket 4818, codes live for 15 minutes now."),
    Did(At(6, "09:30"), "mara", Lock(MemoryPath.parse(REFUNDS))),
    Did(At(6, "09:32"), "mara", Pin(MemoryPath.parse(GUIDELINES))),
    Did(At(6, "09:33"), "mara", Pin(MemoryPath.parse(ACME))),
    Asked(
        At(5, "10:48"), "jon", "Reply to ticket 4838 from Bluebird Dental: a receptionist cannot see the waiting list."
    ),
    Edited(At(4, "13:15"), "mara", TONE, "", "- No promises about dates\n- Sign with a first name\n"),
    Asked(At(3, "11:09"), "mara", "How many seats does Globex have?"),
    Asked(At(2, "09:27"), "jon", "Reply to ticket 4842 from Umbrella Health: who of ours had access to their records?"),
    Asked(
        At(1, "09:05"),
        "jon",
        "Reply to ticket 4845 from Tidewater Ferries: the crew list is printed in the wrong order.",
    ),
    Looked(),
    Asked(
        At(1, "14:20"),
        "mara",
        "Reply to ticket 4848 from Acme Corp: their SSO certificate expires with the contract.",
    ),
    Asked(At(1, "15:30"), "mara", "Remember that Acme Corp renews on 19 December", follow_ups=("When does it renew?",)),
    Edited(At(1, "16:10"), "jon", LESSONS, "", "- Certificates expire with contracts: look up both dates\n"),
    Opened(At(1, "16:40"), LESSONS),
)

SUPPORT_DESK = World(
    name="Support desk",
    slug="support-desk",
    description="Scripted demo: made-up customers and their tickets.",
    since=At(132, "09:50"),
    acts=ACTS,
    model=MODEL,
    settings={
        "system_prompt": (
            "You draft replies to tickets. Keep what you learn about each customer in a file of its own, and what holds"
            " for all in lessons.md. Policies are the team's; do not change them."
        )
    },
)
