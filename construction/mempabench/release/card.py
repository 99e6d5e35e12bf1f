"""The dataset card: what the dataset is, for a reader and for ``datasets``; every figure is counted from the rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from mempabench.domain.evidence import Confidence
from mempabench.domain.manifests import TableEntry
from mempabench.domain.review import Outcome
from mempabench.domain.taxonomy import TAXONOMY, Context, attribute_spec
from mempabench.release.rows import Material, Row
from mempabench.release.tables import DEFAULT, SPLIT, Table, View, card_features
from mempabench.workspace import ReleaseConfig

Rows = Mapping[Table, Sequence[Row]]

_TAGS = ["agents", "memory", "personalization", "preferences", "benchmark", "synthetic"]

_CITATION = """\
@article{li2026mempabench,
  title = {Why Bother Me Again? Benchmarking Personal Agent Memory for Interaction Preferences},
  author = {Li, Jialin and Chen, Zhenhao and Luo, Hanjun and Salam, Hanan},
  journal = {arXiv preprint arXiv:2610.30485},
  year = {2026},
  url = {https://arxiv.org/abs/2610.30485}
}"""


def card(
    config: ReleaseConfig,
    material: Material,
    rows: Rows,
    entries: Sequence[TableEntry],
    sizes: Mapping[str, int],
) -> str:
    """Return ``README.md`` of the release.

    Args:
        config: What the dataset says of itself.
        material: The records that it is made from.
        rows: The rows of every table.
        entries: Row count and content hash of every table.
        sizes: Bytes of every table in memory, by name.
    """
    by_name = {table.name: table_rows for table, table_rows in rows.items()}
    sections = (
        _what(by_name, config),
        _loading(by_name),
        _terms(by_name),
        _tables(rows),
        _settings(by_name["preferences"]),
        _confidence(by_name["preferences"]),
        _making(by_name),
        _sources(material, by_name),
        _limits(material, by_name),
        _terms_of_use(config),
    )
    return front_matter(config, rows, entries, sizes) + "\n" + "\n\n".join(sections) + "\n"


def front_matter(
    config: ReleaseConfig, rows: Iterable[Table], entries: Sequence[TableEntry], sizes: Mapping[str, int]
) -> str:
    """Return the YAML head: configurations with their files, features and sizes."""
    entry_of = {entry.name: entry for entry in entries}
    head = {
        "pretty_name": "MemPABench",
        "license": config.license.lower(),
        "language": ["en"],
        "tags": _TAGS,
        "task_categories": ["other"],
        "size_categories": [_size_category(sum(entry.rows for entry in entries))],
        "configs": [_config(config.version, table, entry_of[table.name]) for table in rows],
        "dataset_info": [_info(table, entry_of[table.name], sizes[table.name]) for table in rows],
    }
    text = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000, default_flow_style=False)
    return f"---\n{text}---\n"


def _config(version: str, table: Table, entry: TableEntry) -> dict[str, Any]:
    """Return a configuration; its description holds the content hash, on which the local cache's key depends."""
    return {
        "config_name": table.name,
        **({"default": True} if table is DEFAULT else {}),
        "description": f"{table.about}. Content {entry.content_sha256}",
        "version": version,
        "data_files": [{"split": SPLIT, "path": table.path}],
    }


def _info(table: Table, entry: TableEntry, size: int) -> dict[str, Any]:
    return {
        "config_name": table.name,
        "features": card_features(table.columns),
        "splits": [{"name": SPLIT, "num_bytes": size, "num_examples": entry.rows}],
        "dataset_size": size,
    }


def _size_category(rows: int) -> str:
    if rows < 1_000:
        return "n<1K"
    return "1K<n<10K" if rows < 10_000 else "10K<n<100K"


def _what(rows: Mapping[str, Sequence[Row]], config: ReleaseConfig) -> str:
    cells = rows["preferences"]
    return f"""\
# MemPABench {config.version}

MemPABench asks whether a personal agent remembers *how* its user wants to be assisted. This release holds the
ground: {_count(len(cells), "preference")} of {_count(len(rows["personas"]), "user")}, each with the trail that leads \
to it, from a line of
dialogue to the decision that settled it.

It is an independent reconstruction of the benchmark described in
[arXiv:2610.30485](https://arxiv.org/abs/2610.30485), with source material of its own. It isn't the data of the
paper's authors, and figures of the two don't compare."""


def _loading(rows: Mapping[str, Sequence[Row]]) -> str:
    example = {
        name: rows["preferences"][0][name]
        for name in ("id", "user", "context", "attribute", "setting", "outcome")
    }
    return f"""\
## Load it

```python
from datasets import load_dataset

cells = load_dataset("path/to/mempabench", split="{SPLIT}")  # the default table, preferences
proposals = load_dataset("path/to/mempabench", "proposals", split="{SPLIT}")
```

With the package `mempabench`, `mempabench.load("preferences")` needs no path; and after `mempabench install`,
`load_dataset("mempabench")` works from any folder (set `HF_HUB_OFFLINE=1`). The first row of `preferences`, in part:

```json
{json.dumps(example, ensure_ascii=False, indent=2)}
```"""


def _terms(rows: Mapping[str, Sequence[Row]]) -> str:
    settings = sum(len(spec.settings) for spec in TAXONOMY)
    first = rows["preferences"][0]
    spec = attribute_spec(first["attribute"])
    known = ", ".join(f"`{setting.name}`" for setting in spec.settings)
    return f"""\
## The words

- An **attribute** is one respect in which assistance can differ; there are {len(TAXONOMY)}, with {settings} settings.
- A **setting** is one way of being assisted. `{spec.attribute}` asks: "{spec.question}" and has {known}.
- A **context** is the part of life in which the user is being assisted: `work` or `personal`.
- A **cell** is one (user, context, attribute). At any time it has exactly one setting, so a user has
  {len(TAXONOMY) * len(Context)} cells. `{first["id"]}` is `{first["setting"]}`.
- The **outcome** says how the setting was settled: `confirmed` (high confidence, no review), `kept`, `changed`
  (a reviewer read the evidence otherwise) or `specified` (the evidence can't carry it; chosen by design)."""


def _tables(rows: Rows) -> str:
    lines = [
        f"| `{table.name}` | {len(table_rows)} | {table.view} | {table.about} |"
        for table, table_rows in rows.items()
    ]
    return f"""\
## The tables

| table | rows | view | what a row is |
|---|---:|---|---|
{chr(10).join(lines)}

Every table has the split `{SPLIT}`, a stable `id`, a `user` (or null) and says in its last columns who wrote the row.
The **view** says who may see it, column by column (`schemas/tables.json`): `{View.SIMULATOR}` is for whoever plays
the user, `{View.GRADER}` for whoever scores, `{View.CONSTRUCTION}` for whoever asks how the data came about. An agent
under test sees none of these. Hash and row count of each table stand in `release.json`."""


def _settings(cells: Sequence[Row]) -> str:
    counts = Counter((row["attribute"], row["setting"], row["context"]) for row in cells)
    lines = []
    for spec in TAXONOMY:
        for setting in spec.settings:
            found = [counts[spec.attribute, setting.name, context] for context in Context]
            shown = " | ".join(map(str, (*found, sum(found))))
            lines.append(f"| {spec.attribute} | {setting.name} | {shown} |")
    used = len({(row["attribute"], row["setting"]) for row in cells})
    total = sum(len(spec.settings) for spec in TAXONOMY)
    pairs, differing = _pairs(cells)
    return f"""\
## Settings

{used} of {total} settings are in use. Of {_count(pairs, "pair")} of cells with the same user and attribute, \
{differing} differ between work and
personal life.

| attribute | setting | work | personal | both |
|---|---|---:|---:|---:|
{chr(10).join(lines)}"""


def _pairs(cells: Sequence[Row]) -> tuple[int, int]:
    by_pair: dict[tuple[str, str], list[str]] = {}
    for row in cells:
        by_pair.setdefault((row["user"], row["attribute"]), []).append(row["setting"])
    pairs = [settings for settings in by_pair.values() if len(settings) == len(Context)]
    return len(pairs), sum(len(set(settings)) > 1 for settings in pairs)


def _confidence(cells: Sequence[Row]) -> str:
    counts = Counter((row["confidence"], row["outcome"]) for row in cells)
    lines = []
    for confidence in Confidence:
        found = [counts[confidence, outcome] for outcome in Outcome]
        lines.append(f"| {confidence} | " + " | ".join(map(str, (*found, sum(found)))) + " |")
    totals = [sum(counts[confidence, outcome] for confidence in Confidence) for outcome in Outcome]
    lines.append("| all | " + " | ".join(map(str, (*totals, sum(totals)))) + " |")
    return f"""\
## Confidence and outcomes

Code grants the confidence from the evidence: `high` needs two or more agreeing receptions from different episodes
and nothing contrary unresolved. Everything below `high` was reviewed.

| confidence | {" | ".join(Outcome)} | all |
|---|{"---:|" * (len(Outcome) + 1)}
{chr(10).join(lines)}"""


def _making(rows: Mapping[str, Sequence[Row]]) -> str:
    casts = Counter(row["user"] is not None for row in rows["proposals"])
    agreeing, compared = _agreement(rows["proposals"])
    return f"""\
## How it was made

1. Transcripts are read into {_count(len(rows["scenes"]), "scene")}.
2. Scene by scene, reactions to being helped, told, asked, interrupted or reminded are noted with verbatim quotes:
   {_count(len(rows["evidence"]), "observation")}.
3. Two readings that don't see each other propose a setting for every cell of every candidate: \
{_count(len(rows["proposals"]), "proposal")},
   {casts[True]} of them of candidates who became users. Where both propose one, they agree on {agreeing} of {compared}.
4. What is below high confidence is decided in review: {_count(len(rows["reviews"]), "decision")}.
5. Names are replaced by fictional ones from a reviewed registry, and personas are written from what remains.

{_writers(rows)} {_reviewers(rows)}"""


def _agreement(proposals: Sequence[Row]) -> tuple[int, int]:
    both = [row for row in proposals if row["setting"] is not None and row["second_setting"] is not None]
    return sum(row["setting"] == row["second_setting"] for row in both), len(both)


def _writers(rows: Mapping[str, Sequence[Row]]) -> str:
    told = [row for name in ("evidence", "proposals", "personas") for row in rows[name] if row["writer"]]
    writers = sorted({row["writer"] for row in told})
    models = sorted({row["model"] for row in told})
    return f"Observations, proposals and personas were written by: {', '.join(writers)} (model: {', '.join(models)})."


def _reviewers(rows: Mapping[str, Sequence[Row]]) -> str:
    judged = [*rows["reviews"], *rows.get("substitutes", ())]
    kinds = Counter(row["reviewer_kind"] for row in judged)
    if not kinds["human"]:
        return (
            "The reviewers' judgements are a model's too: **no human has reviewed this version.** Writers, readers "
            "and reviewers may share their conventions, so figures of agreement are upper bounds."
        )
    return (
        f"Of {_count(len(judged), 'judgement')} by reviewers, {kinds['human']} are a human's "
        f"and {kinds['model']} a model's."
    )


def _sources(material: Material, rows: Mapping[str, Sequence[Row]]) -> str:
    scenes = Counter(row["source"] for row in rows["scenes"])
    lines = [
        f"- *{source.title}* ({_count(scenes[source.id], 'scene')}, {source.license}): {source.origin.rstrip('.')}. "
        + (
            "Its text is in this release."
            if source.redistributable
            else "Only ids and hashes of its text are here."
        )
        for source in material.sources
    ]
    return "## Sources\n\n" + "\n".join(lines)


def _limits(material: Material, rows: Mapping[str, Sequence[Row]]) -> str:
    return f"""\
## Limits

- {_count(len(rows["personas"]), "user").capitalize()} so far, from \
{_count(len({user.source for user in material.users}), "source")}; too few to say anything about users in general.
- Everything is in English, and the people are fictional: how they take help is what writers imagined.
{_unchanging(rows["preferences"])}\
- {_count(sum(row["basis"] == "designed" for row in rows["preferences"]), "setting")} with `basis` `designed`: \
chosen without usable evidence; leave them out where that matters."""


def _unchanging(cells: Sequence[Row]) -> str:
    if any(row["changed_to"] for row in cells):
        return ""
    return "- Preferences don't change yet: `changed_to` and `changed_on` are null throughout.\n"


def _terms_of_use(config: ReleaseConfig) -> str:
    return f"""\
## Licence

{config.license}, see `LICENSE`. Please give credit and say what you changed.

## Canary

Please keep this data out of training sets. The string below marks its files, so that a corpus can be searched for it:

    {config.canary}

## Citation

This dataset implements the benchmark of the following paper. Please cite the paper, and say that you used this
reconstruction and its version, {config.version}.

```bibtex
{_CITATION}
```"""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
