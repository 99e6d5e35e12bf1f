"""The keys of the desk, in one place: the script, the hints on the pages and the help sheet come from here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """One key and what it does; no single key enters anything."""

    name: str
    key: str
    does: str


KEYS = (
    Key("choose", "1–9", "choose a setting by its number"),
    Key("evidence", "e", "go to the next piece of evidence"),
    Key("supports", "s", "it supports the setting"),
    Key("contradicts", "c", "it contradicts the setting"),
    Key("irrelevant", "i", "it is irrelevant"),
    Key("own_style", "o", "it shows their own style only"),
    Key("reason", "r", "write the reason"),
    Key("save", "Ctrl+Enter", "save and go to the next cell"),
    Key("undo", "u", "go to the button that takes your decision back"),
    Key("skip", "z", "leave the cell as it is and go on"),
    Key("twin", "w", "open the same attribute in the other context"),
    Key("guide", "g", "open the guideline of this attribute"),
    Key("search", "/", "search lines"),
    Key("next", "n", "next open cell"),
    Key("previous", "p", "previous open cell"),
    Key("help", "?", "this sheet"),
)
BY_NAME = {key.name: key.key for key in KEYS}
