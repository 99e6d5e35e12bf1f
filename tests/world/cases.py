"""A success of every tool and what it changed, and every refusal that a docstring names."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.world.conftest import NOW

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A call, and what comes of it."""

    tool: str
    code: str | None
    """Of the refusal; None for a success."""
    arguments: Arguments
    changes: str = ""
    """Kinds that changed, with + for new, ~ for changed and - for removed records."""
    before: tuple[tuple[str, Arguments], ...] = ()
    at: datetime = NOW
    edits: dict[str, Arguments] = field(default_factory=dict)
    """Fields of records that are otherwise in the world of this case."""
    without: str = ""
    """A kind of record that this world doesn't have."""

    def __str__(self) -> str:
        return f"{self.tool}-{self.code or 'done'}"


def clock(day: str, time: str = "10:00") -> str:
    return f"2027-{day}T{time}:00+01:00"


def instant(day: str, time: str = "10:00") -> datetime:
    return datetime.fromisoformat(clock(day, time))


def done(tool: str, changes: str = "", /, **arguments: Any) -> Case:
    return Case(tool, None, arguments, changes)


def no(tool: str, code: str, /, *before: tuple[str, Arguments], **arguments: Any) -> Case:
    return Case(tool, code, arguments, before=before)


def paid(amount: str, account: str = "acct_0001") -> tuple[str, Arguments]:
    """A payment that empties an account or its daily limit."""
    return (
        "payments_send",
        {"account_id": account, "contact_id": "con_0007", "amount": amount, "reference": "Owed"},
    )


PIET = "p.vermeulen@aldineplayhouse.example"
MAIL = {"to": [PIET], "subject": "Lamps", "body": "They are ready.", "context": "work"}
NEW = {
    "title": "Sharpen",
    "starts": clock("03-05", "15:00"),
    "ends": clock("03-05", "16:00"),
    "context": "work",
}
THERMOS = {
    "lines": [{"product_id": "prod_0003", "quantity": 1}],
    "account_id": "acct_0001",
    "context": "personal",
}
RIDE = {
    "origin_id": "plc_0001",
    "destination_id": "plc_0007",
    "leave": clock("03-03", "12:00"),
    "account_id": "acct_0001",
    "context": "personal",
}
SATURDAY = {"slot_id": "slot_0019", "party": 2, "context": "personal", "account_id": "acct_0001"}
JONAS = {"account_id": "acct_0001", "contact_id": "con_0007", "amount": "30.00", "reference": "Tickets"}
CABLE = {"project_id": "proj_0001", "title": "Fetch the clamps", "text": "From the store."}
FARE = {"passenger_ids": ["con_0001"], "account_id": "acct_0001", "context": "personal"}

CASES: tuple[Case, ...] = (
    # calendar
    done("calendar_search", text="walk-through"),
    done("calendar_get", event_id="cal_0003"),
    done("calendar_find_free", since=clock("03-04", "08:00"), until=clock("03-04", "18:00"), minutes=60,
         contact_ids=["con_0002"]),
    no("calendar_find_free", "ends_before_start", since=clock("03-04"), until=clock("03-03"), minutes=30),
    no("calendar_find_free", "too_long", since=clock("03-04"), until=clock("05-04"), minutes=30),
    no("calendar_find_free", "calendar_not_shared", since=clock("03-04"), until=clock("03-05"), minutes=30,
       contact_ids=["con_0004"]),
    done("calendar_create", "event+1", **NEW),
    no("calendar_create", "ends_before_start", **{**NEW, "ends": clock("03-05", "15:00")}),
    no("calendar_create", "in_the_past", **{**NEW, "starts": clock("03-02"), "ends": clock("03-02", "11:00")}),
    no("calendar_create", "closed_then", **{**NEW, "place_id": "plc_0004"}),
    done("calendar_update", "event~1 room_booking~1", event_id="cal_0004", starts=clock("03-04", "11:00")),
    no("calendar_update", "cancelled", event_id="cal_0008", title="Again"),
    no("calendar_update", "ends_before_start", event_id="cal_0004", ends=clock("03-04", "09:00")),
    no("calendar_update", "in_the_past", event_id="cal_0004", starts=clock("03-02")),
    no("calendar_update", "not_organizer", event_id="cal_0003", title="Mine"),
    no("calendar_update", "others_invited", event_id="cal_0002", title="Round"),
    done("calendar_cancel", "event~1 mail+1 room_booking-1", event_id="cal_0013", message="Another week."),
    no("calendar_cancel", "in_the_past", event_id="cal_0012"),
    no("calendar_cancel", "not_organizer", event_id="cal_0003"),
    done("calendar_invite", "event~1 mail+1", event_id="cal_0004", contact_ids=["con_0003"]),
    no("calendar_invite", "cancelled", event_id="cal_0008", contact_ids=["con_0003"]),
    no("calendar_invite", "in_the_past", event_id="cal_0012", contact_ids=["con_0002"]),
    no("calendar_invite", "no_address", event_id="cal_0004", contact_ids=["con_0010"]),
    no("calendar_invite", "not_organizer", event_id="cal_0003", contact_ids=["con_0002"]),
    done("calendar_respond", "event~1 mail+1", event_id="cal_0003", reply="accepted"),
    no("calendar_respond", "not_invited", event_id="cal_0004", reply="accepted"),
    no("calendar_respond", "cancelled", event_id="cal_0019", reply="accepted"),
    no("calendar_respond", "in_the_past", event_id="cal_0020", reply="declined"),
    no("calendar_respond", "no_address", event_id="cal_0009", reply="accepted"),
    no("calendar_respond", "clash", ("calendar_create", NEW), event_id="cal_0003", reply="accepted"),
    # rooms
    done("rooms_find", starts=clock("03-08", "09:00"), ends=clock("03-08", "10:00"), seats=3),
    no("rooms_find", "ends_before_start", starts=clock("03-08"), ends=clock("03-08")),
    done("rooms_book", "event~1 room_booking+1", room_id="room_0002", event_id="cal_0002"),
    no("rooms_book", "not_at_work", room_id="room_0002", event_id="cal_0005"),
    no("rooms_book", "not_organizer", room_id="room_0002", event_id="cal_0003"),
    no("rooms_book", "in_the_past", room_id="room_0002", event_id="cal_0012"),
    no("rooms_book", "cancelled", room_id="room_0002", event_id="cal_0008"),
    no("rooms_book", "room_taken", room_id="room_0001", event_id="cal_0002"),
    no("rooms_book", "too_small", room_id="room_0001", event_id="cal_0013"),
    # mail
    done("mail_search", text="dimmers"),
    done("mail_read", mail_id="mail_0003"),
    done("mail_save_draft", "mail+1", **MAIL),
    no("mail_save_draft", "not_a_draft", **MAIL, draft_id="mail_0001"),
    no("mail_save_draft", "confidential", **MAIL, attachments=["doc_0006"]),
    no("mail_save_draft", "too_large", **MAIL, attachments=["doc_0004"]),
    done("mail_send_draft", "mail~1", draft_id="mail_0006"),
    no("mail_send_draft", "not_a_draft", draft_id="mail_0001"),
    no("mail_send_draft", "too_large", draft_id="mail_0008"),
    no("mail_send_draft", "confidential", draft_id="mail_0009"),
    done("mail_send", "mail+1 mail~1", **MAIL, answers="mail_0003"),
    no("mail_send", "sent_already", ("mail_send", MAIL), **MAIL),
    no("mail_send", "confidential", **MAIL, attachments=["doc_0006"]),
    no("mail_send", "too_large", **MAIL, attachments=["doc_0004"]),
    done("mail_file", "mail~1", mail_id="mail_0001", folder="archive", add_labels=["Playhouse"]),
    no("mail_file", "sent_stays", mail_id="mail_0002", folder="inbox"),
    # messages
    done("messages_search", text="laser"),
    done("messages_read", conversation_id="conv_0001"),
    done("messages_send", "conversation+1 message+1", contact_id="con_0007", text="Fish on Saturday?"),
    no("messages_send", "one_of_both", text="Hello"),
    no("messages_send", "sent_already", ("messages_send", {"conversation_id": "conv_0001", "text": "Here."}),
       conversation_id="conv_0001", text="Here."),
    no("messages_send", "oneself", contact_id="con_0001", text="Hello"),
    no("messages_send", "conversation_closed", conversation_id="conv_0003", text="Hello"),
    no("messages_send", "not_on_chat", contact_id="con_0004", text="Hello"),
    # contacts
    done("contacts_search", text="lindq"),
    done("contacts_get", contact_id="con_0003"),
    done("contacts_add", "contact+1", name="Ole Brask", relation="plumber", context="personal"),
    no("contacts_add", "known_already", name="piet vermeulen", relation="client", context="work"),
    done("contacts_update", "contact~1", contact_id="con_0010", add_emails=["ines@corbet.example"]),
    no("contacts_update", "address_of_another", contact_id="con_0010", add_emails=[PIET]),
    done("contacts_merge", "contact-1 contact~1 event~1", keep_id="con_0009", merge_id="con_0010"),
    no("contacts_merge", "same_contact", keep_id="con_0009", merge_id="con_0009"),
    no("contacts_merge", "oneself", keep_id="con_0009", merge_id="con_0001"),
    no("contacts_merge", "both_named", keep_id="con_0002", merge_id="con_0008"),
    # tasks and reminders
    done("tasks_list", list_name="Playhouse"),
    done("tasks_create", "task+1", title="Fetch the sign", context="work", list_name="Workshop"),
    no("tasks_create", "due_in_the_past", title="X", context="work", list_name="Workshop", due="2027-03-02"),
    no("tasks_create", "project_closed", title="X", context="work", list_name="Workshop", project_id="proj_0003"),
    done("tasks_update", "task~1", task_id="task_0001", done_steps=["Write the lengths down"]),
    no("tasks_update", "done_already", task_id="task_0004", title="X"),
    no("tasks_update", "no_such_step", task_id="task_0001", done_steps=["Sing"]),
    no("tasks_update", "due_in_the_past", task_id="task_0001", due="2027-03-02"),
    no("tasks_update", "in_a_circle", task_id="task_0001", after_tasks=["task_0002"]),
    done("tasks_complete", "reminder~1 task~1", task_id="task_0001"),
    no("tasks_complete", "waits_for_others", task_id="task_0002"),
    done("tasks_delegate", "mail+1 task~1", task_id="task_0001", contact_id="con_0003"),
    no("tasks_delegate", "done_already", task_id="task_0004", contact_id="con_0003"),
    no("tasks_delegate", "theirs_already", task_id="task_0005", contact_id="con_0003"),
    no("tasks_delegate", "oneself", task_id="task_0001", contact_id="con_0001"),
    no("tasks_delegate", "no_address", task_id="task_0001", contact_id="con_0010"),
    done("reminders_list"),
    done("reminders_set", "reminder+1", text="Fuse", at=clock("03-04"), about="task_0003"),
    no("reminders_set", "in_the_past", text="Fuse", at=clock("03-02")),
    done("reminders_change", "reminder~1", reminder_id="rem_0001", at=clock("03-04")),
    no("reminders_change", "one_of_both", reminder_id="rem_0001"),
    no("reminders_change", "in_the_past", reminder_id="rem_0001", at=clock("03-02")),
    # notes, files, documents
    done("notes_search", text="boiler"),
    done("notes_read", note_id="note_0001"),
    done("notes_create", "note+1", title="Glue", body="Bone glue, not the white one.", context="work"),
    no("notes_create", "title_taken", title="boiler", body="", context="personal"),
    done("notes_append", "note~1", note_id="note_0003", text="Serviced in May."),
    no("notes_append", "full", ("notes_append", {"note_id": "note_0003", "text": "x" * 8000}),
       ("notes_append", {"note_id": "note_0003", "text": "y" * 8000}), note_id="note_0003", text="z" * 8000),
    done("files_list", folder="playhouse"),
    done("files_read", path="ideas.txt"),
    no("files_read", "no_such_file", path="ideas"),
    done("files_write", "file+1", path="playhouse/lengths.txt", text="12.4 m"),
    no("files_write", "there_already", path="Ideas.txt", text="Another."),
    no("files_write", "below_a_file", path="ideas.txt/more.txt", text="Another."),
    done("documents_search", text="fresnel"),
    done("documents_read", document_id="doc_0001"),
    done("documents_check_out", "file+1", document_id="doc_0001", path="inventory-3.txt"),
    no("documents_check_out", "there_already", document_id="doc_0001", path="ideas.txt"),
    done("documents_publish", "document~1 file~1", path="playhouse/clients.txt"),
    no("documents_publish", "no_such_file", path="nothing.txt"),
    no("documents_publish", "title_needed", path="ideas.txt"),
    no("documents_publish", "behind", path="playhouse/inventory.txt"),
    no("documents_publish", "read_only", path="playhouse/rates.txt"),
    no("documents_publish", "open_elsewhere", path="playhouse/plan.txt"),
    done("documents_share", "document~1 mail+1", document_id="doc_0001", contact_ids=["con_0004"]),
    no("documents_share", "no_address", document_id="doc_0001", contact_ids=["con_0010"]),
    no("documents_share", "confidential", document_id="doc_0006", contact_ids=["con_0004"]),
    no("documents_share", "not_owner", document_id="doc_0002", contact_ids=["con_0003"]),
    # meetings, projects, tickets
    done("meetings_brief", event_id="cal_0002"),
    done("meetings_record", "minutes+1 task+1", event_id="cal_0012", text="Swept.",
         actions=[{"title": "Order bulbs", "due": "2027-03-09"}]),
    no("meetings_record", "not_yet", event_id="cal_0002", text="Early."),
    no("meetings_record", "cancelled", event_id="cal_0019", text="None."),
    Case("meetings_record", "not_there", {"event_id": "cal_0007", "text": "Fire."}, at=instant("03-05", "15:00")),
    no("meetings_record", "due_in_the_past", event_id="cal_0012", text="Swept.",
       actions=[{"title": "Order bulbs", "due": "2027-03-01"}]),
    no("meetings_record", "not_a_guest", event_id="cal_0012", text="Swept.",
       actions=[{"title": "Order bulbs", "contact_id": "con_0004"}]),
    done("projects_status", project_id="proj_0001"),
    done("tickets_search", project_id="proj_0001", status="in_review"),
    done("tickets_create", "ticket+1", **CABLE, assignee_id="con_0001", reviewer_id="con_0002"),
    no("tickets_create", "project_closed", **{**CABLE, "project_id": "proj_0003"}),
    no("tickets_create", "not_a_member", **CABLE, assignee_id="con_0004"),
    no("tickets_create", "open_already", **{**CABLE, "title": "label the patch panel"}),
    no("tickets_create", "reviews_own", **CABLE, assignee_id="con_0001", reviewer_id="con_0001"),
    no("tickets_create", "frozen", **{**CABLE, "project_id": "proj_0002"}),
    no("tickets_create", "too_many", **CABLE, assignee_id="con_0003"),
    done("tickets_update", "ticket~1", ticket_id="tick_0001", status="in_review", comment="Both drums are here."),
    no("tickets_update", "no_such_step", ticket_id="tick_0001", status="done"),
    no("tickets_update", "blocked", ticket_id="tick_0007", status="done"),
    no("tickets_update", "nobody_does_it", ticket_id="tick_0004", status="in_progress"),
    no("tickets_update", "not_a_member", ticket_id="tick_0004", assignee_id="con_0004"),
    no("tickets_update", "project_closed", ticket_id="tick_0006", status="open"),
    no("tickets_update", "awaits_review", ticket_id="tick_0002", status="done"),
    no("tickets_update", "too_many", ticket_id="tick_0004", assignee_id="con_0003"),
    # travel
    done("travel_search", origin="port aldine", destination="Veldhaven", day="2027-03-11"),
    done("travel_book", "account~1 event+1 fare~1 journey+1 payment+1", fare_id="fare_0005", **FARE),
    no("travel_book", "departed", fare_id="fare_0007", **{**FARE, "passenger_ids": ["con_0005"]}),
    no("travel_book", "clash", fare_id="fare_0006", **FARE),
    no("travel_book", "no_funds", fare_id="fare_0008", **{**FARE, "account_id": "acct_0003"}),
    no("travel_book", "not_sold_here", fare_id="fare_0003", **FARE),
    no("travel_book", "sold_out", fare_id="fare_0002",
       **{**FARE, "passenger_ids": ["con_0005", "con_0006", "con_0007"]}),
    no("travel_book", "over_daily_limit", fare_id="fare_0008",
       **{**FARE, "passenger_ids": ["con_0005", "con_0007"], "account_id": "acct_0002"}),
    done("travel_change", "account~1 event~1 fare~2 journey~1 payment+1 payment~1", journey_id="jrn_0002",
         fare_id="fare_0011"),
    no("travel_change", "cancelled", ("travel_cancel", {"journey_id": "jrn_0002"}), journey_id="jrn_0002",
       fare_id="fare_0011"),
    no("travel_change", "departed", journey_id="jrn_0003", fare_id="fare_0011"),
    no("travel_change", "other_route", journey_id="jrn_0002", fare_id="fare_0005"),
    no("travel_change", "clash",
       ("calendar_create", {**NEW, "starts": clock("03-12", "20:00"), "ends": clock("03-12", "21:00")}),
       journey_id="jrn_0002", fare_id="fare_0011"),
    Case("travel_change", "no_funds", {"journey_id": "jrn_0002", "fare_id": "fare_0012"},
         edits={"acct_0001": {"balance": "-190.00"}}),
    no("travel_change", "not_changeable", journey_id="jrn_0001", fare_id="fare_0001"),
    no("travel_change", "not_sold_here", journey_id="jrn_0002", fare_id="fare_0003"),
    no("travel_change", "sold_out", journey_id="jrn_0002", fare_id="fare_0010"),
    no("travel_change", "over_daily_limit", paid("200.00"), journey_id="jrn_0002", fare_id="fare_0012"),
    done("travel_cancel", "account~1 event~1 fare~1 journey~1 payment~1", journey_id="jrn_0002"),
    no("travel_cancel", "departed", journey_id="jrn_0003"),
    no("travel_cancel", "nothing_back", journey_id="jrn_0001"),
    done("travel_itinerary"),
    # reservations
    done("venues_search", sort="restaurant", party=2),
    done("reservations_make", "account~1 event+1 payment+1 reservation+1 slot~1", **SATURDAY),
    no("reservations_make", "in_the_past", **{**SATURDAY, "slot_id": "slot_0013"}),
    no("reservations_make", "at_a_clinic", **{**SATURDAY, "slot_id": "slot_0006"}),
    no("reservations_make", "closed_then", **{**SATURDAY, "slot_id": "slot_0014"}),
    no("reservations_make", "clash", **{**SATURDAY, "slot_id": "slot_0003"}),
    no("reservations_make", "deposit_due", **{**SATURDAY, "account_id": None}),
    no("reservations_make", "no_funds", paid("90.00", "acct_0003"), **{**SATURDAY, "account_id": "acct_0003"}),
    no("reservations_make", "no_online_booking", **{**SATURDAY, "slot_id": "slot_0004"}),
    no("reservations_make", "party_too_large", **{**SATURDAY, "party": 9}),
    no("reservations_make", "full", **{**SATURDAY, "slot_id": "slot_0001", "party": 5}),
    no("reservations_make", "over_daily_limit", paid("490.00"), **SATURDAY),
    done("reservations_cancel", "account~1 event~1 payment~1 reservation~1 slot~1", reservation_id="res_0001"),
    no("reservations_cancel", "in_the_past", reservation_id="res_0003"),
    Case("reservations_cancel", "deposit_lost", {"reservation_id": "res_0001"}, at=instant("03-07", "12:00")),
    done("reservations_request", "mail+1", venue_id="ven_0002", starts=clock("03-20"), party=30, context="work",
         text="Could we have the hall?"),
    no("reservations_request", "in_the_past", venue_id="ven_0002", starts=clock("03-02"), party=30, context="work",
       text="Could we?"),
    no("reservations_request", "closed_then", venue_id="ven_0002", starts=clock("03-20", "23:00"), party=30,
       context="work", text="Could we?"),
    no("reservations_request", "asked_already",
       ("reservations_request", {"venue_id": "ven_0002", "starts": clock("03-20"), "party": 30, "context": "work",
                                 "text": "Could we have the hall?"}),
       venue_id="ven_0002", starts=clock("03-20"), party=30, context="work", text="Hello again."),
    # shopping
    done("shop_search", text="thermos"),
    done("orders_place", "account~1 order+1 payment+1 product~1", **THERMOS),
    no("orders_place", "several_shops",
       **{**THERMOS, "lines": [{"product_id": "prod_0003"}, {"product_id": "prod_0001"}]}),
    no("orders_place", "given_twice",
       **{**THERMOS, "lines": [{"product_id": "prod_0003"}, {"product_id": "prod_0003"}]}),
    Case("orders_place", "no_address", THERMOS, edits={"con_0001": {"address": None}}),
    no("orders_place", "no_funds", **{**THERMOS, "account_id": "acct_0003",
                                     "lines": [{"product_id": "prod_0003", "quantity": 3}]}),
    no("orders_place", "ordered_already", ("orders_place", THERMOS), **THERMOS),
    no("orders_place", "out_of_stock", **{**THERMOS, "lines": [{"product_id": "prod_0002"}]}),
    no("orders_place", "not_delivered", **{**THERMOS, "lines": [{"product_id": "prod_0004"}]}),
    no("orders_place", "not_fetched", **{**THERMOS, "lines": [{"product_id": "prod_0001"}], "fetch": True}),
    no("orders_place", "over_daily_limit", **{**THERMOS, "lines": [{"product_id": "prod_0006"}]}),
    done("orders_list", open_only=True),
    done("orders_cancel", "account~1 order~1 payment~1 product~1", order_id="ord_0003"),
    no("orders_cancel", "returned_already", ("orders_return", {"order_id": "ord_0002"}), order_id="ord_0002"),
    no("orders_cancel", "dispatched_already", order_id="ord_0002"),
    done("orders_return", "account~1 order~1 payment~1 product~1", order_id="ord_0002"),
    no("orders_return", "cancelled", ("orders_cancel", {"order_id": "ord_0003"}), order_id="ord_0003"),
    no("orders_return", "not_delivered_yet", order_id="ord_0003"),
    no("orders_return", "too_late", order_id="ord_0004"),
    no("orders_return", "not_returnable", order_id="ord_0001"),
    # money
    done("accounts_list"),
    done("payments_search", text="coast line"),
    done("payments_send", "account~1 payment+1", **JONAS),
    no("payments_send", "oneself", **{**JONAS, "contact_id": "con_0001"}),
    no("payments_send", "no_bank_account", **{**JONAS, "contact_id": "con_0002"}),
    no("payments_send", "paid_already", ("payments_send", JONAS), **JONAS),
    no("payments_send", "no_funds", **{**JONAS, "account_id": "acct_0003", "amount": "95.01"}),
    no("payments_send", "over_daily_limit", **{**JONAS, "amount": "500.01"}),
    done("payments_schedule", "bill~1 payment+1", account_id="acct_0001", on="2027-03-12", bill_id="bill_0001"),
    no("payments_schedule", "not_later", account_id="acct_0001", on="2027-03-03", bill_id="bill_0001"),
    no("payments_schedule", "not_scheduled", account_id="acct_0001", on="2027-03-12", cancel_payment_id="pay_0001"),
    no("payments_schedule", "whom_and_what", account_id="acct_0001", on="2027-03-12", contact_id="con_0007"),
    no("payments_schedule", "oneself", **{**JONAS, "contact_id": "con_0001"}, on="2027-03-12"),
    no("payments_schedule", "no_bank_account", **{**JONAS, "contact_id": "con_0002"}, on="2027-03-12"),
    no("payments_schedule", "settled", account_id="acct_0001", on="2027-03-12", bill_id="bill_0002"),
    no("payments_schedule", "over_daily_limit", **JONAS, on="2027-04-01"),
    done("bills_list"),
    done("bills_pay", "account~1 bill~1 payment+1 reminder~1", bill_id="bill_0001", account_id="acct_0001"),
    no("bills_pay", "settled", bill_id="bill_0002", account_id="acct_0001"),
    no("bills_pay", "disputed", bill_id="bill_0003", account_id="acct_0001"),
    no("bills_pay", "no_funds", bill_id="bill_0004", account_id="acct_0003"),
    no("bills_pay", "over_daily_limit", bill_id="bill_0004", account_id="acct_0001"),
    # expenses
    done("expenses_record", "expense~1", what="glass, 3 panes", category="supplies", amount="86.40", on="2027-03-02",
         receipt_id="file_0002"),
    no("expenses_record", "in_the_future", what="Glue", category="supplies", amount="4.00", on="2027-03-04"),
    no("expenses_record", "receipt_used", what="Glue", category="supplies", amount="4.00", on="2027-03-02",
       receipt_id="file_0001"),
    done("expenses_submit", "claim+1 expense~1 mail+1", title="Trams", expense_ids=["exp_0001"]),
    no("expenses_submit", "handed_in_already", title="Taxi", expense_ids=["exp_0005"]),
    no("expenses_submit", "receipt_missing", title="Glass", expense_ids=["exp_0002"]),
    Case("expenses_submit", "no_approver", {"title": "Trams", "expense_ids": ["exp_0001"]}, without="expense_rule"),
    Case("expenses_submit", "no_address", {"title": "Trams", "expense_ids": ["exp_0001"]},
         edits={"con_0002": {"emails": []}}),
    no("expenses_submit", "above_most", title="Lunch", expense_ids=["exp_0003"]),
    no("expenses_submit", "too_old", title="Ties", expense_ids=["exp_0004"]),
    # health
    done("health_find_appointments", text="eye"),
    done("health_book", "event+1 event~1 reservation+1 reservation~1 slot~2", slot_id="slot_0006",
         replace_id="res_0002"),
    no("health_book", "not_a_clinic", slot_id="slot_0001"),
    no("health_book", "in_the_past", slot_id="slot_0017"),
    no("health_book", "clash", slot_id="slot_0007"),
    no("health_book", "other_practice", slot_id="slot_0006", replace_id="res_0001"),
    no("health_book", "no_online_booking", slot_id="slot_0012"),
    no("health_book", "needs_referral", slot_id="slot_0009"),
    no("health_book", "full", slot_id="slot_0011"),
    done("medications_list"),
    done("medications_refill", "medication~1 refill+1", medication_id="med_0001"),
    no("medications_refill", "asked_already", medication_id="med_0004"),
    no("medications_refill", "no_refills", medication_id="med_0002"),
    no("medications_refill", "too_early", medication_id="med_0003"),
    # home
    done("home_status", room="bedroom"),
    done("home_set", "device~1", device_id="dev_0001", setting="dim"),
    no("home_set", "no_such_option", device_id="dev_0001", setting="purple"),
    no("home_set", "by_hand_only", device_id="dev_0003", setting="unlocked"),
    no("home_set", "offline", device_id="dev_0004", setting="down"),
    done("home_run_routine", "device~2", routine_id="rout_0001"),
    no("home_run_routine", "by_hand_only", routine_id="rout_0003"),
    no("home_run_routine", "offline", routine_id="rout_0002"),
    # transport, search
    done("transport_route", origin_id="plc_0001", destination_id="plc_0003"),
    no("transport_route", "one_of_both", origin_id="plc_0001", destination_id="plc_0003", leave=clock("03-04"),
       arrive=clock("03-04", "11:00")),
    no("transport_route", "same_place", origin_id="plc_0001", destination_id="plc_0001"),
    no("transport_route", "no_route", origin_id="plc_0001", destination_id="plc_0008"),
    done("transport_book_ride", "account~1 event+1 payment+1", **RIDE),
    no("transport_book_ride", "too_soon", **{**RIDE, "leave": clock("03-03", "10:10")}),
    no("transport_book_ride", "clash", **{**RIDE, "leave": clock("03-04", "10:30")}),
    no("transport_book_ride", "no_funds", paid("90.00", "acct_0003"), **{**RIDE, "account_id": "acct_0003"}),
    no("transport_book_ride", "no_car", **{**RIDE, "destination_id": "plc_0003"}),
    no("transport_book_ride", "over_daily_limit", paid("490.00"), **RIDE),
    done("search_everything", text="playhouse"),
    done("weather_forecast", place_id="plc_0001"),
    no("weather_forecast", "no_forecast", place_id="plc_0008"),
)  # fmt: skip
