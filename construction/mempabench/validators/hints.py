"""Hxx: figures for readers, as found. An alarm asks somebody to look; nothing fails because of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from mempabench.domain.evidence import Confidence, Mode
from mempabench.domain.identifiers import Identifiers
from mempabench.domain.registry import words
from mempabench.domain.review import Cell
from mempabench.domain.taxonomy import TAXONOMY, Attribute, AttributeSpec, Context
from mempabench.validators.data import Data, Unavailable
from mempabench.validators.personas import persona_texts
from mempabench.validators.views import recorded_lines

MAX_HIGH = 0.65
"""Share of proposals granted high above which granting is too easy."""
MIN_UNSURE = 5
"""Proposals granted low or none below which it is too easy as well."""
MIN_OF_TWO = 0.25
"""Share of an attribute's cells that the rarer of two settings should have."""
MAX_OF_THREE = 0.60
"""Share that no setting of three should exceed."""
DIFFERING = (20 / 56, 32 / 56)
"""Share of attribute pairs whose contexts differ that was hoped for."""
MAX_CONSTANT = 0.65
"""Score of the best constant guess per attribute above which the data is too predictable."""
MAX_OPENING = 0.04
"""Share of rationales that may begin alike."""
OPENING = 4
"""Words that make an opening."""


@dataclass(frozen=True)
class Figures:
    """What was counted."""

    lines: tuple[str, ...]
    alarms: tuple[str, ...] = ()
    """What lies outside of what was hoped for."""


@dataclass(frozen=True)
class HintRule:
    """Something to be counted, with its code and title."""

    code: str
    words: str
    count: Callable[[Data], Figures]


@dataclass(frozen=True)
class Hint:
    """What a rule counted, or why it could not."""

    code: str
    words: str
    lines: tuple[str, ...]
    alarms: tuple[str, ...] = ()


def run_hints(rules: Iterable[HintRule], data: Data) -> Iterator[Hint]:
    """Yield the figures of every rule."""
    for rule in rules:
        try:
            figures = rule.count(data)
            yield Hint(rule.code, rule.words, figures.lines, figures.alarms)
        except Unavailable as absent:
            yield Hint(rule.code, rule.words, (f"not counted: {absent}",))


def confidence(data: Data) -> Figures:
    """Count the granted confidence over all proposals."""
    granted = Counter(str(proposal.confidence) for proposal in data.proposed_cells)
    total = granted.total()
    unsure = granted[Confidence.LOW] + granted[Confidence.NONE]
    alarms = []
    if _share(granted[Confidence.HIGH], total) > MAX_HIGH:
        alarms.append(f"{_percent(granted[Confidence.HIGH], total)} are granted high, over {MAX_HIGH:.0%}")
    if unsure < MIN_UNSURE:
        alarms.append(f"{unsure} are low or none, fewer than {MIN_UNSURE}")
    return Figures((_counted(Confidence, granted),), tuple(alarms))


def claims(data: Data) -> Figures:
    """Set claimed against granted confidence."""
    table = Counter((proposal.claimed, proposal.confidence) for proposal in data.proposed_cells)
    rows = [
        f"claimed {claimed:<7}" + "".join(f"{table[claimed, granted]:>5} {granted}" for granted in Confidence)
        for claimed in Confidence
    ]
    return Figures(tuple(rows))


def balance(data: Data) -> Figures:
    """Count the settings of every attribute over all cells."""
    lines, alarms = [], []
    for spec in TAXONOMY:
        counts = Counter(cell.setting for cell in data.cells if cell.attribute is spec.attribute)
        lines.append(f"{spec.attribute:<23} {_counted((s.name for s in spec.settings), counts)}")
        alarms += [f"{spec.attribute}: {problem}" for problem in _imbalance(spec, counts)]
    return Figures(tuple(lines), tuple(alarms))


def _imbalance(spec: AttributeSpec, counts: Counter[str]) -> Iterator[str]:
    total = counts.total()
    for setting in spec.settings:
        share = _share(counts[setting.name], total)
        shown = f"{setting.name} has {_percent(counts[setting.name], total)}"
        if len(spec.settings) == 2 and share < MIN_OF_TWO:
            yield f"{shown}, under {MIN_OF_TWO:.0%}"
        elif len(spec.settings) > 2 and counts[setting.name] == 0:
            yield f"{setting.name} never occurs"
        elif len(spec.settings) > 2 and share > MAX_OF_THREE:
            yield f"{shown}, over {MAX_OF_THREE:.0%}"


def settings_in_use(data: Data) -> Figures:
    """Count the settings that some cell has."""
    used = {(cell.attribute, cell.setting) for cell in data.cells}
    known = [(spec.attribute, setting.name) for spec in TAXONOMY for setting in spec.settings]
    unused = [f"{attribute}/{setting}" for attribute, setting in known if (attribute, setting) not in used]
    lines = [f"{len(known) - len(unused)} of {len(known)}"]
    return Figures((*lines, f"unused: {', '.join(unused)}") if unused else tuple(lines))


def differing_pairs(data: Data) -> Figures:
    """Count the attributes on which a user's two contexts differ."""
    pairs: defaultdict[tuple[str, Attribute], dict[Context, str]] = defaultdict(dict)
    for cell in data.cells:
        pairs[cell.user, cell.attribute][cell.context] = cell.setting
    whole = [pair for pair in pairs.values() if len(pair) == len(Context)]
    differ = sum(pair[Context.WORK] != pair[Context.PERSONAL] for pair in whole)
    low, high = DIFFERING
    alarm = f"{_percent(differ, len(whole))} differ, hoped for were {low:.0%} to {high:.0%}"
    outside = not low <= _share(differ, len(whole)) <= high
    return Figures((f"{differ} of {len(whole)}",), (alarm,) if outside else ())


def best_constant(data: Data) -> Figures:
    """Score somebody who knows nothing but the commonest setting of each attribute."""
    cells: defaultdict[Attribute, list[Cell]] = defaultdict(list)
    for cell in data.cells:
        cells[cell.attribute].append(cell)
    best = {name: Counter(cell.setting for cell in own).most_common(1)[0] for name, own in cells.items()}
    right, total = sum(count for _, count in best.values()), sum(map(len, cells.values()))
    over = [
        f"{name}: always {setting} is right {_percent(count, len(cells[name]))}"
        for name, (setting, count) in best.items()
        if count > MAX_CONSTANT * len(cells[name])
    ]
    alarm = f"{_percent(right, total)} are right by the commonest setting, over {MAX_CONSTANT:.0%}"
    alarms = (alarm,) if _share(right, total) > MAX_CONSTANT else ()
    return Figures((f"{right} of {total} cells, {_percent(right, total)}", *over), alarms)


def observations_per_cell(data: Data) -> Figures:
    """Count the observations that the candidates' cells have, by mode."""
    counts = Counter((o.source, o.character, o.context, o.attribute, o.mode) for o in data.evidence)
    keys = [
        (source, person, context, spec.attribute)
        for source, person in sorted(data.candidates)
        for context in Context
        for spec in TAXONOMY
    ]
    lines = []
    for mode in Mode:
        own = [counts[(*key, mode)] for key in keys]
        mean = sum(own) / len(own) if own else 0.0
        lines.append(
            f"{mode:<11} mean {mean:.1f}, most {max(own, default=0)}, "
            f"cells without {own.count(0)} of {len(own)}"
        )
    return Figures(tuple(lines))


def single_quotes(data: Data) -> Figures:
    """Count the observations that rest on one quote."""
    single = sum(len(observation.quotes) == 1 for observation in data.evidence)
    return Figures((f"{single} of {len(data.evidence)}, {_percent(single, len(data.evidence))}",))


def like_rationales(data: Data) -> Figures:
    """Count rationales that begin with the same words, or are the same."""
    texts = [tuple(words(text)) for text in _rationales(data)]
    openings = Counter(text[:OPENING] for text in texts)
    same = sum(count - 1 for count in Counter(texts).values())
    common = [
        f"'{' '.join(opening)}' opens {count} of {len(texts)}, over {MAX_OPENING:.0%}"
        for opening, count in openings.most_common()
        if count > 1 and count > MAX_OPENING * len(texts)
    ]
    most = openings.most_common(1)[0][1] if openings else 0
    return Figures(
        (f"{len(texts)} rationales, {same} the same as another; most alike openings {most}",), tuple(common)
    )


def _rationales(data: Data) -> Iterator[str]:
    """Yield what readers wrote, not what code says of cells without evidence."""
    for proposal in data.proposed_cells:
        if proposal.second is not None:
            yield proposal.rationale
            yield proposal.second.rationale


def recordings(data: Data) -> Figures:
    """Count the recordings, those superseded by a newer prompt version, and those refused when they came."""
    versions = {prompt.name: prompt.version for prompt in data.prompts}
    kept = [line.recording for line in recorded_lines(data) if line.recording]
    superseded = sum(r.prompt_version != versions.get(r.prompt, r.prompt_version) for r in kept)
    refused = sum(bool(r.refused) for r in kept)
    return Figures((f"{len(kept)} recordings, {superseded} superseded, {refused} refused when imported",))


def refused_units(data: Data) -> Figures:
    """Count the units of every stage that no attempt could answer."""
    accounts = [built.account for built in data.built if built.account]
    lines = [f"{a.stage}: {a.refused} of {a.units} units" for a in accounts if a.refused]
    return Figures(tuple(lines) or ("none",), tuple(lines))


def possible_names(data: Data) -> Figures:
    """Show what in the personas might give a name of their source away: bare initials, pet forms."""
    source_of = {user.user: user.source for user in data.users}
    searches = {
        source: Identifiers(entry for entry in data.substitutes if entry.source == source)
        for source in set(source_of.values())
    }
    lines = [
        f"{persona.user} {place}: '{found.words}' ({found.kind}: {found.form})"
        for persona in data.personas
        if persona.user in source_of
        for place, text in persona_texts(persona)
        for found in searches[source_of[persona.user]].find(text)
        if not found.certain
    ]
    return Figures(tuple(lines) or ("none",), tuple(lines))


def _share(part: int, total: int) -> float:
    return part / total if total else 0.0


def _percent(part: int, total: int) -> str:
    return f"{_share(part, total):.1%}"


def _counted(names: Iterable[str], counts: Counter[str]) -> str:
    total = counts.total()
    return ", ".join(f"{counts[name]} {name} ({_percent(counts[name], total)})" for name in names)


HINTS: Sequence[HintRule] = (
    HintRule("H01", "granted confidence, all proposals", confidence),
    HintRule("H02", "claimed against granted confidence", claims),
    HintRule("H03", "settings by attribute, all cells", balance),
    HintRule("H04", "settings in use", settings_in_use),
    HintRule("H05", "attribute pairs whose contexts differ", differing_pairs),
    HintRule("H06", "best constant per attribute", best_constant),
    HintRule("H07", "observations per candidate's cell", observations_per_cell),
    HintRule("H08", "observations that rest on one quote", single_quotes),
    HintRule("H09", "rationales that begin alike", like_rationales),
    HintRule("H10", "recordings", recordings),
    HintRule("H11", "units that were refused at every attempt", refused_units),
    HintRule("H12", "what may be a name of the source, or no more than a word", possible_names),
)
"""All hints."""
