"""What is measured: 14 attributes, 32 settings, two contexts (paper §A.1; table in the datasheet).

An interaction preference is how a user wants to be assisted, never what they want done. At any instant a
cell (user, context, attribute) has exactly one setting. For every attribute a third outcome stands beside
its settings, task failure, which is never counted as a setting.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from mempabench.domain.record import Record, digest


class Context(StrEnum):
    """The part of life in which the user is being assisted."""

    WORK = "work"
    PERSONAL = "personal"


class Dimension(StrEnum):
    """What an attribute is about."""

    EXPRESSION_STYLE = "expression_style"
    DISCLOSURE = "disclosure"
    INITIATIVE_AUTONOMY = "initiative_autonomy"
    INFORMATION_FLOW = "information_flow"


class Attribute(StrEnum):
    """The fourteen attributes, in table order."""

    TONE_FORMALITY = "tone_formality"
    VERBOSITY = "verbosity"
    EMOTIONAL_ENGAGEMENT = "emotional_engagement"
    GUIDANCE_LEVEL = "guidance_level"
    REASONING_VISIBILITY = "reasoning_visibility"
    UNCERTAINTY_EXPRESSION = "uncertainty_expression"
    PROCESS_VISIBILITY = "process_visibility"
    AUTONOMY_LEVEL = "autonomy_level"
    PROACTIVE_OUTREACH = "proactive_outreach"
    TASK_EXPANSION = "task_expansion"
    SOLUTION_BREADTH = "solution_breadth"
    CAPABILITY_BOUNDARY = "capability_boundary"
    INFORMATION_ELICITATION = "information_elicitation"
    TOPIC_MANAGEMENT = "topic_management"


class SettingSpec(Record):
    """One way of being assisted."""

    name: str
    definition: str
    """What somebody who wants this is glad to get."""
    sign: str
    """How it shows in an assistant's reply or actions."""


class AttributeSpec(Record):
    """An attribute, its settings and how they are told apart."""

    attribute: Attribute
    dimension: Dimension
    kind: Literal["reply", "action"]
    """Where the setting shows."""
    gated: bool
    """Whether a session needs a gate: a value that only the user has."""
    question: str
    """What the attribute asks about a person, in plain words."""
    settings: tuple[SettingSpec, ...]
    task_failure: str
    """What counts as no setting at all."""


def _setting(name: str, definition: str, sign: str) -> SettingSpec:
    return SettingSpec(name=name, definition=definition, sign=sign)


TAXONOMY: tuple[AttributeSpec, ...] = (
    AttributeSpec(
        attribute=Attribute.TONE_FORMALITY,
        dimension=Dimension.EXPRESSION_STYLE,
        kind="reply",
        gated=False,
        question="In which register do they want to be addressed?",
        settings=(
            _setting(
                "casual",
                "Wants to be talked to as one talks among equals who know each other; stiffness grates.",
                "Two or more colloquial markers in the reply to the user.",
            ),
            _setting(
                "consultative",
                "Wants to be talked to as a partner in thinking: courteous, plain, with a sense of 'we'.",
                "A collaborative move that needs no answer, in neither slang nor ceremony.",
            ),
            _setting(
                "formal",
                "Wants distance and correctness; familiarity is felt as a liberty taken.",
                "Restrained wording, a formal connective, a conventional opening or closing.",
            ),
        ),
        task_failure="The wording is so garbled or out of place that the content can't be used.",
    ),
    AttributeSpec(
        attribute=Attribute.VERBOSITY,
        dimension=Dimension.EXPRESSION_STYLE,
        kind="reply",
        gated=False,
        question="How much do they want around the answer itself?",
        settings=(
            _setting(
                "terse",
                "Wants the answer and to get on; what surrounds it is in the way.",
                "The answer first, and at most one supplementary move.",
            ),
            _setting(
                "detailed",
                "Wants the surroundings too: what lies behind it, where it stops holding, what follows.",
                "Two or more supplementary moves of different kinds: background, caveat, boundary, "
                "consequence, alternative.",
            ),
        ),
        task_failure="The answer can't be used, however short or long.",
    ),
    AttributeSpec(
        attribute=Attribute.EMOTIONAL_ENGAGEMENT,
        dimension=Dimension.EXPRESSION_STYLE,
        kind="reply",
        gated=False,
        question="Do they want their feelings met before the matter is dealt with?",
        settings=(
            _setting(
                "task_focused",
                "Wants the matter dealt with; attention to their feelings is a detour.",
                "The reply starts with the task.",
            ),
            _setting(
                "relationship_focused",
                "Wants to be seen first; help that skips over how they feel lands badly.",
                "The opening sentence acknowledges the user's feeling, then the task follows.",
            ),
        ),
        task_failure="Sympathy without the task.",
    ),
    AttributeSpec(
        attribute=Attribute.GUIDANCE_LEVEL,
        dimension=Dimension.EXPRESSION_STYLE,
        kind="reply",
        gated=False,
        question="Do they want to be led through unfamiliar ground, or handed the thing?",
        settings=(
            _setting(
                "direct",
                "Wants the instruction or result as one gives it to somebody who knows; "
                "being walked through it is felt as being talked down to.",
                "Steps and terms are used without being explained.",
            ),
            _setting(
                "scaffolded",
                "Wants new terms explained as they come up and the steps in order.",
                "Each new term is explained at first use and the steps are ordered.",
            ),
        ),
        task_failure="The steps are wrong or missing.",
    ),
    AttributeSpec(
        attribute=Attribute.REASONING_VISIBILITY,
        dimension=Dimension.DISCLOSURE,
        kind="reply",
        gated=False,
        question="Do they want to see what an answer rests on?",
        settings=(
            _setting(
                "show",
                "Wants the grounds before the conclusion; a bare verdict isn't accepted.",
                "One specific recorded fact that decides the answer is given as its basis, before it.",
            ),
            _setting(
                "hide",
                "Wants the conclusion; how somebody got there is their business.",
                "The deciding fact appears nowhere in the reply.",
            ),
        ),
        task_failure="The conclusion is wrong, or grounds are given without one.",
    ),
    AttributeSpec(
        attribute=Attribute.UNCERTAINTY_EXPRESSION,
        dimension=Dimension.DISCLOSURE,
        kind="reply",
        gated=False,
        question="Do they want to be told how sure somebody is?",
        settings=(
            _setting(
                "express",
                "Wants to know how sure the other is, point by point.",
                "Rendered marks of confidence in parentheses that match the facts.",
            ),
            _setting(
                "hide",
                "Wants a plain statement; hedging is felt as noise or as cowardice.",
                "No marks; a limit is told only where something material hangs on it.",
            ),
        ),
        task_failure="Confidence that the facts don't bear out.",
    ),
    AttributeSpec(
        attribute=Attribute.PROCESS_VISIBILITY,
        dimension=Dimension.DISCLOSURE,
        kind="reply",
        gated=True,
        question="While something is being done for them, how much do they want to hear of it?",
        settings=(
            _setting(
                "silent",
                "Wants to hear when it is done and nothing in between.",
                "No progress sentence.",
            ),
            _setting(
                "bookend",
                "Wants to hear that it has begun and that it is done.",
                "A progress sentence at the first call and at the last.",
            ),
            _setting(
                "full",
                "Wants to be kept posted at every step.",
                "A progress sentence for each call.",
            ),
        ),
        task_failure="Progress is told that was not made.",
    ),
    AttributeSpec(
        attribute=Attribute.AUTONOMY_LEVEL,
        dimension=Dimension.INITIATIVE_AUTONOMY,
        kind="action",
        gated=True,
        question="How far may somebody go on their behalf before checking with them?",
        settings=(
            _setting(
                "reactive",
                "Wants to be asked before anything is changed.",
                "Stops before the internal write that the user named and before the external action.",
            ),
            _setting(
                "self_directed",
                "Leaves routine, reversible work to the other but wants a say before it reaches outsiders.",
                "Does the internal write, stops before the consequential external action.",
            ),
            _setting(
                "autonomous",
                "Wants it done, outward steps included, and to hear about real exceptions only.",
                "Does both, then reports.",
            ),
        ),
        task_failure="Something is done that was not asked for and can't be undone.",
    ),
    AttributeSpec(
        attribute=Attribute.PROACTIVE_OUTREACH,
        dimension=Dimension.INITIATIVE_AUTONOMY,
        kind="action",
        gated=False,
        question="Do they want to be contacted about something they haven't asked about just now?",
        settings=(
            _setting(
                "low",
                "Will ask when they want to know; unasked contact is an interruption.",
                "With no request active and a dated trigger fired, no message is sent.",
            ),
            _setting(
                "high",
                "Wants to be told when something that touches their plans changes or falls due.",
                "A message is sent, tied to an existing goal, that says what changed or is due.",
            ),
        ),
        task_failure="A message about nothing the user cares for.",
    ),
    AttributeSpec(
        attribute=Attribute.TASK_EXPANSION,
        dimension=Dimension.INITIATIVE_AUTONOMY,
        kind="action",
        gated=True,
        question="Do they welcome work beyond what they asked for?",
        settings=(
            _setting(
                "low",
                "Wants what was asked and no more; extras are meddling.",
                "No operation outside the named items.",
            ),
            _setting(
                "high",
                "Is glad when the thing next to it is taken care of too.",
                "At least one extra operation, separable, internal, reversible and labelled as extra.",
            ),
        ),
        task_failure="The asked-for work itself is not done.",
    ),
    AttributeSpec(
        attribute=Attribute.SOLUTION_BREADTH,
        dimension=Dimension.INITIATIVE_AUTONOMY,
        kind="reply",
        gated=False,
        question="Do they want one proposal or a choice?",
        settings=(
            _setting(
                "low",
                "Wants one recommendation; a spread of choices is work handed back.",
                "One viable option, not compared with others.",
            ),
            _setting(
                "high",
                "Wants to choose between several; a single proposal feels like being decided for.",
                "Two or more distinct viable options.",
            ),
        ),
        task_failure="An option that can't be carried out, or none.",
    ),
    AttributeSpec(
        attribute=Attribute.CAPABILITY_BOUNDARY,
        dimension=Dimension.INITIATIVE_AUTONOMY,
        kind="action",
        gated=True,
        question="When the helper hits a limit, do they want a way round it or the matter back?",
        settings=(
            _setting(
                "suggest_alternatives",
                "Wants the helper to find another way at once.",
                "After the first limit that a tool reports, a recovery call in the same turn.",
            ),
            _setting(
                "find_and_hand_off",
                "Wants to be told what is blocked and to take it from there.",
                "No recovery call; a closing hand-off says what was blocked and what the user must do.",
            ),
        ),
        task_failure="The limit is hidden, or the topic is dropped.",
    ),
    AttributeSpec(
        attribute=Attribute.INFORMATION_ELICITATION,
        dimension=Dimension.INFORMATION_FLOW,
        kind="action",
        gated=True,
        question="When facts are missing, how do they want to be asked, if at all?",
        settings=(
            _setting(
                "infer",
                "Wants a sensible guess acted on; questions are what help should spare them.",
                "Acts at once on a defensible candidate for each missing fact.",
            ),
            _setting(
                "structured",
                "Wants all questions together, once, before anything starts.",
                "Asks for all missing facts in one turn before any task call.",
            ),
            _setting(
                "iterative",
                "Wants one question at a time, each when its turn has come.",
                "Asks for one missing fact a turn, two turns or more, with progress between.",
            ),
        ),
        task_failure="A wild guess that nothing supports.",
    ),
    AttributeSpec(
        attribute=Attribute.TOPIC_MANAGEMENT,
        dimension=Dimension.INFORMATION_FLOW,
        kind="action",
        gated=False,
        question="When several matters come up at once, how do they want them taken?",
        settings=(
            _setting(
                "organize",
                "Wants all of them dealt with, sorted and labelled.",
                "All topics run; the reply groups and labels them.",
            ),
            _setting(
                "one_at_a_time",
                "Wants one settled before the next is opened.",
                "The first topic only; the rest expressly suspended and asked about before moving on.",
            ),
        ),
        task_failure="A topic is dropped.",
    ),
)

_BY_NAME = {spec.attribute: spec for spec in TAXONOMY}

TAXONOMY_VERSION = "1-" + digest([spec.plain() for spec in TAXONOMY])[:12]
"""Version and content of the table; a decision names the one that its reviewer saw."""


def attribute_spec(attribute: str) -> AttributeSpec:
    """Return the row of an attribute.

    Raises:
        ValueError: if there is no such attribute.
    """
    return _BY_NAME[Attribute(attribute)]


def settings_of(attribute: str) -> tuple[str, ...]:
    """Return the setting names of an attribute, in table order.

    >>> settings_of("verbosity")
    ('terse', 'detailed')
    """
    return tuple(setting.name for setting in attribute_spec(attribute).settings)


def uniform_chance() -> float:
    """Return the expected accuracy of a uniform guess over the attributes (paper §3.2: 45.2 %).

    >>> round(100 * uniform_chance(), 1)
    45.2
    """
    return sum(1 / len(spec.settings) for spec in TAXONOMY) / len(TAXONOMY)


class ScenarioType(Record):
    """A kind of situation in which a user asks for assistance (six a context, paper §C.1)."""

    name: str
    context: Context
    definition: str


def _scenario(name: str, context: Context, definition: str) -> ScenarioType:
    return ScenarioType(name=name, context=context, definition=definition)


SCENARIO_TYPES: tuple[ScenarioType, ...] = (
    _scenario(
        "scheduling", Context.WORK, "Finding, moving or defending a time for people who work together."
    ),
    _scenario("correspondence", Context.WORK, "Reading, answering or preparing messages of the job."),
    _scenario("documents", Context.WORK, "Drafting, checking or finding a paper that the job needs."),
    _scenario("coordination", Context.WORK, "Keeping a project, a team or a handover moving."),
    _scenario("operations", Context.WORK, "Equipment, supplies, orders and the things that break."),
    _scenario("decision_brief", Context.WORK, "Gathering what is needed to decide, and saying what follows."),
    _scenario("household", Context.PERSONAL, "Running a home: repairs, bills, deliveries, neighbours."),
    _scenario("family_and_friends", Context.PERSONAL, "Keeping up with people: plans, favours, occasions."),
    _scenario("health_and_habits", Context.PERSONAL, "Appointments, routines and looking after oneself."),
    _scenario("travel_and_outings", Context.PERSONAL, "Getting somewhere and having it booked."),
    _scenario("purchases", Context.PERSONAL, "Choosing, ordering and returning things of one's own."),
    _scenario(
        "leisure_and_learning", Context.PERSONAL, "A hobby, a club, a course, something to look forward to."
    ),
)

FACETS: tuple[str, ...] = (
    "sociability",
    "assertiveness",
    "warmth",
    "patience",
    "orderliness",
    "openness_to_change",
    "risk_tolerance",
    "self_reliance",
    "emotional_expressiveness",
    "trust_in_others",
)
"""Personality facets that identity observations may rate (paper §I.2); none is an attribute of the table."""
