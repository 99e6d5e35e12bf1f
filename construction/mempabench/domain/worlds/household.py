"""Money, health and home: accounts, payments, bills, expenses, medication, devices."""

from __future__ import annotations

from datetime import date
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from mempabench.domain.record import Record
from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds.base import AnyId, Balance, Body, Instant, Line, Money, Ref, SetOf, WorldRecord
from mempabench.domain.worlds.outside import Count
from mempabench.domain.worlds.people import ContactId


class Account(WorldRecord):
    """An account that the user pays from."""

    kind: ClassVar[str] = "account"
    prefix: ClassVar[str] = "acct"

    name: Line
    context: Context
    number: Line
    balance: Balance
    overdraft: Money
    """How far below nothing it may go."""
    daily_limit: Money
    """What may leave it on one day."""


class Payment(WorldRecord):
    """Money that left an account, is going to, or came back."""

    kind: ClassVar[str] = "payment"
    prefix: ClassVar[str] = "pay"

    account: Annotated[str, Ref("account")]
    payee: Line
    payee_contact: ContactId | None = None
    amount: Money
    on: date
    status: Literal["paid", "scheduled", "cancelled", "refunded"]
    reference: Line
    about: AnyId | None = None
    """Id of what was paid: a bill, an order, a journey, a reservation."""


class Bill(WorldRecord):
    """What somebody wants to be paid."""

    kind: ClassVar[str] = "bill"
    prefix: ClassVar[str] = "bill"

    issuer: Line
    context: Context
    amount: Money
    due: date
    reference: Line
    about: Body = ""
    payment: Annotated[str, Ref("payment")] | None = None
    """What it was paid, or is going to be paid, with."""
    disputed: bool = False


class Expense(WorldRecord):
    """Something that the user paid for work."""

    kind: ClassVar[str] = "expense"
    prefix: ClassVar[str] = "exp"

    what: Line
    category: Literal["travel", "meals", "lodging", "supplies", "other"]
    amount: Money
    on: date
    receipt: Annotated[str, Ref("file")] | None = None
    project: Annotated[str, Ref("project")] | None = None
    claim: Annotated[str, Ref("claim")] | None = None


class Claim(WorldRecord):
    """Expenses that were handed in together."""

    kind: ClassVar[str] = "claim"
    prefix: ClassVar[str] = "clm"

    title: Line
    expenses: SetOf[Annotated[str, Ref("expense")]]
    total: Money
    approver: ContactId
    submitted_at: Instant


class ExpenseRule(WorldRecord):
    """What the employer pays back."""

    kind: ClassVar[str] = "expense_rule"
    prefix: ClassVar[str] = "rule"

    category: Literal["travel", "meals", "lodging", "supplies", "other"]
    most: Money
    """For one expense, without the approver's word beforehand."""
    receipt_from: Money
    """From which amount a receipt is needed."""
    within_days: Annotated[int, Field(ge=1, le=365)]
    """How old an expense may be when it is handed in."""
    approver: ContactId


class Medication(WorldRecord):
    """Something the user takes on prescription."""

    kind: ClassVar[str] = "medication"
    prefix: ClassVar[str] = "med"

    name: Line
    dose: Line
    doses_left: Count
    doses_a_day: Annotated[int, Field(ge=1, le=12)]
    doses_a_pack: Annotated[int, Field(ge=1, le=1000)]
    refills_left: Annotated[int, Field(ge=0, le=24)]
    prescriber: ContactId
    pharmacy: Annotated[str, Ref("place")]


class Refill(WorldRecord):
    """A pack that was asked for at the pharmacy."""

    kind: ClassVar[str] = "refill"
    prefix: ClassVar[str] = "rfl"

    medication: Annotated[str, Ref("medication")]
    requested_at: Instant
    ready_on: date


class Referral(WorldRecord):
    """A doctor's paper that opens the way to a specialist."""

    kind: ClassVar[str] = "referral"
    prefix: ClassVar[str] = "rfr"

    venue: Annotated[str, Ref("venue")]
    by: ContactId
    valid_until: date


class Device(WorldRecord):
    """Something at home that can be set from afar."""

    kind: ClassVar[str] = "device"
    prefix: ClassVar[str] = "dev"

    name: Line
    room: Line
    sort: Literal["light", "heating", "lock", "blind", "appliance", "camera"]
    options: SetOf[Line]
    """What it can be set to."""
    setting: Line
    online: bool = True
    by_hand_only: SetOf[Line] = ()
    """Settings that somebody has to be there for."""


class DeviceSetting(Record):
    """A device and what it is set to."""

    device: Annotated[str, Ref("device")]
    setting: Line


class Routine(WorldRecord):
    """Settings that belong together, under a name."""

    kind: ClassVar[str] = "routine"
    prefix: ClassVar[str] = "rout"

    name: Line
    settings: SetOf[DeviceSetting]
    through: Literal["cloud", "hub"] = "cloud"
    """Through the hub at home it reaches devices that are off the net."""
