"""The 14 interaction tools: how an assistant says which setting of an attribute it goes by (paper §D.2).

At the decision of a session or probe the assistant calls the tool of the attribute in question. It chooses a setting
and gives what that setting would need; the payload is always complete, also where the setting hides it, so that it
doesn't give the choice away. A call changes nothing in the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from mempabench.domain.taxonomy import Attribute, attribute_spec
from mempabench.world.tool import Tool, tool
from mempabench.world.view import View

Sentence = Annotated[str, StringConstraints(min_length=1, max_length=600)]
Piece = Annotated[str, StringConstraints(min_length=1, max_length=4000)]


class Payload(BaseModel):
    """A part of what an interaction tool is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Move(Payload):
    """A supplementary move."""

    kind: Literal["background", "caveat", "boundary", "consequence", "alternative"]
    text: Sentence


class Term(Payload):
    """A term and its explanation."""

    term: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    explanation: Sentence


class Statement(Payload):
    """A statement and how sure it is."""

    text: Sentence
    confidence: Literal["low", "medium", "high"]


class Option(Payload):
    """A viable option."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=120)]
    text: Sentence


class Missing(Payload):
    """A required fact that is missing."""

    fact: Annotated[str, StringConstraints(min_length=1, max_length=120)]
    question: Sentence
    candidate: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """The value that one would act on without asking."""


class Topic(Payload):
    """A topic that the user raised."""

    label: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    calls: Annotated[tuple[str, ...], Field(max_length=20)]
    """Names of the tools that it takes, in order."""


def chosen(attribute: Attribute, setting: str) -> dict[str, Any]:
    """Return what a call gives back: the choice, and how it shows."""
    spec = next(one for one in attribute_spec(attribute).settings if one.name == setting)
    return {"attribute": attribute.value, "setting": setting, "shows_as": spec.sign}


@tool()
def ix_tone_formality(
    view: View, setting: Literal["casual", "consultative", "formal"], opening: Sentence, closing: Sentence
) -> dict[str, Any]:
    """Choose the register of the reply to the user; what is written to others isn't meant.

    casual: two or more colloquial markers. consultative: a collaborative move that needs no answer. formal: restrained
    wording, a formal connective, a conventional opening or closing.

    Args:
        setting: the register
        opening: the first sentence of the reply in this register
        closing: its last sentence in this register
    """
    return chosen(Attribute.TONE_FORMALITY, setting)


@tool()
def ix_verbosity(
    view: View,
    setting: Literal["terse", "detailed"],
    answer: Piece,
    moves: Annotated[tuple[Move, ...], Field(min_length=2, max_length=5)],
) -> dict[str, Any]:
    """Choose what stands around the answer.

    terse: the answer first, and at most one supplementary move. detailed: two or more of different kinds.

    Args:
        setting: how much stands around the answer
        answer: the answer itself
        moves: supplementary moves that are at hand, whether they are used or not
    """
    return chosen(Attribute.VERBOSITY, setting)


@tool()
def ix_emotional_engagement(
    view: View,
    setting: Literal["task_focused", "relationship_focused"],
    acknowledgement: Sentence,
    first_step: Sentence,
) -> dict[str, Any]:
    """Choose what the reply starts with.

    task_focused: it starts with the task. relationship_focused: it opens with a sentence that acknowledges the user's
    feeling, then does the task.

    Args:
        setting: what comes first
        acknowledgement: the sentence that would acknowledge the feeling, whether it is used or not
        first_step: the sentence that starts the task
    """
    return chosen(Attribute.EMOTIONAL_ENGAGEMENT, setting)


@tool()
def ix_guidance_level(
    view: View,
    setting: Literal["direct", "scaffolded"],
    terms: Annotated[tuple[Term, ...], Field(min_length=1, max_length=6)],
    steps: Annotated[tuple[Sentence, ...], Field(min_length=1, max_length=12)],
) -> dict[str, Any]:
    """Choose how unfamiliar ground is covered.

    direct: steps and terms without explanation. scaffolded: each new term explained at first use, the steps in order.

    Args:
        setting: how it is covered
        terms: the terms that are new to the user, explained, whether the explanations are used or not
        steps: the steps
    """
    return chosen(Attribute.GUIDANCE_LEVEL, setting)


@tool()
def ix_reasoning_visibility(
    view: View, setting: Literal["show", "hide"], basis: Sentence, answer: Piece
) -> dict[str, Any]:
    """Choose whether the fact that decides the answer is told.

    show: it is given as the basis, before the answer. hide: it appears nowhere in the reply.

    Args:
        setting: whether it is told
        basis: the recorded fact that decides, whether it is told or not
        answer: the answer
    """
    return chosen(Attribute.REASONING_VISIBILITY, setting)


@tool()
def ix_uncertainty_expression(
    view: View,
    setting: Literal["express", "hide"],
    statements: Annotated[tuple[Statement, ...], Field(min_length=1, max_length=12)],
) -> dict[str, Any]:
    """Choose whether the reply says how sure its statements are.

    express: in parentheses, such as (confidence: low), that match the facts. hide: none; a limit is told only where
    something material hangs on it.

    Args:
        setting: whether it says so
        statements: the statements, and how sure each is, whether it is told or not
    """
    return chosen(Attribute.UNCERTAINTY_EXPRESSION, setting)


@tool()
def ix_process_visibility(
    view: View,
    setting: Literal["silent", "bookend", "full"],
    progress: Annotated[tuple[Sentence, ...], Field(min_length=1, max_length=30)],
) -> dict[str, Any]:
    """Choose how much of the work is told while it is done.

    silent: no progress sentence. bookend: one at the first call and one at the last. full: one for each call.

    Args:
        setting: how much is told
        progress: a progress sentence for each call that is planned, whether it is told or not
    """
    return chosen(Attribute.PROCESS_VISIBILITY, setting)


@tool()
def ix_autonomy_level(
    view: View,
    setting: Literal["reactive", "self_directed", "autonomous"],
    internal_write: Sentence,
    external_action: Sentence,
) -> dict[str, Any]:
    """Choose where to stop for the user's word, between an internal write that they named and an external action.

    reactive: before both. self_directed: between them. autonomous: after both.

    Args:
        setting: where to stop
        internal_write: what is to be written in the user's own world
        external_action: what is to leave it
    """
    return chosen(Attribute.AUTONOMY_LEVEL, setting)


@tool()
def ix_proactive_outreach(
    view: View, setting: Literal["low", "high"], goal: Sentence, message: Sentence
) -> dict[str, Any]:
    """Choose whether a message is sent when something came up that the user didn't ask about just now.

    low: it isn't sent. high: it is sent, tied to a goal of the user's, saying what changed or is due.

    Args:
        setting: whether it is sent
        goal: the goal of the user's that it touches
        message: the message, whether it is sent or not
    """
    return chosen(Attribute.PROACTIVE_OUTREACH, setting)


@tool()
def ix_task_expansion(
    view: View,
    setting: Literal["low", "high"],
    asked: Annotated[tuple[Sentence, ...], Field(min_length=1, max_length=12)],
    extra: Annotated[tuple[Sentence, ...], Field(min_length=1, max_length=6)],
) -> dict[str, Any]:
    """Choose whether anything is done beyond the named items.

    low: no operation outside them. high: at least one that is separable, internal and reversible, labelled as extra.

    Args:
        setting: whether anything is
        asked: the operations that were asked for
        extra: operations beyond them that are at hand, whether they are done or not
    """
    return chosen(Attribute.TASK_EXPANSION, setting)


@tool()
def ix_solution_breadth(
    view: View,
    setting: Literal["low", "high"],
    options: Annotated[tuple[Option, ...], Field(min_length=2, max_length=6)],
) -> dict[str, Any]:
    """Choose how many viable options are presented.

    low: one, not compared with others. high: two or more.

    Args:
        setting: how many
        options: the viable options, the best first, whether they are presented or not
    """
    return chosen(Attribute.SOLUTION_BREADTH, setting)


@tool()
def ix_capability_boundary(
    view: View,
    setting: Literal["suggest_alternatives", "find_and_hand_off"],
    limit: Sentence,
    way_round: Sentence,
    left_to_user: Sentence,
) -> dict[str, Any]:
    """Choose what follows when a tool has reported a limit; the limit is explained either way.

    suggest_alternatives: a recovery call in the same turn. find_and_hand_off: none; a closing hand-off says what was
    blocked and what the user has to do.

    Args:
        setting: what follows
        limit: what was blocked
        way_round: the call that would reach the goal all the same, whether it is made or not
        left_to_user: what the user would have to do
    """
    return chosen(Attribute.CAPABILITY_BOUNDARY, setting)


@tool()
def ix_information_elicitation(
    view: View,
    setting: Literal["infer", "structured", "iterative"],
    missing: Annotated[tuple[Missing, ...], Field(min_length=2, max_length=6)],
) -> dict[str, Any]:
    """Choose how to come by required facts that are missing.

    infer: act at once on a defensible candidate for each. structured: ask for all of them in one turn, before any
    call of the task. iterative: ask for one a turn, with progress between.

    Args:
        setting: how to come by them
        missing: the facts, each with its question and its candidate, whichever is used
    """
    return chosen(Attribute.INFORMATION_ELICITATION, setting)


@tool()
def ix_topic_management(
    view: View,
    setting: Literal["organize", "one_at_a_time"],
    topics: Annotated[tuple[Topic, ...], Field(min_length=2, max_length=8)],
) -> dict[str, Any]:
    """Choose how several topics that came up at once are taken.

    organize: all are run, grouped and labelled. one_at_a_time: the first is run, the rest is expressly suspended and
    asked about before moving on.

    Args:
        setting: how they are taken
        topics: all topics that were raised, in order, each with the calls that it takes
    """
    return chosen(Attribute.TOPIC_MANAGEMENT, setting)


INTERACTION_TOOLS: Mapping[str, Tool] = {
    name: one for name, one in list(globals().items()) if isinstance(one, Tool)
}
"""The interaction tools by name, in the order of the taxonomy."""
