"""Assemble: records and configuration -> the release folder, the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from mempabench.catalog import (
    CELLS,
    DECISIONS,
    EVIDENCE,
    PERSONAS,
    PROPOSED_CELLS,
    SCENES,
    SOURCES,
    SUBSTITUTES,
    USERS,
    load,
)
from mempabench.domain.manifests import FileEntry, ReleaseManifest, TableEntry
from mempabench.domain.record import canonical_json, digest
from mempabench.errors import ReleaseError
from mempabench.release.card import card
from mempabench.release.checking import check, check_sources
from mempabench.release.folder import MANIFEST, write_folder
from mempabench.release.provenance import Origins
from mempabench.release.rows import Material, Row, release_rows
from mempabench.release.tables import Table, arrow_schema, tables_json
from mempabench.workspace import ReleaseConfig, Workspace

RECORDED_STAGES = ("find_reactions", "propose_cells", "propose_substitutes", "anonymize_personas")
"""Stages whose recordings say who wrote a released row."""

READS = (SOURCES, SCENES, EVIDENCE, PROPOSED_CELLS, USERS, DECISIONS, CELLS, PERSONAS, SUBSTITUTES)
"""Artifacts that a release is made from."""

LICENSE_TEXTS = {"CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/legalcode"}


def assemble(workspace: Workspace, out: Path) -> ReleaseManifest:
    """Write the release folder in place of ``out`` and return its manifest.

    Nothing but artifacts and configuration shapes it.

    Raises:
        ReleaseError: when a table breaks its declaration, or the folder can't be written.
    """
    material = read_material(workspace)
    check_sources(material)
    rows = release_rows(material)
    check(rows, material)
    config = workspace.config.release
    files = {table.path: parquet(table, rows[table], config.canary) for table in rows}
    entries = tuple(
        TableEntry(name=table.name, rows=len(rows[table]), content_sha256=content_sha256(rows[table]))
        for table in rows
    )
    sizes = {table.name: _bytes_in_memory(files[table.path]) for table in rows}
    files |= {
        "README.md": card(config, material, rows, entries, sizes).encode("utf-8"),
        "LICENSE": license_notice(config).encode("utf-8"),
        "schemas/tables.json": tables_json(rows, config.canary).encode("utf-8"),
    }
    datasheet = workspace.root / "DATASHEET.md"
    if datasheet.is_file():
        files["DATASHEET.md"] = datasheet.read_bytes()
    manifest = _manifest(config, entries, files)
    text = json.dumps(manifest.plain(), ensure_ascii=False, indent=2) + "\n"
    write_folder(out, {**files, MANIFEST: text.encode("utf-8")})
    return manifest


def read_material(workspace: Workspace) -> Material:
    """Read all records that a release is made from."""
    sources, scenes, evidence, proposals, users, decisions, cells, personas, substitutes = (
        load(workspace, artifact) for artifact in READS
    )
    return Material(
        sources=sources,
        scenes=scenes,
        evidence=evidence,
        proposals=proposals,
        users=users,
        decisions=decisions,
        cells=cells,
        personas=personas,
        substitutes=substitutes,
        origins=Origins.load(workspace, RECORDED_STAGES),
    )


def content_sha256(rows: Sequence[Row]) -> str:
    """Return the SHA-256 of rows as canonical JSON Lines: the same under any Parquet writer."""
    total = hashlib.sha256()
    for row in rows:
        total.update(canonical_json(row).encode("utf-8") + b"\n")
    return total.hexdigest()


def license_notice(config: ReleaseConfig) -> str:
    """Return the short licence file of the data.

    Raises:
        ReleaseError: for a licence whose text is not known here.
    """
    if config.license not in LICENSE_TEXTS:
        raise ReleaseError(
            f"mempabench.toml: release.license is '{config.license}'; known are {', '.join(LICENSE_TEXTS)}"
        )
    return (
        f"MemPABench {config.version}\n\n"
        f"SPDX-License-Identifier: {config.license}\n"
        f"Full text: {LICENSE_TEXTS[config.license]}\n\n"
        "This covers every file of this folder, except that text quoted from a source is under that source's\n"
        "licence, named in the column `license` of the table `scenes`.\n\n"
        f"Canary: {config.canary}\n"
    )


def parquet(table: Table, rows: Sequence[Row], canary: str) -> bytes:
    """Return rows as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    content = pa.Table.from_pylist(list(rows), schema=arrow_schema(table, canary))
    pq.write_table(content, sink, compression="zstd", version="2.6")
    return bytes(sink.getvalue())


def _bytes_in_memory(content: bytes) -> int:
    """Return the size of a Parquet file's rows once they are read: what ``datasets`` calls ``num_bytes``."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return int(pq.ParquetFile(pa.BufferReader(content)).read().nbytes)


def _manifest(
    config: ReleaseConfig, entries: tuple[TableEntry, ...], files: Mapping[str, bytes]
) -> ReleaseManifest:
    return ReleaseManifest(
        version=config.version,
        license=config.license,
        canary=config.canary,
        tables=entries,
        files=tuple(
            FileEntry(path=path, bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
            for path, content in sorted(files.items())
        ),
        content_sha256=digest([[entry.name, entry.content_sha256] for entry in entries]),
    )
