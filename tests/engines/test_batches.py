"""Batches at providers: every line accounted for, whatever comes back, and no batch forgotten or paid for twice."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from tests.conftest import Outcome, Tiny
from tests.engines.conftest import PATHS, ledger, live, recordings
from tests.engines.fault_server import KEY, Service

from mempabench.engines import answering

ENGINES = ("openai-compatible", "anthropic")
PRICE = '\n[engine.prices."stub"]\ntokens_in = 1000.0\ntokens_out = 2000.0\nbatch = 0.5\n'


def submit(tiny: Tiny, service: Service, engine: str, *more: object) -> Outcome:
    url = service.url + PATHS[engine]
    return tiny.run("requests", "submit", "--engine", engine, "--model", "stub", "--base-url", url, *more)


def journal(tiny: Tiny) -> list[dict[str, object]]:
    lines = (tiny.root / "recordings/batches.jsonl").read_text("utf-8").splitlines()
    return list({line["intent"]: line for line in map(json.loads, lines)}.values())


def through_batches(tiny: Tiny, service: Service, engine: str) -> Outcome:
    """Submit, collect, decide and build until the release stands."""
    for _ in range(20):
        built = tiny.run("build")
        if built.code == 0:
            return built
        if "wait for review" in built.err:
            done = tiny.decide()
        elif "substitute" in built.told[-1]:
            done = tiny.substitute()
        else:
            done = submit(tiny, service, engine)
            assert done.code == 0, done.err
            done = tiny.run("requests", "collect")
        assert done.code == 0, built.err + done.err
    raise AssertionError(built.err)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_dataset_made_by_batches_is_the_recorded_one(
    tiny: Tiny, built_once: Tiny, service: Service, engine: str
) -> None:
    through_batches(tiny, service, engine)

    found = {name: content for name, content in tiny.artifacts().items() if name != "ledger.jsonl"}
    assert found == built_once.artifacts()
    assert len(recordings(tiny)) == len(ledger(tiny)) == service.desk.answered
    assert {one["batch"] for one in ledger(tiny)} == {one["id"] for one in journal(tiny)}
    assert {one["state"] for one in journal(tiny)} == {"collected"}
    assert tiny.run("requests", "poll").told == ["no batch is open"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("missing", "  1 requests without a line; they wait again"),
        ("doubled", "  1 lines came a second time; the first were kept"),
        ("stranger", "  1 lines for requests that are not in the batch; left out"),
        ("error", "without an answer: "),
        ("expired", "without an answer: "),
        ("length", "the answer was cut off at the limit of tokens; be briefer"),
        ("refusal", "the request was declined; it asks about a written scene"),
        ("empty", "the answer was empty"),
        ("prose", "the answer was no JSON object; answer with it and nothing else"),
        ("fenced", "the answer was no JSON object; answer with it and nothing else"),
    ],
)
def test_a_bad_line_is_told_and_changes_nothing_in_the_end(
    tiny: Tiny, built_once: Tiny, service: Service, engine: str, fault: str, told: str
) -> None:
    service.desk.line_faults = [fault]
    waiting = _waiting(tiny)

    submit(tiny, service, engine, "--stage", "find_reactions")
    collected = tiny.run("requests", "collect")

    reasons = [one["refused"] for one in recordings(tiny)]
    assert told in collected.out or reasons.count([told]) == 1
    kept = Counter(bool(one["refused"]) for one in recordings(tiny))
    lost = fault in ("missing", "stranger", "error", "expired")
    assert sum(kept.values()) == waiting - lost
    assert len(ledger(tiny)) == waiting - (fault in ("missing", "stranger"))
    while submit(tiny, service, engine, "--stage", "find_reactions").out:
        tiny.run("requests", "collect")
    tiny.run("build")
    assert tiny.artifacts()["evidence.jsonl"] == built_once.artifacts()["evidence.jsonl"]


def _waiting(tiny: Tiny) -> int:
    rows = map(json.loads, tiny.run("status", "--json").out.splitlines())
    return next(int(row["missing"]) for row in rows if row["stage"] == "find_reactions")


def test_a_line_that_is_no_json_is_left_out_and_its_request_waits_again(tiny: Tiny, service: Service) -> None:
    service.desk.line_faults = ["garbled"]

    submit(tiny, service, "openai-compatible", "--stage", "find_reactions")
    collected = tiny.run("requests", "collect")

    assert "  1 requests without a line; they wait again" in collected.out
    assert "  1 lines for requests that are not in the batch; left out" in collected.out


def test_what_is_out_in_a_batch_is_asked_no_other_way(tiny: Tiny, service: Service) -> None:
    service.desk.polls = 1

    first = submit(tiny, service, "openai-compatible", "--stage", "find_reactions")
    again = submit(tiny, service, "openai-compatible", "--stage", "find_reactions")
    live(tiny, service, "--stage", "find_reactions")
    early = tiny.run("requests", "collect")
    polled = tiny.run("requests", "poll")
    collected = tiny.run("requests", "collect")

    assert first.code == again.code == 0
    assert again.told == ["no request waits (those in open batches don't count)"]
    assert service.replies == service.desk.answered
    assert early.told == ["1 batch is not ready yet"]
    assert polled.out.endswith("ready to collect\n")
    assert " accepted" in collected.out


@pytest.mark.parametrize("engine", ENGINES)
def test_a_submission_cut_after_it_was_taken_is_found_again(
    tiny: Tiny, service: Service, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mempabench.engines.services.RETRIES", 0)
    submit(tiny, service, engine, "--stage", "observe_identity")
    service.desk.drop_replies = 1

    cut = submit(tiny, service, engine, "--stage", "find_reactions")
    collected = tiny.run("requests", "collect")

    assert cut.code == 1
    assert [one["state"] for one in journal(tiny)] == ["collected", "collected"]
    assert "a crash cut its submission; it was found at the provider as" in collected.err
    assert len(recordings(tiny)) == service.desk.answered
    assert len(service.desk.batches) == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_submission_that_never_arrived_is_free_to_be_asked_again(
    tiny: Tiny, service: Service, engine: str
) -> None:
    anthropic = engine == "anthropic"
    service.faults = ["500"] if anthropic else ["", "500"]

    down = submit(tiny, service, engine, "--stage", "find_reactions")
    meant = journal(tiny)
    up = submit(tiny, service, engine, "--stage", "find_reactions")

    assert down.code == 1
    assert "500" in down.told[-1]
    assert [one["state"] for one in meant] == ["meant"]
    assert "it never reached the provider" in up.err
    assert [one["state"] for one in journal(tiny)] == ["failed", "open"]
    assert len(service.desk.batches) == 1


def test_a_batch_that_the_provider_takes_none_of_waits_again(tiny: Tiny, service: Service) -> None:
    submit(tiny, service, "openai-compatible", "--stage", "find_reactions")
    kept = next(iter(service.desk.batches.values()))
    kept.broken = "a line is too long"

    collected = tiny.run("requests", "collect")
    again = submit(tiny, service, "openai-compatible", "--stage", "find_reactions")

    assert collected.told[0].endswith(
        "the provider took none of it (a line is too long); its requests wait again"
    )
    assert recordings(tiny) == []
    assert again.out


@pytest.mark.parametrize("engine", ENGINES)
def test_a_collection_that_was_cut_goes_on_and_enters_each_call_once(
    tiny: Tiny, service: Service, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(tiny, service, engine, "--stage", "find_reactions")
    real, kept = answering.keep, [0]

    def fragile(*arguments: object) -> None:
        kept[0] += 1
        if kept[0] == 3:
            raise KeyboardInterrupt
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(answering, "keep", fragile)
    cut = tiny.run("requests", "collect")
    monkeypatch.setattr(answering, "keep", real)
    again = tiny.run("requests", "collect")

    assert cut.code != 0
    assert again.code == 0
    digests = [str(one["digest"]) for one in ledger(tiny)]
    assert sorted(digests) == sorted(str(one["digest"]) for one in recordings(tiny))
    assert len(digests) == len(set(digests)) == service.desk.answered


def test_a_limit_of_cost_sends_what_fits(tiny: Tiny, service: Service) -> None:
    config = tiny.root / "mempabench.toml"
    config.write_text(config.read_text("utf-8") + PRICE, encoding="utf-8")

    dry = submit(tiny, service, "anthropic", "--dry-run", "--max-tokens", "100")
    limited = submit(tiny, service, "anthropic", "--max-tokens", "100", "--max-cost", "3")

    waiting = int(dry.told[-1].split()[0])
    sent = len(next(iter(service.desk.batches.values())).requests)
    assert 0 < sent < waiting
    assert f"--max-cost 3 allows {sent} of {waiting} requests" in limited.told[-1]
    tiny.run("requests", "collect")
    assert sum(float(str(one["cost"])) for one in ledger(tiny)) == pytest.approx(sent * 0.02)


def test_batches_are_split_by_size_and_no_key_is_written(tiny: Tiny, service: Service) -> None:
    sent = submit(tiny, service, "openai-compatible", "--size", "2", "--stage", "find_reactions")

    sizes = [len(batch.requests) for batch in service.desk.batches.values()]
    assert max(sizes) == 2
    assert sum(sizes) == _waiting(tiny)
    assert len(sent.out.splitlines()) == len(sizes)
    assert not any(KEY.encode() in path.read_bytes() for path in tiny.root.rglob("*") if path.is_file())
