"""Transcripts that others made, where they are at hand: the counts that are known."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mempabench.importers.inspecting import inspect

COUNTS: dict[str, tuple[str, int | None, int, int]] = {
    "tei/shakedracor_the-comedy-of-errors.xml": ("tei", 11, 609, 19),
    "gutenberg_text/earnest.txt": ("play_text", 3, 879, 9),
    "fountain/screenplain_Brick-and-Steel.fountain": ("fountain", 8, 20, 7),
    "fountain/screenplain_test_boneyard.fountain": ("fountain", 1, 0, 0),
    "fountain/screenplain_test_dialogue-character-extension.fountain": ("fountain", 0, 1, 1),
    "fountain/screenplain_test_dialogue-with-blank-line.fountain": ("fountain", 0, 1, 1),
    "fountain/screenplain_test_notes.fountain": ("fountain", 0, 0, 0),
    "fountain/screenplain_test_scene-numbers.fountain": ("fountain", 5, 0, 0),
    "fountain/screenplain_test_utf-8-bom.fountain": ("fountain", 1, 3, 2),
    "fdx/screenplain_Brick-and-Steel.fdx": ("fdx", 8, 20, 7),
    "fdx/screenplain_test_dual-dialogue.fdx": ("fdx", 0, 2, 2),
    "webvtt/w3c_spec_example_voices.vtt": ("webvtt", None, 8, 1),
    "webvtt/issue_ableplayer_348.vtt": ("webvtt", None, 1, 1),
    "webvtt/webvttpy_youtube_dl.vtt": ("webvtt", None, 4, 0),
    "webvtt/webvttpy_captions_with_bom.vtt": ("webvtt", None, 4, 0),
    "webvtt/webvttpy_comments.vtt": ("webvtt", None, 3, 0),
    "srt/srtlib_gb2312.srt": ("srt", None, 3, 0),
    "chat/chatminer_test_ddmmyy_24hrs.txt": ("chat_text", None, 7, 5),
    "chat/chatminer_test_mmddyyyy_12hrs.txt": ("chat_text", None, 7, 5),
    "chat/zulip_normal_thread.json": ("slack", None, 4, 2),
    "chat/chatanalytics_DM_2A_2M.json": ("discord", None, 2, 2),
}


@pytest.mark.skipif("MEMPABENCH_SAMPLES" not in os.environ, reason="needs transcripts of others")
@pytest.mark.parametrize("name", COUNTS)
def test_format_scenes_lines_and_speakers_are_the_known_ones(name: str) -> None:
    path = Path(os.environ["MEMPABENCH_SAMPLES"]) / name

    found = inspect(path.read_bytes(), path.name)

    assert (found.format, found.scenes, found.lines, len(found.speakers)) == COUNTS[name]
