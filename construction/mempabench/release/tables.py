"""The tables of a release: one declaration each, from which every form of its schema is made.

A column says what it is and who may see it. From that come the Arrow schema with the features that
``datasets`` reads, the features of the dataset card, and ``schemas/tables.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mempabench.domain.evidence import Confidence, Mode
from mempabench.domain.personas import EntityKind
from mempabench.domain.review import Action, Basis, ContextVerdict, Outcome, Stance
from mempabench.domain.review import Mode as ReviewMode
from mempabench.domain.taxonomy import Attribute, Context, Dimension

SPLIT = "test"
"""Name of the only split."""


class View(StrEnum):
    """Who may see a column."""

    AGENT = "agent"
    """The personal agent that is being tested."""
    SIMULATOR = "simulator"
    """Whoever plays the user."""
    GRADER = "grader"
    """Whoever scores: the targets."""
    CONSTRUCTION = "construction"
    """Whoever asks how the data came about: source text and its trail."""


class Scalar(StrEnum):
    """A single value, by the name that Arrow and ``datasets`` share."""

    STRING = "string"
    INTEGER = "int32"
    FLAG = "bool"


@dataclass(frozen=True)
class Field:
    """One named value inside a struct."""

    name: str
    type: Type
    about: str
    required: bool = True
    allowed: tuple[str, ...] = ()
    """The only values that may stand; any when empty."""


@dataclass(frozen=True)
class Struct:
    """A value of named fields."""

    fields: tuple[Field, ...]


@dataclass(frozen=True)
class ListOf:
    """A list of values of one type."""

    item: Scalar | Struct


Type = Scalar | Struct | ListOf


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    type: Type
    view: View
    about: str
    required: bool = True
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table: one configuration of the dataset, one Parquet file."""

    name: str
    view: View
    """View that the table as a whole serves."""
    about: str
    columns: tuple[Column, ...]

    @property
    def path(self) -> str:
        """Path of the file inside the release."""
        return f"data/{self.name}.parquet"


_STRING, _INTEGER = Scalar.STRING, Scalar.INTEGER
_STRINGS = ListOf(_STRING)
_AGENT, _SIMULATOR, _GRADER, _CONSTRUCTION = View

_NULL_TEXT = "null where the source may not be redistributed"

PROVENANCE = (
    Column("stage", _STRING, _CONSTRUCTION, "Stage that wrote the row."),
    Column("prompt_version", _STRING, _CONSTRUCTION, "Version of the prompt; null without a model.", False),
    Column("writer", _STRING, _CONSTRUCTION, "What wrote the row's words; null where only code did.", False),
    Column("model", _STRING, _CONSTRUCTION, "Name of the model as far as it was disclosed, or null.", False),
    Column(
        "input_hash",
        _STRING,
        _CONSTRUCTION,
        "Digest of all that shaped the answer (in reviews: of what the reviewer saw); null where only code did.",
        False,
    ),
)


def _user(view: View, about: str, *, required: bool = False) -> Column:
    return Column("user", _STRING, view, about, required)


def _context(view: View) -> Column:
    return Column("context", _STRING, view, "Part of life: work or personal.", allowed=tuple(Context))


def _attribute(view: View) -> Column:
    return Column("attribute", _STRING, view, "One of the fourteen attributes.", allowed=tuple(Attribute))


_RESOLVED = ListOf(
    Struct(
        (
            Field("observation", _STRING, "Id of the contrary observation."),
            Field("circumstances", _STRING, "What explains it."),
        )
    )
)

PREFERENCES = Table(
    "preferences",
    View.GRADER,
    "One row a cell: the setting that a user wants of an attribute in a context",
    (
        Column("id", _STRING, _GRADER, "Key of the cell, such as user_a/work/verbosity."),
        _user(_GRADER, "The user.", required=True),
        _context(_GRADER),
        _attribute(_GRADER),
        Column(
            "dimension",
            _STRING,
            _GRADER,
            "Dimension to which the attribute belongs.",
            allowed=tuple(Dimension),
        ),
        Column("setting", _STRING, _GRADER, "How the user wants to be assisted at the start."),
        Column("changed_to", _STRING, _GRADER, "Setting after a change of mind, or null.", False),
        Column("changed_on", _STRING, _GRADER, "Day of that change as YYYY-MM-DD, or null.", False),
        Column(
            "outcome",
            _STRING,
            _GRADER,
            "How the setting was settled: confirmed without review, kept, changed or specified.",
            allowed=tuple(Outcome),
        ),
        Column(
            "basis",
            _STRING,
            _GRADER,
            "What it rests on: extracted evidence, a reviewer's other reading, or design.",
            allowed=tuple(Basis),
        ),
        Column(
            "confidence",
            _STRING,
            _GRADER,
            "Confidence that code granted to the proposal from its evidence.",
            allowed=tuple(Confidence),
        ),
        *PROVENANCE,
    ),
)

PERSONAS = Table(
    "personas",
    View.SIMULATOR,
    "One row a user: the anonymised person, how they talk, and how they take being helped",
    (
        Column("id", _STRING, _SIMULATOR, "Id of the user."),
        _user(_SIMULATOR, "The user.", required=True),
        Column("name", _STRING, _SIMULATOR, "The fictional name."),
        Column("summary", _STRING, _SIMULATOR, "A short portrait in the third person."),
        Column("roles", _STRINGS, _SIMULATOR, "Roles in work and private life."),
        Column(
            "items",
            ListOf(
                Struct(
                    (
                        Field("kind", _STRING, "Relationship, activity, circumstance or history."),
                        Field("statement", _STRING, "The fact."),
                    )
                )
            ),
            _SIMULATOR,
            "Stable facts about the person.",
        ),
        Column(
            "facets",
            ListOf(
                Struct(
                    (
                        Field("name", _STRING, "Name of the facet."),
                        Field("level", _STRING, "low, medium or high; null when nothing shows it.", False),
                        Field("note", _STRING, "What the rating rests on."),
                    )
                )
            ),
            _SIMULATOR,
            "Personality facets.",
        ),
        Column("language_style", _STRINGS, _SIMULATOR, "How they talk."),
        Column("act_repertoire", _STRINGS, _SIMULATOR, "Dialogue acts that they use."),
        Column("interaction_dynamics", _STRINGS, _SIMULATOR, "How talk with them tends to go."),
        Column("production_guidance", _STRINGS, _SIMULATOR, "How to talk as them."),
        Column(
            "reception_guidance",
            ListOf(
                Struct(
                    (
                        Field("context", _STRING, "Part of life.", allowed=tuple(Context)),
                        Field("attribute", _STRING, "The attribute.", allowed=tuple(Attribute)),
                        Field("note", _STRING, "What they notice and how they take it."),
                    )
                )
            ),
            _SIMULATOR,
            "How they take help, one note a cell.",
        ),
        *PROVENANCE,
    ),
)

SCENES = Table(
    "scenes",
    View.CONSTRUCTION,
    "One row a scene of every source, with its lines",
    (
        Column("id", _STRING, _CONSTRUCTION, "Id such as gross_and_tare/s01e03/sc04."),
        _user(_CONSTRUCTION, "Null: a scene belongs to no user."),
        Column("source", _STRING, _CONSTRUCTION, "Source to which the scene belongs."),
        Column("license", _STRING, _CONSTRUCTION, "SPDX identifier of the source's licence."),
        Column("episode", _STRING, _CONSTRUCTION, "Episode, such as s01e03."),
        Column("episode_title", _STRING, _CONSTRUCTION, f"Its title; {_NULL_TEXT}.", False),
        Column("heading", _STRING, _CONSTRUCTION, f"Place and time; {_NULL_TEXT}.", False),
        Column(
            "lines",
            ListOf(
                Struct(
                    (
                        Field("id", _STRING, "Id such as gross_and_tare/s01e03/sc04/l012."),
                        Field("number", _INTEGER, "Position within the scene, from 1."),
                        Field("label", _STRING, f"Speaker label of the file; {_NULL_TEXT}.", False),
                        Field("speakers", _STRINGS, "Persons who speak."),
                        Field("text", _STRING, f"What is said; {_NULL_TEXT}.", False),
                        Field(
                            "directions",
                            _STRING,
                            f'JSON list of {{"at", "text"}}: what is done, by offset in the text; {_NULL_TEXT}.',
                            False,
                        ),
                        Field("text_sha256", _STRING, "SHA-256 of the text in UTF-8."),
                    )
                )
            ),
            _CONSTRUCTION,
            "Turns of speech and directions, in order.",
        ),
        *PROVENANCE,
    ),
)

EVIDENCE = Table(
    "evidence",
    View.CONSTRUCTION,
    "One row an observation: how a character reacts to being helped, with verbatim quotes",
    (
        Column("id", _STRING, _CONSTRUCTION, "Id such as gross_and_tare/s01e03/sc04/zdenka/o2."),
        _user(_CONSTRUCTION, "User whom the character became, or null."),
        Column("source", _STRING, _CONSTRUCTION, "Source of the scene."),
        Column("scene", _STRING, _CONSTRUCTION, "Id of the scene."),
        Column("character", _STRING, _CONSTRUCTION, "Character who is observed."),
        _context(_CONSTRUCTION),
        _attribute(_CONSTRUCTION),
        Column("setting", _STRING, _CONSTRUCTION, "Setting for which the reaction speaks."),
        Column(
            "mode",
            _STRING,
            _CONSTRUCTION,
            "production (how they talk) or reception (how they take it).",
            allowed=tuple(Mode),
        ),
        Column("act", _STRING, _CONSTRUCTION, "What was done to, for or by the character."),
        Column("reading", _STRING, _CONSTRUCTION, "What the reaction says, and why."),
        Column(
            "quotes",
            ListOf(
                Struct(
                    (
                        Field("line", _STRING, "Id of the line."),
                        Field("start", _INTEGER, "Offset of the first character, in code points."),
                        Field("end", _INTEGER, "Offset after the last character."),
                        Field("text", _STRING, f"The words; {_NULL_TEXT}.", False),
                        Field("text_sha256", _STRING, "SHA-256 of the words in UTF-8."),
                    )
                )
            ),
            _CONSTRUCTION,
            "Words of the scene, bound to their lines.",
        ),
        *PROVENANCE,
    ),
)

PROPOSALS = Table(
    "proposals",
    View.CONSTRUCTION,
    "One row a cell of every candidate: what two independent readers propose, and the confidence granted",
    (
        Column("id", _STRING, _CONSTRUCTION, "Key such as gross_and_tare/zdenka/work/verbosity."),
        _user(_CONSTRUCTION, "User whom the candidate became, or null when not cast."),
        Column("source", _STRING, _CONSTRUCTION, "Source of the candidate."),
        Column("character", _STRING, _CONSTRUCTION, "The candidate."),
        _context(_CONSTRUCTION),
        _attribute(_CONSTRUCTION),
        Column(
            "setting", _STRING, _CONSTRUCTION, "The first reader's setting: the proposal; or null.", False
        ),
        Column(
            "confidence",
            _STRING,
            _CONSTRUCTION,
            "Confidence that code granted from the evidence.",
            allowed=tuple(Confidence),
        ),
        Column("grounds", _STRING, _CONSTRUCTION, "Why that confidence was granted."),
        Column(
            "claimed", _STRING, _CONSTRUCTION, "The first reader's own confidence.", allowed=tuple(Confidence)
        ),
        Column("rationale", _STRING, _CONSTRUCTION, "The first reader's reasons."),
        Column("supporting", _STRINGS, _CONSTRUCTION, "Ids of the observations that the first reader cites."),
        Column("resolved", _RESOLVED, _CONSTRUCTION, "Contrary observations that the first reader explains."),
        Column("second_setting", _STRING, _CONSTRUCTION, "The second reader's setting, or null.", False),
        Column(
            "second_claimed",
            _STRING,
            _CONSTRUCTION,
            "The second reader's own confidence; null without a second reader.",
            False,
            tuple(Confidence),
        ),
        Column("second_rationale", _STRING, _CONSTRUCTION, "The second reader's reasons, or null.", False),
        Column("second_supporting", _STRINGS, _CONSTRUCTION, "Ids that the second reader cites."),
        Column("second_resolved", _RESOLVED, _CONSTRUCTION, "What the second reader explains."),
        *PROVENANCE,
    ),
)

STANDINGS = ("stands", "superseded", "stale")

REVIEWS = Table(
    "reviews",
    View.CONSTRUCTION,
    "One row a decision event of the review log, in its order",
    (
        Column("id", _STRING, _CONSTRUCTION, "Id of the event."),
        _user(_CONSTRUCTION, "User whose cell it is.", required=True),
        Column("cell", _STRING, _CONSTRUCTION, "Key of the cell."),
        _context(_CONSTRUCTION),
        _attribute(_CONSTRUCTION),
        Column("action", _STRING, _CONSTRUCTION, "What the decision does.", allowed=tuple(Action)),
        Column("setting", _STRING, _CONSTRUCTION, "The chosen setting; null only when deferred.", False),
        Column(
            "standing",
            _STRING,
            _CONSTRUCTION,
            "stands; superseded by another decision; or stale, because its evidence has changed since.",
            allowed=STANDINGS,
        ),
        Column("reason", _STRING, _CONSTRUCTION, "The reviewer's reason."),
        Column(
            "context_verdict",
            _STRING,
            _CONSTRUCTION,
            "Whether the cited scenes warrant the context.",
            allowed=tuple(ContextVerdict),
        ),
        Column(
            "evidence",
            ListOf(
                Struct(
                    (
                        Field("observation", _STRING, "Id of the observation."),
                        Field(
                            "stance", _STRING, "What it does for the chosen setting.", allowed=tuple(Stance)
                        ),
                    )
                )
            ),
            _CONSTRUCTION,
            "A verdict on each cited observation.",
        ),
        Column("circumstances", _STRING, _CONSTRUCTION, "Note that resolves conflicting evidence, or empty."),
        Column(
            "evidence_usable",
            Scalar.FLAG,
            _CONSTRUCTION,
            "False where the cited evidence can't carry the cell, so that it was specified.",
        ),
        Column(
            "mode",
            _STRING,
            _CONSTRUCTION,
            "What the reviewer had seen when they chose.",
            allowed=tuple(ReviewMode),
        ),
        Column("reviewer", _STRING, _CONSTRUCTION, "Pseudonym of the reviewer."),
        Column(
            "reviewer_kind",
            _STRING,
            _CONSTRUCTION,
            "Whether that is a human or a model.",
            allowed=("human", "model"),
        ),
        Column("decided_at", _STRING, _CONSTRUCTION, "When, in UTC."),
        Column("previous", _STRING, _CONSTRUCTION, "Hash of the event before it; null for the first.", False),
        Column("taxonomy_version", _STRING, _CONSTRUCTION, "Taxonomy that the reviewer saw."),
        Column("guide_version", _STRING, _CONSTRUCTION, "Guideline that the reviewer saw."),
        Column("withdraws", _STRING, _CONSTRUCTION, "Event that is taken back, or empty."),
        Column("adjudicates", _STRINGS, _CONSTRUCTION, "Differing events that this one settles."),
        Column("cause", _STRING, _CONSTRUCTION, "Why those differ, or empty."),
        *PROVENANCE,
    ),
)

SUBSTITUTES = Table(
    "substitutes",
    View.CONSTRUCTION,
    "One row a name of a redistributable source and the fictional one that stands for it",
    (
        Column("id", _STRING, _CONSTRUCTION, "Source, kind and name."),
        _user(_CONSTRUCTION, "User whose own name it is, or null."),
        Column("source", _STRING, _CONSTRUCTION, "Source that has the name."),
        Column("kind", _STRING, _CONSTRUCTION, "What it names.", allowed=tuple(EntityKind)),
        Column("original", _STRING, _CONSTRUCTION, "Name as the source has it."),
        Column("substitute", _STRING, _CONSTRUCTION, "What stands for it everywhere."),
        Column(
            "aliases",
            ListOf(
                Struct(
                    (
                        Field("original", _STRING, "Another form of the name."),
                        Field("substitute", _STRING, "What stands for that form."),
                    )
                )
            ),
            _CONSTRUCTION,
            "Other forms of the name.",
        ),
        Column("proposed_by", _STRING, _CONSTRUCTION, "What proposed it."),
        Column("reviewer", _STRING, _CONSTRUCTION, "Pseudonym of the reviewer who accepted it."),
        Column(
            "reviewer_kind",
            _STRING,
            _CONSTRUCTION,
            "Whether that is a human or a model.",
            allowed=("human", "model"),
        ),
        Column("note", _STRING, _CONSTRUCTION, "A note, or empty."),
        *PROVENANCE,
    ),
)

_CODES = ListOf(
    Struct(
        (
            Field("code", _STRING, "Code in the error that the agent gets."),
            Field("about", _STRING, "What it means and what then, in the words of the error."),
        )
    )
)

TOOLS = Table(
    "tools",
    View.AGENT,
    "One row a tool of the world, and one an interaction tool (its name begins with `ix_`)",
    (
        Column("id", _STRING, _AGENT, "Name of the tool."),
        _user(_AGENT, "Null: tools are the same for all users."),
        Column("name", _STRING, _AGENT, "Name by which it is called."),
        Column("domain", _STRING, _AGENT, "What it belongs to: calendar, mail, …, or interaction."),
        Column(
            "effect",
            _STRING,
            _AGENT,
            "The strongest thing it does: reads, writes in the user's own world, or leaves it (external).",
            allowed=("reads", "writes", "external"),
        ),
        Column("description", _STRING, _AGENT, "What it does."),
        Column("arguments", _STRING, _AGENT, "JSON Schema of its arguments, as text."),
        Column("errors", _CODES, _AGENT, "Refusals."),
        Column("limits", _CODES, _AGENT, "Limits of its capability, where another tool reaches the goal."),
        Column("looks_at", _STRINGS, _AGENT, "Kinds of record that it reads."),
        Column("changes", _STRINGS, _AGENT, "Kinds of record that it creates, changes or removes."),
        *PROVENANCE,
    ),
)

TABLES = (PREFERENCES, PERSONAS, SCENES, EVIDENCE, PROPOSALS, REVIEWS, SUBSTITUTES, TOOLS)
"""Every table that a release may hold, in the order of the card."""

DEFAULT = PREFERENCES
"""Table that is loaded when none is named."""


def feature(kind: Type) -> dict[str, Any]:
    """Return a type as ``datasets`` writes it into its JSON metadata.

    >>> feature(ListOf(Scalar.STRING))
    {'feature': {'dtype': 'string', '_type': 'Value'}, '_type': 'List'}
    """
    if isinstance(kind, ListOf):
        return {"feature": feature(kind.item), "_type": "List"}
    if isinstance(kind, Struct):
        return {field.name: feature(field.type) for field in kind.fields}
    return {"dtype": str(kind), "_type": "Value"}


def card_features(columns: Iterable[Column | Field]) -> list[dict[str, Any]]:
    """Return columns as the features of a dataset card.

    >>> card_features([Field("roles", ListOf(Scalar.STRING), "")])
    [{'name': 'roles', 'list': 'string'}]
    """
    return [{"name": column.name, **_card_type(column.type)} for column in columns]


def _card_type(kind: Type) -> dict[str, Any]:
    if isinstance(kind, ListOf):
        item = kind.item
        return {"list": card_features(item.fields) if isinstance(item, Struct) else str(item)}
    if isinstance(kind, Struct):
        return {"struct": card_features(kind.fields)}
    return {"dtype": str(kind)}


def arrow_schema(table: Table, canary: str) -> Any:
    """Return the ``pyarrow.Schema`` of a table, with its features and the canary as metadata."""
    import pyarrow as pa

    def arrow(kind: Type) -> Any:
        if isinstance(kind, ListOf):
            return pa.list_(arrow(kind.item))
        if isinstance(kind, Struct):
            return pa.struct([(field.name, arrow(field.type)) for field in kind.fields])
        return {Scalar.STRING: pa.string(), Scalar.INTEGER: pa.int32(), Scalar.FLAG: pa.bool_()}[kind]

    features = {column.name: feature(column.type) for column in table.columns}
    return pa.schema(
        [(column.name, arrow(column.type)) for column in table.columns],
        metadata={"huggingface": json.dumps({"info": {"features": features}}), "canary": canary},
    )


def tables_json(tables: Iterable[Table], canary: str) -> str:
    """Return the machine-readable description of tables and columns."""
    described = [
        {
            "name": table.name,
            "view": table.view,
            "default": table is DEFAULT,
            "about": table.about,
            "file": table.path,
            "columns": [_described(column) for column in table.columns],
        }
        for table in tables
    ]
    return (
        json.dumps({"canary": canary, "split": SPLIT, "tables": described}, ensure_ascii=False, indent=2)
        + "\n"
    )


def _described(column: Column | Field) -> dict[str, Any]:
    description: dict[str, Any] = {"name": column.name}
    if isinstance(column, Column):
        description["view"] = column.view
    description |= {"type": _described_type(column.type), "required": column.required, "about": column.about}
    if column.allowed:
        description["allowed"] = list(column.allowed)
    return description


def _described_type(kind: Type) -> Any:
    if isinstance(kind, ListOf):
        return {"list": _described_type(kind.item)}
    if isinstance(kind, Struct):
        return {"struct": [_described(field) for field in kind.fields]}
    return str(kind)
