"""The past of the code reviewer: pull requests of repositories that do not exist."""

from agents.demo import CODE_REVIEWER as MODEL
from agents.demo.history.acts import Act, Asked, Attached, Did, Edited, Looked, World
from agents.demo.history.moments import At
from memories.commands import Create, Pin
from memories.paths import MemoryPath

CONVENTIONS = "/memories/conventions.md"
GATEWAY, WEB = "/memories/repos/api-gateway", "/memories/repos/web-app"
BILLING = "/memories/repos/billing-worker"

RETRY_DIFF = Attached(
    "212.diff",
    "--- a/gateway/upstream.py\n"
    "+++ b/gateway/upstream.py\n"
    "@@ -41,6 +41,12 @@ def call(request):\n"
    "     for attempt in range(3):\n"
    "+        print('attempt', attempt)\n"
    "         try:\n"
    "             return send(request)\n"
    "+        except TimeoutError:\n"
    "+            time.sleep(2**attempt)\n",
)
DATE_DIFF = Attached(
    "88.diff",
    "--- a/src/dates.ts\n"
    "+++ b/src/dates.ts\n"
    "@@ -7,3 +7,5 @@ export function day(value: string): string {\n"
    "-  return new Date(value).toLocaleDateString();\n"
    "+  const parsed = parseISO(value);\n"
    "+  return format(parsed, 'yyyy-MM-dd');\n",
)
LEDGER_DIFF = Attached(
    "31.diff",
    "--- a/worker/ledger.py\n"
    "+++ b/worker/ledger.py\n"
    "@@ -112,4 +112,6 @@ class Ledger:\n"
    "+        if entry.amount == 0:\n"
    "+            return self.skip(entry, because='an entry of nothing changes no balance and only fills the"
    " statement of the month')\n",
)
CACHE_DIFF = Attached(
    "219.diff",
    "--- a/gateway/cache.py\n"
    "+++ b/gateway/cache.py\n"
    "@@ -3,4 +3,7 @@\n"
    "+CACHE_SECONDS = 30\n"
    "+\n"
    "+\n"
    "+def fresh(entry, now):\n"
    "+    return now - entry.stored_at < CACHE_SECONDS\n",
)

ACTS: tuple[Act, ...] = (
    Asked(At(38, "10:12"), "jon", "Review pull request #196 of api-gateway", (CACHE_DIFF,)),
    Edited(
        At(38, "11:30"),
        "jon",
        CONVENTIONS,
        "",
        "- Never `eval(` in code that ships\n- Names of tests are sentences\n",
        note="The team's own rules",
    ),
    Did(
        At(36, "14:05"),
        "jon",
        Create(
            MemoryPath.parse(f"{GATEWAY}/flaky-tests.md"),
            "# Flaky tests of api-gateway\n\n- test_retry_after_timeout: fails when the machine is busy\n",
        ),
    ),
    Asked(At(34, "09:44"), "jon", "Review pull request #201 of api-gateway", (RETRY_DIFF,)),
    Asked(At(32, "15:20"), "lena", "Review pull request #81 of web-app", (DATE_DIFF,)),
    Asked(At(30, "10:02"), "lena", "Remember that web-app formats dates as year, month, day"),
    Did(
        At(29, "16:18"),
        "lena",
        Create(
            MemoryPath.parse(f"{WEB}/flaky-tests.md"),
            "# Flaky tests of web-app\n\n- calendar.spec: depends on the time zone of the machine\n"
            "- upload.spec: times out on the first run\n",
        ),
    ),
    Asked(At(26, "11:55"), "jon", "Review pull request #27 of billing-worker", (LEDGER_DIFF,)),
    Asked(At(24, "09:36"), "jon", "Remember that billing-worker rounds amounts half to even, at most 2 decimals"),
    Asked(At(22, "14:10"), "lena", "Review pull request #84 of web-app", (DATE_DIFF,)),
    Edited(
        At(20, "10:40"),
        "lena",
        f"{WEB}/flaky-tests.md",
        "- upload.spec: times out on the first run\n",
        "",
        note="Fixed: the server is started before the tests",
    ),
    Asked(At(19, "15:02"), "jon", "Remember that api-gateway pins its base image by digest"),
    Asked(At(16, "10:28"), "jon", "Review pull request #207 of api-gateway", (CACHE_DIFF,)),
    Edited(
        At(15, "11:12"),
        "jon",
        CONVENTIONS,
        "at most 300 lines",
        "at most 250 lines",
        note="Smaller pull requests, as agreed",
    ),
    Asked(At(13, "09:58"), "lena", "Which tests of web-app are flaky?"),
    Asked(At(11, "16:33"), "jon", "Review pull request #29 of billing-worker", (LEDGER_DIFF,)),
    Asked(At(9, "10:17"), "jon", "Remember that billing-worker keeps its ledger append-only"),
    Did(At(8, "09:20"), "jon", Pin(MemoryPath.parse(CONVENTIONS))),
    Asked(At(6, "13:41"), "lena", "Review pull request #88 of web-app", (DATE_DIFF,)),
    Edited(
        At(5, "15:25"),
        "jon",
        f"{GATEWAY}/flaky-tests.md",
        "",
        "- test_cache_expires: off by one second at midnight\n",
    ),
    Asked(At(4, "10:50"), "jon", "Review pull request #212 of api-gateway", (RETRY_DIFF,)),
    Asked(At(2, "11:06"), "jon", "What do you know about billing-worker?"),
    Looked(),
    Asked(At(1, "10:31"), "jon", "Remember that api-gateway caches answers for 30 seconds"),
    Asked(At(1, "16:02"), "jon", "Review pull request #219 of api-gateway", (CACHE_DIFF,), max_turns=4),
)

CODE_REVIEWER = World(
    name="Code reviewer",
    slug="code-reviewer",
    description="Scripted demo: rules for reviews, and what is known of made-up repositories.",
    since=At(38, "10:00"),
    acts=ACTS,
    model=MODEL,
    settings={
        "system_prompt": (
            "You review pull requests against conventions.md. Keep a directory for each repository, with the reviews"
            " so far and the tests that are known to be flaky."
        )
    },
)
