"""What operators meet in a shell: names that read well, errors in one line, nothing that steers a terminal."""

import json
import os
import subprocess
import sys
import unicodedata
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.core.management.base import OutputWrapper
from django.test import Client

from agents import runs
from agents.making import create_agent
from agents.models import Run
from memdash.cli import COMMANDS
from memdash.terminal import Progress, printable
from memories.models import Member
from memories.store import create_store
from tests.support.shell import memdash

UNICODE_CASES = Path(__file__).parent.parent / "data" / "security" / "unicode_cases.json"
ESCAPES = "\x1b[31mred\x07\u202e\u200b\u2028"


def test_help_lists_every_command_an_operator_needs(tmp_path: Path) -> None:
    said = memdash("help", data=tmp_path)

    assert said.returncode == 0
    assert [line.split()[0] for line in said.stdout.splitlines() if line.startswith("  ")] == list(COMMANDS)


@pytest.mark.parametrize("command", [*COMMANDS])
def test_each_command_explains_itself_and_names_only_its_own_options(command: str) -> None:
    module, _ = COMMANDS[command]

    said = load_command_class(get_commands()[module], module).create_parser("memdash", command).format_help()

    assert said.startswith(f"usage: memdash {command} ")
    assert "--pythonpath" not in said
    assert "--traceback" not in said


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"MEMDASH_PORT": "eighty"}, "MEMDASH_PORT must be a valid integer"),
        ({"REDIS_URL": "redis://127.0.0.1:6379/0"}, "REDIS_URL needs DATABASE_URL"),
        ({"DATABASE_URL": "sqlite:///x"}, "DATABASE_URL must be postgresql://"),
        ({"MEMDASH_DATA": "/proc/nowhere"}, "/proc/nowhere. Set MEMDASH_DATA to a folder that you may write to."),
    ],
)
def test_a_wrong_setting_is_one_line_with_the_name_and_the_next_step(
    environment: dict[str, str], words: str, tmp_path: Path
) -> None:
    said = memdash("doctor", data=tmp_path, **environment)

    assert said.returncode == 1
    assert said.stdout == ""
    (line,) = said.stderr.splitlines()
    assert line.startswith("memdash: ")
    assert words in line


def test_a_database_without_tables_is_told_with_the_command_that_makes_them(tmp_path: Path) -> None:
    said = memdash("createuser", "mia", data=tmp_path, stdin="a long enough password\n")

    assert said.stderr == "memdash: The database lacks tables that this version needs. Run memdash migrate.\n"
    assert said.returncode == 1


def test_a_database_that_is_away_is_told_at_once_and_without_its_password(tmp_path: Path) -> None:
    said = memdash("login-link", data=tmp_path, DATABASE_URL="postgresql://mia:hunter2@127.0.0.1:9/x")

    (line,) = said.stderr.splitlines()
    assert "The database did not answer" in line
    assert "hunter2" not in line


@pytest.mark.parametrize("command", [["web"], ["worker", "-Q", "runs"], ["beat"]])
def test_processes_that_need_others_beside_them_refuse_to_start_alone(command: list[str], tmp_path: Path) -> None:
    said = memdash(*command, data=tmp_path)

    assert said.returncode == 1
    assert "needs REDIS_URL and DATABASE_URL" in said.stderr


def test_up_with_redis_refuses_and_names_the_four_commands(tmp_path: Path) -> None:
    said = memdash(
        "up", data=tmp_path, REDIS_URL="redis://127.0.0.1:9/0", DATABASE_URL="postgresql://mia@127.0.0.1:9/x"
    )

    (line,) = said.stderr.splitlines()
    for command in ("memdash web", "memdash worker -Q runs", "memdash worker -Q default", "memdash beat"):
        assert command in line


def test_up_refuses_to_send_passwords_over_a_network_in_the_clear(tmp_path: Path) -> None:
    said = memdash("up", "--host", "0.0.0.0", data=tmp_path)

    assert "MEMDASH_PUBLIC_URL" in said.stderr
    assert "MEMDASH_ALLOW_PLAIN_HTTP" in said.stderr


def test_the_data_folder_and_the_key_in_it_are_the_operators_alone(tmp_path: Path) -> None:
    memdash("migrate", data=tmp_path / "new" / "data")

    modes = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "new" / "data").iterdir()}
    assert (tmp_path / "new" / "data").stat().st_mode & 0o777 == 0o700
    assert modes["secret-key"] == 0o600
    assert set(modes.values()) == {0o600}


def test_the_deployment_check_of_a_new_installation_finds_nothing(tmp_path: Path) -> None:
    said = memdash("check", "--deploy", data=tmp_path)

    assert "no issues" in said.stdout + said.stderr


def test_the_deployment_check_behind_tls_finds_nothing(tmp_path: Path) -> None:
    said = memdash(
        "check",
        "--deploy",
        data=tmp_path,
        MEMDASH_PUBLIC_URL="https://memory.example.org",
        MEMDASH_TRUSTED_PROXIES="127.0.0.1",
    )

    assert "no issues" in said.stdout + said.stderr


def test_behind_tls_cookies_are_bound_to_the_host(tmp_path: Path) -> None:
    program = (
        "import django; django.setup(); from django.conf import settings as s;"
        "print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE,"
        " s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS, s.CSRF_TRUSTED_ORIGINS, s.ALLOWED_HOSTS[-1])"
    )
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "memdash.settings",
        "MEMDASH_DATA": str(tmp_path),
        "MEMDASH_PUBLIC_URL": "https://memory.example.org",
        "MEMDASH_TRUSTED_PROXIES": "10.0.0.7",
    }

    said = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=True
    )

    assert said.stdout.strip() == (
        "__Host-memdash-session __Host-memdash-csrf True True True 86400 ['https://memory.example.org']"
        " memory.example.org"
    )


@pytest.mark.django_db
def test_a_person_gets_a_password_and_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    store = create_store(name="Support")
    monkeypatch.setattr("sys.stdin", StringIO("correct horse battery\n"))

    call_command("createuser", "mia", "--store", "support:curator", stdout=StringIO())

    mia = User.objects.get(username="mia")
    assert mia.check_password("correct horse battery")
    assert not mia.is_superuser
    assert list(Member.objects.values_list("user", "store", "role")) == [(mia.pk, store.pk, "curator")]


@pytest.mark.django_db
def test_an_operator_needs_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("correct horse battery\n"))

    call_command("createuser", "mia", "--operator", stdout=StringIO())

    assert User.objects.get(username="mia").is_superuser


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "password", "words"),
    [
        (["mia"], "short", "at least 12 characters"),
        (["mia"], "", "at least 12 characters"),
        (["mia"], "password1234", "too common"),
        (["m i a"], "correct horse battery", "valid username"),
        (["old"], "correct horse battery", "There is a person named old"),
        (
            ["mia", "--store", "nowhere:viewer"],
            "correct horse battery",
            "There is no store nowhere. There is: support.",
        ),
        (["mia", "--store", "support:king"], "correct horse battery", "viewer, curator, owner"),
        (["mia", "--store", "support"], "correct horse battery", "SLUG:ROLE"),
    ],
)
def test_a_person_that_cannot_be_added_is_told_why_and_nobody_is(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], password: str, words: str
) -> None:
    create_store(name="Support")
    User.objects.create_user("old")
    monkeypatch.setattr("sys.stdin", StringIO(f"{password}\n"))

    with pytest.raises(CommandError, match=words):
        call_command("createuser", *arguments, stdout=StringIO())

    assert list(User.objects.values_list("username", flat=True)) == ["old"]


@pytest.mark.django_db
def test_a_sign_in_link_is_for_the_person_named_and_works_once(client: Client) -> None:
    User.objects.create_user("mia")
    out = StringIO()

    call_command("login_link", "mia", stdout=out)

    path = out.getvalue().strip().removeprefix("http://127.0.0.1:8787")
    assert client.get(path).status_code == 200
    assert client.post(path).status_code == 302
    assert client.session["_auth_user_id"] == str(User.objects.get().pk)
    client.logout()
    assert client.post(path).status_code == 410


@pytest.mark.django_db
def test_a_sign_in_link_for_nobody_is_refused() -> None:
    User.objects.create_user("gone", is_active=False)

    for name in ("gone", "never"):
        with pytest.raises(CommandError, match="no active person"):
            call_command("login_link", name)


@pytest.mark.django_db
def test_doctor_shows_no_secret_and_ends_with_1_when_something_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    from memdash.config import Config
    from memdash.management.commands import doctor

    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-hunter2")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://user:hunter2@127.0.0.1/v1")
    monkeypatch.setenv("MEMDASH_HOOST", "hunter2")
    monkeypatch.setattr(doctor, "CONFIG", Config.read())
    out = StringIO()

    with pytest.raises(CommandError, match="1 check failed"):
        call_command("doctor", stdout=out)

    said = out.getvalue()
    assert "hunter2" not in said
    assert "ANTHROPIC_API_KEY is set" in said
    assert "MEMDASH_HOOST" in said
    assert [line.split()[0] for line in said.splitlines()].count("FAIL") == 1


@pytest.mark.django_db
def test_doctor_tells_of_runs_that_nobody_takes() -> None:
    agent = create_agent(name="Support desk", model="demo/support-desk")
    run = runs.start(agent, "Hello", user=User.objects.create_user("mia"))
    Run.objects.filter(pk=run.pk).update(updated_at=run.created_at - timedelta(hours=1))
    out = StringIO()

    call_command("doctor", stdout=out)

    assert "1 run waits for a worker. Is memdash " in out.getvalue()


@pytest.mark.parametrize("text", [ESCAPES, "\x9b31m", "a\nb", "\ud800"])
def test_what_is_printed_cannot_steer_a_terminal(text: str) -> None:
    assert printable(text).isprintable()


@pytest.mark.parametrize("case", json.loads(UNICODE_CASES.read_text()), ids=lambda case: case["id"])
def test_hidden_characters_are_printed_as_their_codes(case: dict[str, str]) -> None:
    left = {unicodedata.category(character) for character in printable(case["text"])}

    assert not left & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def test_plain_text_is_printed_as_it_is() -> None:
    assert printable("größer als 50 % — 記憶 🙂") == "größer als 50 % — 記憶 🙂"


class Screen(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_counts_below_the_lines_and_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)

    with Progress("Importing", 2, OutputWrapper(screen)) as bar:
        bar.step("a.md")
        bar.step("b.md")

    erase = "\r\x1b[K"
    first, second = (f"\rImporting [{'#' * full:<30}] {done} of 2" for full, done in ((15, 1), (30, 2)))
    assert screen.getvalue() == f"{erase}a.md\n{first}{erase}b.md\n{second}{erase}"


def test_without_a_terminal_no_bar_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    out = StringIO()

    with Progress("Importing", 1, OutputWrapper(out)) as bar:
        bar.step("a.md")

    assert (out.getvalue(), capsys.readouterr().err) == ("a.md\n", "")


def test_log_lines_hold_no_exception_text_and_no_second_line_from_a_message() -> None:
    import logging

    from memdash.logs import PlainFormatter

    try:
        raise ValueError("memory text")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "path %s", (ESCAPES + "\nforged",), sys.exc_info())

    lines = PlainFormatter().format(record).splitlines()

    assert lines[0].endswith("\\nforged")
    assert lines[0].isprintable()
    assert lines[1] == "  builtins.ValueError"
    assert "memory text" not in "\n".join(lines)
