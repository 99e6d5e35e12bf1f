"""Saying lines that hold untrusted text: transcripts, answers and what strangers' files say."""

from __future__ import annotations

from mempabench_review.showing import plain_text


def told(line: str) -> str:
    """Return a line without control and invisible characters, its indent kept.

    >>> told("  a \\x1b[31mred\\x1b[0m word")
    '  a red word'
    """
    return " " * (len(line) - len(line.lstrip(" "))) + plain_text(line)
