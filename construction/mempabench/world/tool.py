"""A tool: a function whose signature and docstring are the one source of its name, description and schema.

The docstring begins with the description. ``Args:`` says what each argument is, ``Raises:`` which refusals there are,
``Limits:`` what the tool can't do where another one can; a message to the agent is made of the same words, and a
refusal that the docstring doesn't name is a fault of the tool.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from mempabench.domain.worlds import WorldRecord, kind_of
from mempabench.world.view import Refusal, View

R = TypeVar("R", bound=WorldRecord)
Effect = Literal["reads", "writes", "external"]

COMMON = {
    "limit": "how many to return at most",
    "after": "id of the last one seen, to go on behind it",
}
"""What arguments that every domain has are."""
ALWAYS = {
    "invalid_arguments": "the arguments don't fit the schema",
    "not_found": "no record is known by that id",
    "locked": "nothing may be written yet; finish reading and asking first",
    "no_such_tool": "there is no tool of that name",
}
"""Refusals that any call may meet."""

_WRITTEN = json.JSONEncoder(ensure_ascii=False)
_GIVEN = json.JSONEncoder(allow_nan=False)

Limit = Annotated[int, Field(ge=1, le=50)]
After = Annotated[str, Field(max_length=40)] | None


class Arguments(BaseModel):
    """The arguments of a call, checked."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Outcome:
    """What came of a call."""

    result: dict[str, Any]
    """What the agent gets, JSON-ready; ``{"error": {…}}`` for a refusal."""
    code: str | None = None
    """Of the refusal."""
    limit: bool = False
    """Whether it is a limit of the tool, where another one reaches the goal."""

    @property
    def done(self) -> bool:
        """Whether the call was carried out."""
        return self.code is None

    @cached_property
    def text(self) -> str:
        """The result as the JSON text that goes to the agent."""
        return _WRITTEN.encode(self.result)


@dataclass(frozen=True)
class Tool:
    """Something an agent can call."""

    name: str
    domain: str
    description: str
    reads: frozenset[str]
    writes: frozenset[str]
    external: bool
    """Whether it leaves the user's own world: sends, books, pays, publishes, shares."""
    refusals: Mapping[str, str]
    limits: Mapping[str, str]
    arguments: type[Arguments]
    function: Callable[..., Any] = field(repr=False)

    @property
    def effect(self) -> Effect:
        """The strongest thing it does."""
        return "external" if self.external else "writes" if self.writes else "reads"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, without references."""
        return schema_of(self.arguments)

    def run(self, view: View, arguments: Mapping[str, Any]) -> Outcome:
        """Carry out a call, or say why not."""
        try:
            given = self.parsed(arguments)
        except (ValidationError, ValueError, TypeError) as error:
            return self.refused(Refusal("invalid_arguments"), problems(error))
        try:
            values = {name: getattr(given, name) for name in type(given).model_fields}
            return Outcome(view.plain(self.function(view, **values)))
        except Refusal as refusal:
            return self.refused(refusal)

    def parsed(self, arguments: Mapping[str, Any]) -> Arguments:
        """Return the arguments as the function takes them; JSON's types only, nothing bent to fit."""
        return self.arguments.model_validate_json(_GIVEN.encode(arguments), strict=True)

    def refused(self, refusal: Refusal, details: str = "") -> Outcome:
        """Return the outcome of a refusal, in the words of the docstring."""
        code = refusal.code
        words = {**ALWAYS, **self.refusals, **self.limits}.get(code)
        if words is None:
            raise AssertionError(f"{self.name} refuses with {code!r}, which its docstring doesn't name")
        if code == "not_found":
            words += finder(str(refusal.subject))
        message = ": ".join(str(part) for part in (refusal.subject, words, details) if part != "")
        error = {"code": code, "message": message, "limit": code in self.limits}
        return Outcome({"error": error}, code=code, limit=code in self.limits)


FINDERS: dict[str, str] = {}
"""Which tool gives the ids of a kind."""


def finder(key: str) -> str:
    """Return where ids of the kind that was meant are to be had."""
    name = FINDERS.get(kind_of(key) or "")
    return f"; {name} gives ids" if name else ""


def problems(error: Exception) -> str:
    """Return what is wrong with arguments, in one line."""
    if not isinstance(error, ValidationError):
        return str(error).splitlines()[0]
    found = []
    for one in error.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in one["loc"]) or "arguments"
        found.append(f"{place}: {one['msg'][:1].lower()}{one['msg'][1:]}")
    return "; ".join(found[:5])


def tool(
    *,
    reads: tuple[type[WorldRecord], ...] = (),
    writes: tuple[type[WorldRecord], ...] = (),
    external: bool = False,
    finds: tuple[type[WorldRecord], ...] = (),
) -> Callable[[Callable[..., Any]], Tool]:
    """Return a decorator that makes a tool of a function.

    Args:
        reads: the kinds of record that it looks at
        writes: the kinds that it creates, changes or removes; it may look at them too
        external: whether it leaves the user's own world
        finds: the kinds whose ids one gets from it
    """

    def made(function: Callable[..., Any]) -> Tool:
        name, sections = function.__name__, docstring(function)
        for kind in finds:
            FINDERS[kind.kind] = name
        return Tool(
            name=name,
            domain=function.__module__.rpartition(".")[2],
            description=sections[""][""],
            reads=frozenset(kind.kind for kind in (*reads, *writes)),
            writes=frozenset(kind.kind for kind in writes),
            external=external,
            refusals=sections.get("Raises", {}),
            limits=sections.get("Limits", {}),
            arguments=_model(function, sections.get("Args", {})),
            function=function,
        )

    return made


def docstring(function: Callable[..., Any]) -> dict[str, dict[str, str]]:
    """Return the sections of a docstring: what each of their names is, and the description under ``""``."""
    section, name = "", ""
    found: dict[str, dict[str, str]] = {"": {"": ""}}
    for line in inspect.getdoc(function).splitlines() if function.__doc__ else ():  # type: ignore[union-attr]
        if line.rstrip(":") in ("Args", "Raises", "Limits") and line.endswith(":"):
            section, name = line[:-1], ""
            found[section] = {}
        elif section and line.startswith("    ") and not line.startswith("     "):
            name, _, text = line.strip().partition(": ")
            found[section][name] = text
        elif line.strip():
            found[section][name] = f"{found[section].get(name, '')} {line.strip()}".strip()
    return found


def _model(function: Callable[..., Any], words: Mapping[str, str]) -> type[Arguments]:
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    unknown = set(words) - {parameter.name for parameter in parameters}
    if unknown:
        raise AssertionError(f"{function.__name__}: no arguments: {', '.join(sorted(unknown))}")
    fields: dict[str, Any] = {}
    for parameter in parameters:
        text = words.get(parameter.name) or COMMON[parameter.name]
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], Field(default, description=text))
    return create_model(function.__name__, __base__=Arguments, **fields)


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a model, its definitions put where they are used, titles left out."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def inlined(node: Any) -> Any:
        if isinstance(node, list):
            return [inlined(one) for one in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = definitions[node["$ref"].rpartition("/")[2]]
            node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        properties = node.get("properties")
        kept = {
            key: inlined(value)
            for key, value in node.items()
            if key not in ("title", "properties") or not isinstance(value, str | dict)
        }
        if isinstance(properties, dict):
            kept["properties"] = {key: inlined(value) for key, value in properties.items()}
        return kept

    return {"type": "object", **inlined(schema)}


def page(
    found: Sequence[R], shown: Callable[[R], dict[str, Any]], limit: int, after: str | None
) -> dict[str, Any]:
    """Return some of what was found, and the id to go on behind.

    Raises:
        Refusal: ``not_found``, when nothing that was found has the id to go on behind.
    """
    start = 0
    if after is not None:
        start = 1 + next((place for place, one in enumerate(found) if one.id == after), -1)
        if not start:
            raise Refusal("not_found", after)
    some = found[start : start + limit]
    more = start + limit < len(found)
    return {
        "items": [shown(one) for one in some],
        "total": len(found),
        "more_after": some[-1].id if more else None,
    }


__all__ = ["ALWAYS", "After", "Arguments", "Effect", "Limit", "Outcome", "Tool", "page", "schema_of", "tool"]
