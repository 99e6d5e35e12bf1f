"""After a limit the tool that it names reaches the goal, in the same world and at the same moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from tests.world.cases import CASES, JONAS, RIDE, SATURDAY, Arguments, clock
from tests.world.test_tools import branch_for, summary

from mempabench.domain.record import canonical_json
from mempabench.world.toolbox import world_tools


@dataclass(frozen=True)
class Way:
    """What goes on where a limit stopped: the calls, and what the last of them changes."""

    tool: str
    code: str
    calls: tuple[tuple[str, Arguments], ...]
    changes: str
    finds: str = ""
    """An id that the first call has to give, which the last one then uses."""

    def __str__(self) -> str:
        return f"{self.tool}-{self.code}"


def letter(to: str, body: str, context: str = "personal") -> tuple[str, Arguments]:
    return "mail_send", {"to": [to], "subject": "A question", "body": body, "context": context}


def way(tool: str, code: str, changes: str, *calls: tuple[str, Arguments], finds: str = "") -> Way:
    return Way(tool, code, calls, changes, finds)


TOBIAS = "tobias.lindqvist@lanternworks.example"
PIET = "p.vermeulen@aldineplayhouse.example"
ROUND = {"starts": clock("03-08", "09:00"), "ends": clock("03-08", "09:45")}

WAYS = (
    way("calendar_find_free", "calendar_not_shared", "mail+1",
        letter(PIET, "Which hours would suit on Thursday?", "work")),
    way("calendar_update", "not_organizer", "event~1 mail+1",
        ("calendar_respond", {"event_id": "cal_0003", "reply": "tentative", "propose": clock("03-05", "16:00")})),
    way("calendar_update", "others_invited", "event~1 mail+1",
        ("calendar_cancel", {"event_id": "cal_0002", "message": "A new time follows."}),
        ("calendar_create", {"title": "Workshop round", "starts": clock("03-09", "13:00"),
                             "ends": clock("03-09", "13:45"), "context": "work"}),
        ("calendar_invite", {"event_id": "cal_n0001", "contact_ids": ["con_0002", "con_0003"]})),
    way("calendar_cancel", "not_organizer", "event~1 mail+1",
        ("calendar_respond", {"event_id": "cal_0003", "reply": "declined"})),
    way("calendar_invite", "not_organizer", "mail+1", letter(PIET, "May Tobias come along?", "work")),
    way("rooms_book", "room_taken", "event~1 room_booking+1",
        ("rooms_find", {**ROUND, "seats": 3}), ("rooms_book", {"room_id": "room_0002", "event_id": "cal_0002"}),
        finds="room_0002"),
    way("mail_send", "too_large", "document~1 mail+1",
        ("documents_share", {"document_id": "doc_0004", "contact_ids": ["con_0004"]})),
    way("messages_send", "conversation_closed", "mail+1", letter(TOBIAS, "Hello", "work")),
    way("messages_send", "not_on_chat", "mail+1", letter(PIET, "Hello", "work")),
    way("documents_share", "not_owner", "conversation+1 message+1",
        ("messages_send", {"contact_id": "con_0002", "text": "Would you let Amara see the rates?"})),
    way("tickets_create", "frozen", "task+1",
        ("tasks_create", {"title": "Fetch the clamps", "context": "work", "list_name": "Lens lamp"})),
    way("tickets_create", "too_many", "ticket+1",
        ("tickets_search", {"project_id": "proj_0001", "assignee_id": "con_0001"}),
        ("tickets_create", {"project_id": "proj_0001", "title": "Fetch the clamps", "text": "From the store.",
                            "assignee_id": "con_0001"})),
    way("tickets_update", "awaits_review", "conversation+1 message+1",
        ("messages_send", {"contact_id": "con_0002", "text": "Could you look at circuits 1 to 12?"})),
    way("travel_book", "not_sold_here", "mail+1", letter("desk@aldineferries.example", "One seat on the 6:30?")),
    way("travel_book", "sold_out", "account~1 fare~1 journey+1 payment+1",
        ("travel_search", {"origin": "Port Aldine", "destination": "Veldhaven", "day": "2027-03-11", "seats": 3}),
        ("travel_book", {"fare_id": "fare_0001", "passenger_ids": ["con_0005", "con_0006", "con_0007"],
                         "account_id": "acct_0001", "context": "personal"}), finds="fare_0001"),
    way("travel_change", "not_changeable", "account~1 event+1 fare~1 journey+1 payment+1",
        ("travel_cancel", {"journey_id": "jrn_0001", "give_up_price": True}),
        ("travel_book", {"fare_id": "fare_0001", "passenger_ids": ["con_0001"], "account_id": "acct_0001",
                         "context": "personal"})),
    way("reservations_make", "no_online_booking", "mail+1",
        ("reservations_request", {"venue_id": "ven_0002", "starts": clock("03-20", "10:00"), "party": 2,
                                  "context": "personal", "text": "Two of us would like to come."})),
    way("reservations_make", "party_too_large", "mail+1",
        ("reservations_request", {"venue_id": "ven_0001", "starts": clock("03-13", "18:00"), "party": 9,
                                  "context": "personal", "text": "There are nine of us."})),
    way("reservations_make", "full", "account~1 event+1 payment+1 reservation+1 slot~1",
        ("venues_search", {"text": "Osel", "party": 5}),
        ("reservations_make", {**SATURDAY, "slot_id": "slot_0019", "party": 5}), finds="slot_0019"),
    way("reservations_make", "over_daily_limit", "account~1 event+1 payment+1 reservation+1 slot~1",
        ("accounts_list", {}), ("reservations_make", {**SATURDAY, "account_id": "acct_0002"}), finds="acct_0002"),
    way("orders_place", "out_of_stock", "account~1 order+1 payment+1 product~1",
        ("shop_search", {"category": "prints", "in_stock": True}),
        ("orders_place", {"lines": [{"product_id": "prod_0001"}], "account_id": "acct_0001", "context": "personal"}),
        finds="prod_0001"),
    way("orders_cancel", "dispatched_already", "account~1 order~1 payment~1 product~1",
        ("orders_return", {"order_id": "ord_0002"})),
    way("orders_return", "too_late", "mail+1", letter("help@tillystoolcounter.example", "Would you take it back?")),
    way("payments_send", "over_daily_limit", "payment+1",
        ("payments_schedule", {**JONAS, "amount": "500.00", "on": "2027-03-04"})),
    way("health_book", "full", "event+1 reservation+1 slot~1",
        ("health_find_appointments", {"text": "weir"}), ("health_book", {"slot_id": "slot_0006"}),
        finds="slot_0006"),
    way("health_book", "no_online_booking", "mail+1",
        ("reservations_request", {"venue_id": "ven_0007", "starts": clock("03-09", "15:00"), "party": 1,
                                  "context": "personal", "text": "My shoulder again."})),
    way("medications_refill", "too_early", "reminder+1",
        ("reminders_set", {"text": "Fetch Dermal 40", "at": clock("03-29", "09:00"), "about": "med_0003"})),
    way("home_set", "offline", "device~2", ("home_run_routine", {"routine_id": "rout_0001"})),
    way("home_run_routine", "offline", "device~1", ("home_set", {"device_id": "dev_0002", "setting": "17"})),
    way("transport_book_ride", "no_car", "",
        ("transport_route", {"origin_id": "plc_0001", "destination_id": "plc_0003"})),
    way("transport_book_ride", "over_daily_limit", "account~1 event+1 payment+1",
        ("accounts_list", {}), ("transport_book_ride", {**RIDE, "account_id": "acct_0002"}), finds="acct_0002"),
)  # fmt: skip


@pytest.mark.parametrize("one", WAYS, ids=str)
def test_after_a_limit_the_tool_that_it_names_goes_on(one: Way) -> None:
    case = next(case for case in CASES if (case.tool, case.code) == (one.tool, one.code))
    world = branch_for(case)
    stopped = world.call(case.tool, case.arguments, case.at)
    assert stopped.limit
    results: list[Any] = []

    for tool, arguments in one.calls:
        outcome = world.call(tool, arguments, case.at)
        assert outcome.done, outcome.text
        results.append(outcome.result)

    assert {tool for tool, _ in one.calls} & set(re.findall(r"\w+", stopped.text))
    assert one.finds in canonical_json(results[0])
    assert summary(world) == one.changes


def test_most_limits_are_gone_beyond() -> None:
    ways = {(one.tool, one.code) for one in WAYS}
    limits = {(tool.name, code) for tool in world_tools().values() for code in tool.limits}

    assert ways <= limits
    assert len({tool for tool, _ in ways}) >= 12
