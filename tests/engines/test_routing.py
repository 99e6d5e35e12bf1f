"""Who is asked what: routes of the configuration, the guard against a silent switch, the addresses without keys."""

from __future__ import annotations

import pytest
from tests.conftest import Tiny
from tests.engines.conftest import ledger, live, recordings
from tests.engines.fault_server import Service

ROUTES = """
[[engine.route]]
engine = "openai-compatible"
model = "plain"
base_url = "{url}/v1"

[[engine.route]]
stage = "propose_cells"
engine = "openai-compatible"
model = "careful"
base_url = "{url}/v1"

[[engine.route]]
stage = "propose_cells"
seat = "reader_b"
engine = "anthropic"
model = "other"
base_url = "{url}"
"""


def configure(tiny: Tiny, text: str) -> None:
    config = tiny.root / "mempabench.toml"
    config.write_text(config.read_text("utf-8") + text, encoding="utf-8")


def test_each_stage_and_seat_asks_the_model_of_its_route(tiny: Tiny, service: Service) -> None:
    configure(tiny, ROUTES.format(url=service.url))

    tiny.run("build", "--engine", "configured")

    asked = {
        (str(one["stage"]), str(one["seat"]), str(one["asked"]).split(" at ")[0]) for one in ledger(tiny)
    }
    assert {one for one in asked if one[0] == "propose_cells"} == {
        ("propose_cells", "reader_a", "openai-compatible careful"),
        ("propose_cells", "reader_b", "anthropic other"),
    }
    assert {one[2] for one in asked if one[0] != "propose_cells"} == {"openai-compatible plain"}
    assert len(ledger(tiny)) == service.replies


def test_a_request_without_a_route_is_named(tiny: Tiny, service: Service) -> None:
    configure(tiny, '\n[[engine.route]]\nstage = "propose_cells"\nengine = "openai"\nmodel = "m"\n')

    refused = tiny.run("build", "--engine", "configured")

    assert refused.told[-1].startswith(
        "error: mempabench.toml: no [[engine.route]] for find_reactions (writer)"
    )


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("", (), "mempabench.toml: no [[engine.route]], so --engine configured asks nobody; add one"),
        (
            '\n[[engine.route]]\nengine = "openai"\nmodel = "m"\n',
            ("--model", "m"),
            "--engine configured takes model and server from mempabench.toml; leave --model out",
        ),
        (
            '\n[[engine.route]]\nstage = "find"\nengine = "openai"\nmodel = "m"\n',
            (),
            "mempabench.toml: route for stage find: no stage of that name asks anybody",
        ),
        (
            '\n[[engine.route]]\nengine = "mail"\nmodel = "m"\n',
            (),
            "mempabench.toml: engine.route.0.engine",
        ),
    ],
)
def test_a_wrong_route_is_told(tiny: Tiny, text: str, arguments: tuple[str, ...], message: str) -> None:
    configure(tiny, text)

    refused = tiny.run("build", "--engine", "configured", *arguments)

    assert refused.code == 1
    assert refused.told[-1].startswith(f"error: {message}")


def test_a_stage_is_not_finished_by_another_model_unless_that_is_meant(
    tiny: Tiny, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mempabench.engines.services.RETRIES", 0)
    service.faults = ["", "500", "500"]
    live(tiny, service, "--stage", "find_reactions", "--concurrency", "1")
    before = service.calls

    refused = live(tiny, service, "--stage", "find_reactions", engine="anthropic")
    asked = service.calls
    switched = live(tiny, service, "--stage", "find_reactions", "--switch", engine="anthropic")

    assert refused.code == 1
    assert refused.told[-1].startswith("error: find_reactions (writer): ")
    assert f"answers come from openai-compatible stub at {service.url}/v1" in refused.told[-1]
    assert refused.told[-1].endswith("say --switch if that is meant")
    assert asked == before
    assert "answers kept" in switched.err
    assert {str(one["asked"]).split()[0] for one in ledger(tiny)} == {"openai-compatible", "anthropic"}


def test_one_user_only_is_asked_for(tiny: Tiny, service: Service) -> None:
    unknown = live(tiny, service, "--user", "user_z")
    live(tiny, service, "--user", "user_a")

    assert unknown.told[-1] == "error: --user user_z: no such user; mempabench.toml has user_a, user_b"
    assert len(recordings(tiny)) == service.replies > 0


@pytest.mark.parametrize("url", ["http://me:secret@127.0.0.1:9/v1", "http://127.0.0.1:9/v1?key=secret"])
def test_a_key_in_an_address_is_refused_and_not_repeated(tiny: Tiny, url: str) -> None:
    refused = tiny.run("build", "--engine", "openai-compatible", "--model", "m", "--base-url", url)

    assert refused.code == 1
    assert "keys belong into the environment" in refused.told[-1]
    assert "secret" not in refused.err


def test_a_storm_is_weathered_and_every_http_request_stands_in_the_ledger(
    tiny: Tiny, service: Service
) -> None:
    service.faults = ["429"] * 12 + ["500"] * 3

    built = live(tiny, service, "--stage", "find_reactions", "--concurrency", "16")

    assert "0 calls without a reply" in built.err
    assert sum(int(str(one["tries"])) for one in ledger(tiny)) == service.calls
    assert len(ledger(tiny)) == service.replies == service.calls - 15


def test_requests_a_minute_hold_back_what_is_sent(tiny: Tiny, service: Service) -> None:
    built = live(
        tiny,
        service,
        "--stage",
        "find_reactions",
        "--requests-per-minute",
        "6000",
        "--tokens-per-minute",
        "9e8",
    )

    assert "0 calls without a reply" in built.err


def test_a_server_of_ones_own_is_sent_lengths_when_it_knows_them(tiny: Tiny, service: Service) -> None:
    refused = live(tiny, service, "--bounds", "--stage", "find_reactions", "--concurrency", "1")

    assert refused.told[-1].startswith("error: stub: the service takes no such request (400): ")
    assert live(tiny, service, "--bounds", "--stage", "find_reactions", engine="anthropic").code == 1
    assert recordings(tiny)
