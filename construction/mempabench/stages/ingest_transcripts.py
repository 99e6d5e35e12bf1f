"""Ingest: raw text -> scenes with numbered lines and resolved speakers (paper §B.1)."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator

from mempabench.catalog import RAW_FILES, SCENES
from mempabench.domain.transcripts import Line, RawFile, Scene, Source
from mempabench.engines.asking import Asker
from mempabench.errors import InputError
from mempabench.importers import read_transcript
from mempabench.importers.importer import RawLine, RawScene, Transcript
from mempabench.importers.labels import parts
from mempabench.stages.stage import Stage, Unit, Work


def ingest_transcripts(files: tuple[RawFile, ...], work: Work) -> Iterator[Scene]:
    """Yield the scenes of every file.

    Raises:
        InputError: naming file and line, for what can't be read, a speaker that no cast knows, or an episode
            that two files hold.
    """
    seen: dict[tuple[str, str], str] = {}
    scenes: Iterator[Scene] = work.each((_unit(file) for file in files), read_file)
    for scene in scenes:
        first = seen.setdefault((scene.source, scene.episode), scene.file)
        if first != scene.file:
            raise InputError(
                f"transcripts_raw/{scene.file}: episode {scene.episode} is in transcripts_raw/{first} too; keep one"
            )
        yield scene


def _unit(file: RawFile) -> Unit:
    """Return the unit of a file, without the source's other files, so that their edits don't touch it."""
    own = tuple(listed for listed in file.source.files if listed.path == file.path)
    alone = file.changed(source=file.source.changed(files=own))
    return Unit(file.path.rsplit(".", 1)[0], file.source.id, (alone,))


def read_file(unit: Unit, asker: Asker) -> Iterator[Scene]:
    """Yield the scenes of one file."""
    (file,) = unit.payload
    assert isinstance(file, RawFile)
    yield from scenes_of(file)


def scenes_of(file: RawFile) -> Iterator[Scene]:
    """Yield the scenes of a file.

    Raises:
        InputError: naming file and line, for what can't be read or isn't accepted, and for unknown speakers.
    """
    name = f"transcripts_raw/{file.path}"
    seen: Counter[str] = Counter()
    transcript = read_transcript(file.source.format, file.raw(), name, file.source.reading)
    _refuse_oddities(transcript, file, name)
    for raw in transcript.scenes:
        episode = _episode(raw, file, name)
        seen[episode] += 1
        yield _scene(raw, episode, seen[episode], file, name)


def _refuse_oddities(transcript: Transcript, file: RawFile, name: str) -> None:
    """Refuse what was read otherwise than written, unless the manifest says that somebody has looked at it."""
    accepted = sum(listed.oddities for listed in file.source.files if listed.path == file.path)
    found = transcript.oddities
    if len(found) == accepted:
        return
    if not found:
        raise InputError(
            f"{name}: sources.toml accepts {accepted} oddities, but none is left; take its oddities key out"
        )
    place = f"{name}:{found[0].line}" if found[0].line else name
    raise InputError(
        f"{place}: {found[0].what}; of {len(found)} oddities sources.toml accepts {accepted}: mend the file, or look "
        f"at them (mempabench transcripts inspect FILE) and accept them with oddities = {len(found)}"
    )


def _episode(raw: RawScene, file: RawFile, name: str) -> str:
    """Return the episode that the file names, or the manifest where the file doesn't."""
    episode = raw.episode or next((f.episode for f in file.source.files if f.path == file.path), None)
    if not episode:
        raise InputError(
            f"{name}: doesn't say which episode it is; give its file an episode in sources.toml, such as "
            'episode = "s01e01"'
        )
    return episode


def _scene(raw: RawScene, episode: str, number: int, file: RawFile, name: str) -> Scene:
    scene_id = f"{file.source.id}/{episode}/sc{number:02d}"
    return Scene(
        id=scene_id,
        source=file.source.id,
        episode=episode,
        episode_title=raw.title,
        heading=raw.heading,
        file=file.path,
        lines=tuple(
            _line(line, position, scene_id, file.source, name)
            for position, line in enumerate(raw.lines, start=1)
        ),
    )


def _line(raw: RawLine, number: int, scene_id: str, source: Source, name: str) -> Line:
    speakers = resolve(raw.label, source, f"{name}:{raw.number}", raw.people) if raw.label else ()
    return Line(
        id=f"{scene_id}/l{number:03d}",
        number=number,
        label=raw.label or None,
        speakers=speakers,
        text=raw.text,
        directions=raw.directions,
        source_line=raw.number,
        position=raw.pointer,
        raw=raw.raw,
        time=raw.time,
    )


def resolve(label: str, source: Source, where: str, people: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the persons that a speaker label means: one, or those of a joint cue.

    Args:
        label: As the file has it.
        source: The source with its cast.
        where: File and line, as messages name them.
        people: Who speaks, where the file says that apart from the label; the label decides if the cast doesn't
            know them.

    Raises:
        InputError: when the cast knows no such speaker, with the nearest label it does know.
    """
    labels = _labels(source)
    named = [labels.get(person.casefold()) for person in people]
    if named and all(named):
        return tuple(dict.fromkeys(person for person in named if person))
    whole = labels.get(label.casefold())
    if whole is not None:
        return (whole,)
    found = [labels.get(part.casefold()) for part in parts(label)]
    if len(found) > 1 and all(found):
        return tuple(dict.fromkeys(person for person in found if person))
    near = difflib.get_close_matches(label.casefold(), labels, n=1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    raise InputError(
        f"{where}: unknown speaker '{label}'; {hint}add it to the cast of '{source.id}' in sources.toml"
    )


def _labels(source: Source) -> dict[str, str]:
    return {
        label.casefold(): member.person for member in source.cast for label in (member.name, *member.aliases)
    }


INGEST_TRANSCRIPTS = Stage(
    "ingest_transcripts", version="1", reads=(RAW_FILES,), writes=SCENES, run=ingest_transcripts
)
