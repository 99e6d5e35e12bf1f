"""Arguments from a tool's own schema: only results or typed errors, whatever they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.world.cases import CASES
from tests.world.conftest import NOW, done, opened, refused, specimen

from mempabench.domain.taxonomy import TAXONOMY, settings_of
from mempabench.domain.worlds import KINDS
from mempabench.world.branch import Branch
from mempabench.world.tool import ALWAYS, Tool
from mempabench.world.toolbox import all_tools, world_tools

IDS = [record.id for record in specimen()[1]] + ["con_9999", "", "mail_n0001"]
TEXTS = st.sampled_from(
    ["a", "Playhouse", "x" * 300, "../../etc/passwd", "😀é", "\x00", "2027-03-03"]
) | st.text(max_size=12)
TIMES = st.sampled_from(
    [
        "2027-03-04T10:00:00+01:00",
        "2027-03-01T00:00:00Z",
        "2027-03-04T10:00:00",
        "2100-01-01T00:00:00Z",
        "soon",
    ]
)


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy of values that mostly fit a schema."""
    if "anyOf" in schema:
        return st.one_of([values(one) for one in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    match schema.get("type"):
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(schema.get("minimum", 0), schema.get("maximum", 100))
        case "number":
            return st.sampled_from([1, 12.5, 0, -1, 10**9])
        case "array":
            return st.lists(values(schema["items"]), max_size=3)
        case "object":
            return objects(schema)
    if schema.get("format") == "date-time":
        return TIMES
    if schema.get("format") == "date":
        return st.sampled_from(["2027-03-04", "2027-03-01", "2027-02-30", "9999-12-31"])
    if schema.get("format") == "time":
        return st.sampled_from(["09:00", "23:59", "25:00"])
    if "pattern" in schema and "@" in schema["pattern"]:
        return st.sampled_from(["p.vermeulen@aldineplayhouse.example", "a@b", "no"])
    return st.sampled_from(IDS) | TEXTS


def objects(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    required = set(schema.get("required", ()))
    found = {name: values(one) for name, one in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: one for name, one in found.items() if name in required},
        optional={name: one for name, one in found.items() if name not in required},
    )


def gives_a_result_or_a_typed_error(tool: Tool, data: st.DataObject) -> None:
    world = opened().branch()
    before = world.state.digest()

    outcome = world.call(tool.name, data.draw(objects(tool.schema)), NOW)

    assert json.loads(outcome.text) == outcome.result
    if outcome.done:
        assert bool(tool.writes) or world.state.digest() == before
    else:
        assert outcome.code in {**ALWAYS, **tool.refusals, **tool.limits}
        assert world.state.digest() == before


EVERY_TOOL = pytest.mark.parametrize("tool", list(all_tools().values()), ids=lambda tool: tool.name)


@EVERY_TOOL
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_call_gives_a_result_or_a_typed_error(tool: Tool, data: st.DataObject) -> None:
    gives_a_result_or_a_typed_error(tool, data)


@pytest.mark.soak
@EVERY_TOOL
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_many_calls_of_each_tool_give_a_result_or_a_typed_error(tool: Tool, data: st.DataObject) -> None:
    gives_a_result_or_a_typed_error(tool, data)


@EVERY_TOOL
def test_a_schema_is_valid_closed_and_says_what_each_argument_is(tool: Tool) -> None:
    Draft202012Validator.check_schema(tool.schema)

    assert tool.schema["additionalProperties"] is False
    assert "$ref" not in json.dumps(tool.schema)
    assert tool.description[0].isupper()
    assert tool.description.endswith(".")
    for name, one in tool.schema["properties"].items():
        assert one["description"], name


@pytest.mark.parametrize("case", [case for case in CASES if case.code is None], ids=str)
def test_arguments_that_are_taken_fit_the_schema(case: Any) -> None:
    Draft202012Validator(world_tools()[case.tool].schema).validate(case.arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "place"),
    [
        ("mail_read", {}, "mail_id: field required"),
        ("mail_read", {"mail_id": "mail_0001", "loud": True}, "loud: extra inputs"),
        ("mail_read", {"mail_id": 1}, "mail_id: input should be a valid string"),
        ("calendar_search", {"since": "2027-03-04T10:00:00"}, "since: input should have timezone info"),
        ("calendar_search", {"since": 1800000000}, "since: input should be a valid datetime"),
        ("calendar_search", {"limit": 51}, "limit: input should be less than or equal to 50"),
        ("calendar_search", {"limit": "5"}, "limit: input should be a valid integer"),
        ("files_write", {"path": "../secret", "text": ""}, "path: value error"),
        ("files_write", {"path": "/etc/passwd", "text": ""}, "path: string should match"),
        ("files_write", {"path": "a/./b", "text": ""}, "path: value error"),
        ("payments_send", {"account_id": "acct_0001", "contact_id": "con_0007", "amount": "0", "reference": "x"},
         "amount: input should be greater than 0"),
        ("payments_send", {"account_id": "acct_0001", "contact_id": "con_0007", "amount": float("nan"),
                           "reference": "x"}, "not JSON compliant"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_named_with_their_place(
    world: Branch, name: str, arguments: dict[str, Any], place: str
) -> None:
    outcome = refused(world, name, **arguments)

    assert outcome.code == "invalid_arguments"
    assert place in outcome.result["error"]["message"]
    assert not outcome.limit


def test_no_path_leads_out_of_the_working_copy(world: Branch) -> None:
    for path in ("..", "a/../../b", "/a", "a//b", "a/", "~/../x", "C:\\x", "a\x00b", ". ./x", "a/ .. /b"):
        assert not world.call("files_read", {"path": path}, NOW).done
        assert not world.call("files_write", {"path": path, "text": "x"}, NOW).done


def test_an_unknown_tool_and_an_unknown_id_say_what_there_is(world: Branch) -> None:
    assert refused(world, "mail_sent").code == "no_such_tool"
    message = refused(world, "mail_read", mail_id="mail_0999").result["error"]["message"]
    assert message == "mail_0999: no record is known by that id; mail_search gives ids"


def test_pages_follow_one_another_without_a_gap(world: Branch) -> None:
    whole = done(world, "mail_search", limit=50)
    some, after = [], None
    while True:
        page = done(world, "mail_search", limit=3, after=after)
        some += page["items"]
        after = page.get("more_after")
        if after is None:
            break

    assert some == whole["items"]
    assert whole["total"] == len(some) > 6
    assert refused(world, "mail_search", after="mail_0999").code == "not_found"


def test_the_interaction_tools_have_the_settings_of_the_taxonomy(world: Branch) -> None:
    for spec in TAXONOMY:
        tool = all_tools()[f"ix_{spec.attribute}"]
        assert tuple(tool.schema["properties"]["setting"]["enum"]) == settings_of(spec.attribute)
        assert not tool.writes
        assert set(tool.schema["required"]) == set(tool.schema["properties"])
        assert len(tool.schema["properties"]) >= 2
        for setting in settings_of(spec.attribute):
            assert f"{setting}:" in tool.description


def test_an_interaction_call_stands_in_the_journal_and_changes_nothing(world: Branch) -> None:
    before = world.state.digest()

    result = done(world, "ix_solution_breadth", setting="low", options=[
        {"title": "The fern print", "text": "Hand-coloured, 34.00."},
        {"title": "The thermos", "text": "Steel, 41.50."},
    ])  # fmt: skip

    assert result["setting"] == "low"
    assert world.state.digest() == before
    assert world.journal()[-1].tool == "ix_solution_breadth"
    assert refused(world, "ix_solution_breadth", setting="low", options=[]).code == "invalid_arguments"


def test_every_kind_of_record_is_read_by_a_tool() -> None:
    assert set().union(*(tool.reads for tool in world_tools().values())) == set(KINDS)
