"""A run from its first message to its end."""

import pytest
from django.test import override_settings

from agents import runs
from agents.demo.faults import Fault
from agents.models import Run, RunState
from memories import store
from memories.actors import ActorKind
from memories.commands import Overwrite
from memories.models import ChangeSet, MemoryVersion, ReadEvent
from memories.paths import MemoryPath
from tests.support.runs import driven, model_api, new_agent, new_run, person, transcript
from tests.support.stores import PERSON, assert_sound, files_of

pytestmark = pytest.mark.django_db(transaction=True)


def words(run: Run) -> str:
    """Return the last words of the run."""
    last = run.messages.last()
    assert last is not None
    return "".join(block["text"] for block in last.content if block["type"] == "text")


def test_a_run_ends_done_with_each_call_linked_to_the_versions_it_made_and_the_files_it_read() -> None:
    with model_api():
        run = driven(new_run())

    assert (run.state, run.reason, run.lease_owner) == (RunState.DONE, "", "")
    assert_sound(run.agent.store)
    for call in run.tool_calls.filter(first_seq__isnull=False):
        made = MemoryVersion.objects.filter(store=run.agent.store, seq__range=(call.first_seq, call.last_seq))
        assert {(version.run_id, version.turn, version.tool_use_id) for version in made} == {
            (run.uuid, call.turn, call.tool_use_id)
        }
    views = [call for call in run.tool_calls.all() if call.input["command"] == "view" and not call.is_error]
    looks = ReadEvent.objects.filter(run_id=run.uuid)
    assert views
    assert {(call.tool_use_id, call.path) for call in views} == set(looks.values_list("tool_use_id", "path"))


def test_what_a_run_changes_is_one_change_set_by_its_agent() -> None:
    with model_api():
        run = driven(new_run())

    change_set = ChangeSet.objects.get(store=run.agent.store)
    assert change_set.key == f"run:{run.uuid}"
    assert (change_set.actor_kind, change_set.actor_label) == (ActorKind.AGENT, "Support desk")
    assert change_set.versions.count() == run.agent.store.versions.count()


def test_the_calls_of_one_turn_are_answered_in_order_in_one_message() -> None:
    with model_api():
        run = driven(new_run())

    several = [turn for turn in range(1, run.turns + 1) if run.tool_calls.filter(turn=turn).count() > 1]
    assert several
    for turn in several:
        results = run.messages.get(turn=turn, role="user").content
        assert [block["tool_use_id"] for block in results] == [
            call.tool_use_id for call in run.tool_calls.filter(turn=turn)
        ]


def test_an_error_is_told_to_the_model_which_recovers() -> None:
    with model_api():
        run = driven(new_run())

    failed = run.tool_calls.filter(is_error=True).first()
    assert failed is not None
    told = run.messages.get(turn=failed.turn, role="user").content[0]
    assert told["is_error"] is True
    assert told["content"] == failed.content
    assert run.state == RunState.DONE


def test_a_value_that_a_person_changes_between_two_runs_is_in_the_second_answer_and_the_old_one_is_not() -> None:
    agent = new_agent()
    with model_api():
        driven(new_run("Acme Ltd asks for a refund, ticket 77.", agent))
        path = MemoryPath.parse("/memories/policies/refund_policies.xml")
        entry = agent.store.entries.get(path=path.text, state="live")
        assert entry.blob
        changed = '<refund_policies>\n  <refund window_days="99">Full refund</refund>\n</refund_policies>\n'
        store.apply(agent.store_id, Overwrite(path, changed, entry.blob.sha256), actor=PERSON)

        second = driven(new_run("How many days does Acme Ltd have for a refund?", agent))

    assert "99" in words(second)
    assert "30" not in words(second)


def test_usage_adds_up_to_the_totals_of_the_run() -> None:
    with model_api():
        run = driven(new_run())

    usages = [message.usage for message in run.messages.filter(role="assistant")]
    assert len(usages) == run.turns
    assert run.input_tokens == sum(usage["input_tokens"] for usage in usages)
    assert run.output_tokens == sum(usage["output_tokens"] for usage in usages) > 0
    assert run.cache_read_tokens == sum(usage["cache_read_input_tokens"] for usage in usages) > 0
    assert run.cache_write_tokens == sum(usage["cache_creation_input_tokens"] for usage in usages) > 0


def test_each_answer_keeps_its_request_id_model_and_stop_reason() -> None:
    with model_api():
        run = driven(new_run())

    answers = list(run.messages.filter(role="assistant"))
    assert all(answer.request_id.startswith("req_") for answer in answers)
    assert len({answer.request_id for answer in answers}) == len(answers)
    assert {answer.model for answer in answers} == {run.settings["model"]}
    assert [answer.stop_reason for answer in answers][-1] == "end_turn"


def test_the_context_rules_of_the_agent_are_sent() -> None:
    agent = new_agent(context_trigger=1, context_keep=2, compaction=True, compaction_trigger=50_000)
    with model_api() as server:
        run = driven(new_run(agent=agent))

        request = server.received[0]
    assert request.body["context_management"]["edits"] == [
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": 1},
            "keep": {"type": "tool_uses", "value": 2},
            "exclude_tools": ["memory"],
        },
        {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}},
    ]
    assert set(request.headers["anthropic-beta"].split(",")) == {"context-management-2025-06-27", "compact-2026-01-12"}
    assert run.state == RunState.DONE


def test_after_a_summary_only_what_follows_it_is_sent_and_its_tokens_count() -> None:
    agent = new_agent(compaction=True, compaction_trigger=50_000, context_editing=False)
    long = "Acme Ltd said: " + "much " * 60_000
    with model_api() as server:
        run = driven(new_run(long, agent))

        last = server.received[-1].body["messages"]
    summaries = [m for m in run.messages.all() for block in m.content if block["type"] == "compaction"]
    assert run.state == RunState.DONE, run.detail
    assert summaries
    assert last[0]["content"][0]["type"] == "compaction"
    assert run.messages.get(seq=1).content[0]["text"] == long, "the stored conversation stays whole"
    plain = sum(message.usage.get("input_tokens", 0) for message in run.messages.filter(role="assistant"))
    assert run.input_tokens > plain


def test_the_agents_settings_count_from_its_next_run() -> None:
    agent = new_agent(system_prompt="Be brief.")
    with model_api() as server:
        run = new_run(agent=agent)
        agent.system_prompt = "Be long."
        agent.max_output_tokens = 7
        agent.save()

        driven(run)

        assert {(request.body["system"], request.body["max_tokens"]) for request in server.received} == {
            ("Be brief.", 8192)
        }


def test_a_run_without_a_key_says_so_and_names_the_demo_model() -> None:
    with override_settings(MEMDASH_ANTHROPIC_API_KEY=""):
        run = driven(new_run())

    assert run.state == RunState.FAILED
    assert "ANTHROPIC_API_KEY" in run.detail
    assert "demo/support-desk" in run.detail
    with model_api():
        runs.resume(run, user=person())
        assert driven(run).state == RunState.DONE


def test_a_demo_run_needs_no_key_and_is_served_from_this_process() -> None:
    run = driven(new_run(agent=new_agent(model="demo/code-reviewer")), patience=60)

    assert run.state == RunState.DONE
    assert run.agent.is_scripted
    assert files_of(run.agent.store)


def test_a_tool_that_does_not_exist_is_refused_and_the_run_goes_on() -> None:
    with model_api() as server:
        run = new_run()
        run.messages.create(
            seq=2,
            role="assistant",
            turn=1,
            stop_reason="tool_use",
            content=[{"type": "tool_use", "id": "toolu_x", "name": "bash", "input": {"command": "rm"}}],
            created_at=run.created_at,
        )
        Run.objects.filter(pk=run.pk).update(last_seq=2, turns=1)
        driven(run)

        told = server.received[0].body["messages"][-1]["content"][0]
    assert told["is_error"] is True
    assert "no tool named bash" in told["content"]
    assert not run.tool_calls.get(tool_use_id="toolu_x").path
    assert run.events.filter(kind="call").earliest("seq").data["tool_use_id"] == "toolu_x"


@pytest.mark.parametrize(
    "hostile", [None, [], "text", {"path": ["/memories"]}, {"path": "\ud800\x00" * 2000}, {"old_path": 7}]
)
def test_whatever_a_model_puts_into_a_call_is_kept_answered_and_sent_back(hostile: object) -> None:
    with model_api():
        run = new_run()
        run.messages.create(
            seq=2,
            role="assistant",
            turn=1,
            stop_reason="tool_use",
            content=[{"type": "tool_use", "id": "toolu_x", "name": "memory", "input": hostile}],
            created_at=run.created_at,
        )
        Run.objects.filter(pk=run.pk).update(last_seq=2, turns=1)
        runs.drive(run.pk)

    call = run.tool_calls.get(tool_use_id="toolu_x")
    assert call.is_error
    assert len(call.path) <= 1024
    assert "\x00" not in call.path


def test_a_delivery_for_a_run_that_is_over_changes_nothing() -> None:
    with model_api() as server:
        run = driven(new_run())
        before = (run.updated_at, run.lease_epoch, len(server.received))

        runs.drive(run.pk)
        runs.drive(123456)

        run.refresh_from_db()
        assert (run.updated_at, run.lease_epoch, len(server.received)) == before


def test_an_error_of_our_own_is_kept_out_of_the_run_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("password=hunter2")

    with model_api():
        run = new_run()
        with monkeypatch.context() as patch:
            patch.setattr("agents.runs.driving.turns.ask", broken)
            runs.drive(run.pk)
        run.refresh_from_db()
        attempt = run.failed_attempts.get()

        assert run.state == RunState.WAITING
        assert "hunter2" not in attempt.cause + run.detail
        assert driven(run).state == RunState.DONE


def test_a_refusal_and_a_pause_of_the_model_are_told_apart() -> None:
    with model_api(Fault("stop_reason_refusal", after=1)):
        run = driven(new_run())

        assert (run.state, run.reason) == (RunState.STOPPED, "refusal")
        runs.resume(run, user=person())
        driven(run)

    assert run.state == RunState.DONE
    roles = [role for role, content in transcript(run) if content]
    assert roles.count("assistant") == run.turns - 1
