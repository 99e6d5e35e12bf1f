"""Every tool: a success and what it changed, and each refusal that its docstring names."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.world.cases import CASES, Case
from tests.world.conftest import opened, specimen

from mempabench.world.branch import Branch
from mempabench.world.tool import Tool
from mempabench.world.toolbox import DOMAINS, all_tools, open_world, world_tools


def branch_for(case: Case) -> Branch:
    """Return the world of a case, with what was done before."""
    if not (case.edits or case.without):
        world = opened().branch()
    else:
        header, records = specimen()
        kept = [record for record in records if record.kind != case.without]
        world = open_world(header, [record.changed(**case.edits.get(record.id, {})) for record in kept])
    for tool, arguments in case.before:
        outcome = world.call(tool, arguments, case.at)
        assert outcome.done, outcome.text
    return world


def summary(world: Branch) -> str:
    """Return what the last call changed: kinds with + for new, ~ for changed, - for removed records."""
    signs = Counter(
        change.kind + ("+" if change.before is None else "-" if change.after is None else "~")
        for change in world.journal()[-1].changes
    )
    return " ".join(f"{sign}{count}" for sign, count in sorted(signs.items()))


@pytest.mark.parametrize("case", [case for case in CASES if case.code is None], ids=str)
def test_a_call_that_succeeds_changes_what_it_says(case: Case) -> None:
    world = branch_for(case)
    before = world.state.digest()

    outcome = world.call(case.tool, case.arguments, case.at)

    assert outcome.done, outcome.text
    assert summary(world) == case.changes
    assert (world.state.digest() == before) == (case.changes == "")


@pytest.mark.parametrize("case", [case for case in CASES if case.code], ids=str)
def test_a_refusal_names_its_code_and_changes_nothing(case: Case) -> None:
    world = branch_for(case)
    before = world.state.digest()
    tool = world_tools()[case.tool]

    outcome = world.call(case.tool, case.arguments, case.at)

    assert outcome.code == case.code, outcome.text
    assert outcome.limit == (case.code in tool.limits)
    assert {**tool.refusals, **tool.limits}[str(case.code)] in outcome.result["error"]["message"]
    assert world.state.digest() == before


def test_every_tool_has_a_success_and_every_refusal_that_a_docstring_names_happens() -> None:
    named = {(tool.name, code) for tool in world_tools().values() for code in (*tool.refusals, *tool.limits)}

    assert {(case.tool, case.code) for case in CASES if case.code} == named
    assert {case.tool for case in CASES if case.code is None} == set(world_tools())


def test_there_are_83_tools_and_14_for_the_interaction() -> None:
    tools = world_tools().values()

    assert len(tools) == 83
    assert len(all_tools()) == 83 + 14
    assert {tool.domain for tool in tools} == set(DOMAINS)
    assert sum(len(tool.reads) > 1 for tool in tools) >= 40
    assert sum(bool(tool.limits) for tool in tools) >= 12


@pytest.mark.parametrize("tool", list(world_tools().values()), ids=lambda tool: tool.name)
def test_each_limit_names_another_tool_that_goes_on(tool: Tool) -> None:
    for words in tool.limits.values():
        named = set(words.replace(",", " ").replace(";", " ").split()) & set(world_tools())
        assert named - {tool.name}, words
