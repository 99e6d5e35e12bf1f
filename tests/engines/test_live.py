"""Live models: every answer kept as it comes, every fault survived or told, nothing asked twice for nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from tests.conftest import Outcome, Tiny
from tests.engines.conftest import ledger, live, recordings
from tests.engines.fault_server import KEY, Service


def go_through(tiny: Tiny, service: Service, engine: str) -> Outcome:
    """Build live, decide and build again until the release stands."""
    for _ in range(6):
        built = live(tiny, service, "--concurrency", "1", engine=engine)
        if built.code == 0:
            return built
        done = tiny.decide() if "wait for review" in built.err else tiny.substitute()
        assert done.code == 0, built.err + done.err
    raise AssertionError(built.err)


@pytest.mark.parametrize("engine", ["openai", "openai-compatible", "anthropic"])
def test_a_live_build_ends_as_the_recorded_one(
    tiny: Tiny, built_once: Tiny, service: Service, engine: str
) -> None:
    built = go_through(tiny, service, engine)

    wanted = built_once.artifacts()
    found = {name: content for name, content in tiny.artifacts().items() if name != "ledger.jsonl"}
    assert built.code == 0
    assert found == wanted
    assert {one["model"] for one in recordings(tiny)} == {"stub-1"}
    assert {one["writer"] for one in recordings(tiny)} == {"language model"}
    assert len(ledger(tiny)) == len(recordings(tiny)) == service.replies
    again = live(tiny, service, engine=engine)
    assert (again.code, service.replies) == (0, len(recordings(tiny)))


@pytest.mark.parametrize("engine", ["openai-compatible", "anthropic"])
@pytest.mark.parametrize(
    ("fault", "refused"),
    [
        ("429", None),
        ("500", None),
        ("529", None),
        ("cut", None),
        ("half", None),
        ("length", "the answer was cut off at the limit of tokens; be briefer"),
        ("refusal", "the request was declined; it asks about a written scene"),
        ("empty", "the answer was empty"),
        ("prose", "the answer was no JSON object; answer with it and nothing else"),
        ("fenced", "the answer was no JSON object; answer with it and nothing else"),
    ],
)
def test_a_fault_changes_nothing_in_the_end(
    tiny: Tiny, built_once: Tiny, service: Service, engine: str, fault: str, refused: str | None
) -> None:
    service.faults = [fault, fault]

    live(tiny, service, "--stage", "find_reactions", "--concurrency", "1", engine=engine)

    assert tiny.artifacts()["evidence.jsonl"] == built_once.artifacts()["evidence.jsonl"]
    reasons = [one["refused"] for one in recordings(tiny) if one["refused"]]
    assert [[refused]] * 2 == [r for r in reasons if r == [refused]] if refused else [refused] not in reasons
    assert service.faults == []
    assert len(ledger(tiny)) == service.replies == len(recordings(tiny))
    assert (
        sum(int(str(one["tokens_in"])) + int(str(one["tokens_out"])) for one in ledger(tiny))
        == service.tokens
    )


def test_a_filtered_answer_is_refused_and_asked_again(tiny: Tiny, service: Service) -> None:
    service.faults = ["filter"]

    live(tiny, service, "--stage", "find_reactions", "--concurrency", "1")

    assert [one["refused"] for one in recordings(tiny)].count(["the answer was filtered by the service"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--engine", "openai"), "--engine openai needs --model"),
        (("--engine", "openai-compatible", "--model", "m"), "--engine openai-compatible needs --base-url"),
        (
            ("--engine", "openai", "--model", "m", "--stage", "find"),
            "--stage find: no stage of that name asks anybody",
        ),
    ],
)
def test_options_that_do_not_go_together_are_told(
    tiny: Tiny, arguments: tuple[str, ...], message: str
) -> None:
    refused = tiny.run("build", *arguments)

    assert refused.code == 1
    assert refused.told[-1].startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("401", "stub: the service refuses the key (401); set another one in the environment"),
        ("403", "stub: the service refuses the key (403)"),
        ("404", "stub: the service knows no such model or address (404)"),
        ("400", "stub: the service takes no such request (400)"),
    ],
)
@pytest.mark.parametrize("engine", ["openai-compatible", "anthropic"])
def test_what_asking_again_cannot_mend_stops_at_once(
    tiny: Tiny, service: Service, engine: str, status: str, message: str
) -> None:
    service.always = status

    stopped = live(tiny, service, "--concurrency", "1", engine=engine)

    assert stopped.code == 1
    assert stopped.told[-1].startswith(f"error: {message}")
    assert service.calls == 1
    assert recordings(tiny) == []


def test_a_service_that_stays_down_is_told_and_what_came_is_kept(
    tiny: Tiny, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mempabench.engines.services.RETRIES", 0)
    service.faults = ["", "500", "500", "500"]

    stopped = live(tiny, service, "--stage", "find_reactions", "--concurrency", "1")

    assert stopped.code == 1
    assert "calls got no reply (last: InternalServerError 500" in stopped.told[-1]
    assert "what was answered is kept, run again to go on" in stopped.told[-1]
    assert len(recordings(tiny)) == service.replies > 0
    assert sum("no reply" in str(one["outcome"]) for one in ledger(tiny)) == 3
    assert live(tiny, service, "--stage", "find_reactions").code == 1
    assert len(recordings(tiny)) == len({str(one["digest"]) for one in recordings(tiny)})


def test_no_key_is_told_and_no_key_is_ever_written(
    tiny: Tiny, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    keyless = tiny.run("build", "--engine", "openai", "--model", "stub")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    built = live(tiny, service)

    assert keyless.told[-1] == "error: no key for OpenAI; set OPENAI_API_KEY in the environment"
    assert KEY not in built.out + built.err
    assert not any(KEY.encode() in path.read_bytes() for path in tiny.root.rglob("*") if path.is_file())


PRICE = '\n[engine.prices."stub"]\ntokens_in = 1000.0\ntokens_out = 2000.0\n'


def test_a_limit_of_cost_is_kept_and_needs_a_price(tiny: Tiny, service: Service) -> None:
    unpriced = live(tiny, service, "--max-cost", "1")
    config = tiny.root / "mempabench.toml"
    config.write_text(config.read_text("utf-8") + PRICE, encoding="utf-8")
    dry = live(tiny, service, "--dry-run", "--max-tokens", "100")
    asked_before = service.calls
    limited = live(tiny, service, "--max-cost", "9", "--max-tokens", "100", "--stage", "find_reactions")

    assert unpriced.told[-1].startswith(
        "error: mempabench.toml: no price for 'stub', so --max-cost can't be kept"
    )
    assert dry.code == 0
    assert "requests wait, about" in dry.err
    assert "at most" in dry.err
    assert asked_before == 0
    assert limited.code == 1
    assert limited.told[-1].startswith("error: --max-cost 9 is reached; what was answered is kept")
    assert service.replies > 0
    assert sum(float(str(one["cost"])) for one in ledger(tiny)) == pytest.approx(service.replies * 0.04)
    assert service.replies * 0.04 <= 9


def test_private_text_is_sent_with_consent_only(tiny: Tiny, service: Service) -> None:
    manifest = tiny.root / "transcripts_raw/sources.toml"
    manifest.write_text(
        manifest.read_text("utf-8").replace("redistributable = true", "redistributable = false")
    )

    refused = live(tiny, service)
    sent = service.calls
    live(tiny, service, "--consent")

    assert refused.code == 1
    assert "--consent" in refused.told[-1]
    assert sent == 0
    assert service.calls > 0


def test_a_torn_recording_is_cut_off_and_asked_again(tiny: Tiny, service: Service) -> None:
    live(tiny, service)
    path = next((tiny.root / "recordings/find_reactions").glob("*.jsonl"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])

    again = live(tiny, service)

    assert "its last line was torn; it is asked again" in again.err
    assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())


def test_the_ledger_shows_calls_by_stage_model_and_attempt(tiny: Tiny, service: Service) -> None:
    nothing = tiny.run("requests", "ledger")
    service.faults = ["prose"]
    live(tiny, service, "--stage", "find_reactions", "--concurrency", "1")

    header, *rows = tiny.run("requests", "ledger").out.splitlines()

    assert nothing.told == ["no live call was made here"]
    assert header.split()[:6] == ["stage", "model", "attempt", "accepted", "refused", "no"]
    assert {row.split()[0] for row in rows} == {"find_reactions"}
    assert {row.split()[1] for row in rows} == {"stub-1"}
    assert sum(int(row.split()[4]) for row in rows) == sum(bool(one["refused"]) for one in recordings(tiny))


@pytest.mark.parametrize("moment", [0.9, 1.3])
def test_a_killed_run_pays_for_nothing_again_that_was_answered(
    tiny: Tiny, built_once: Tiny, service: Service, moment: float
) -> None:
    slow = service.answer

    def slowly(system: str, user: str) -> str:
        time.sleep(0.05)
        return slow(system, user)

    service.answer = slowly
    arguments = ["--engine", "openai-compatible", "--model", "stub", "--base-url", f"{service.url}/v1"]
    command = [
        sys.executable,
        "-m",
        "mempabench.cli",
        "-C",
        str(tiny.root),
        "build",
        "--concurrency",
        "2",
        *arguments,
    ]
    process = subprocess.Popen(
        command, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    process.wait()

    go_through(tiny, service, "openai-compatible")

    found = {name: content for name, content in tiny.artifacts().items() if name != "ledger.jsonl"}
    assert found == built_once.artifacts()
    assert service.replies <= len(recordings(tiny)) + 2


def test_a_model_that_is_never_right_is_told_with_the_ways_on(tiny: Tiny, service: Service) -> None:
    service.always = "prose"

    built = live(tiny, service, "--stage", "find_reactions")

    assert built.code == 1
    assert built.told[-1] == (
        "error: find_reactions: the answers to all 12 units were refused; recordings/find_reactions/ says why; "
        "give them more attempts with mempabench requests again, or ask another model"
    )
    assert {bool(one["refused"]) for one in recordings(tiny)} == {True}
