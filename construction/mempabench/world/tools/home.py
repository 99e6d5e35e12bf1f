"""Things at home that can be set from afar."""

from __future__ import annotations

from typing import Any

from mempabench.domain.worlds import Device, Routine
from mempabench.domain.worlds.base import Line
from mempabench.world.searching import matches
from mempabench.world.tool import tool
from mempabench.world.view import Refusal, View


@tool(reads=(Device, Routine), finds=(Device, Routine))
def home_status(view: View, text: Line | None = None, room: Line | None = None) -> dict[str, Any]:
    """List the devices at home room by room, what each is set to and can be set to, and the routines that set them.

    Args:
        text: words that stand in the name of the device or its sort
        room: only in this room
    """
    found = [
        device
        for device in view.all(Device)
        if matches(text, device.name, device.sort)
        and (room is None or room.casefold() == device.room.casefold())
    ]
    keys = {device.id for device in found}
    routines = [one for one in view.all(Routine) if keys & {setting.device for setting in one.settings}]
    return {
        "devices": [view.show(one) for one in sorted(found, key=lambda one: (one.room.casefold(), one.id))],
        "routines": [view.show(one) for one in sorted(routines, key=lambda one: one.id)],
    }


@tool(writes=(Device,))
def home_set(view: View, device_id: str, setting: Line) -> dict[str, Any]:
    """Set a device at home. One that is set so already stays so.

    Args:
        device_id: the device
        setting: what it is set to, one of its options

    Raises:
        no_such_option: the device can't be set to this; home_status has its options
        by_hand_only: somebody has to be there to set it to this

    Limits:
        offline: the device is off the net; a routine that goes through the hub reaches it, with home_run_routine
    """
    device = view.get(Device, device_id)
    if setting not in device.options:
        raise Refusal("no_such_option", f"{setting}, not {' or '.join(device.options)}")
    if setting in device.by_hand_only:
        raise Refusal("by_hand_only", f"{device.name}, {setting}")
    if not device.online:
        raise Refusal("offline", device.name)
    return view.show(view.change(device, setting=setting))


@tool(writes=(Device,), reads=(Routine,))
def home_run_routine(view: View, routine_id: str, but: tuple[str, ...] = ()) -> dict[str, Any]:
    """Set all devices of a routine as it says, at once or not at all.

    Args:
        routine_id: the routine
        but: ids of devices that are left as they are

    Raises:
        by_hand_only: somebody has to be there for one of its settings; leave that device out with but

    Limits:
        offline: a device is off the net and this routine doesn't go through the hub; leave it out with but, or set the
            others one by one with home_set
    """
    routine = view.get(Routine, routine_id)
    changed = []
    for one in routine.settings:
        if one.device in but:
            continue
        device = view.get(Device, one.device)
        if one.setting in device.by_hand_only:
            raise Refusal("by_hand_only", f"{device.name}, {one.setting}")
        if not device.online and routine.through != "hub":
            raise Refusal("offline", device.name)
        if device.setting != one.setting:
            changed.append(view.change(device, setting=one.setting))
    return {**view.show(routine), "changed": [view.show(one, "name", "room", "setting") for one in changed]}
