"""Accounts, what left them, and what others want to be paid."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Account, Bill, Contact, Payment, Reminder
from mempabench.domain.worlds.base import Line, Money
from mempabench.world.acts import pay, spent_on
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View

Amount = Annotated[Money, Field(gt=0)]


@tool(reads=(Account, Payment), finds=(Account,))
def accounts_list(view: View, context: Context | None = None) -> dict[str, Any]:
    """List the user's accounts: what is on them, what is scheduled to leave them, what may still leave them today.

    Args:
        context: only of work, or of private life
    """
    found = [account for account in view.all(Account) if context in (None, account.context)]

    def shown(account: Account) -> dict[str, Any]:
        scheduled = sum(
            (
                one.amount
                for one in view.all(Payment)
                if one.account == account.id and one.status == "scheduled"
            ),
            Decimal(0),
        )
        left = max(Decimal(0), account.daily_limit - spent_on(view, account, view.today))
        return {**view.show(account), "scheduled": scheduled, "left_today": left}

    return {"items": [shown(account) for account in sorted(found, key=lambda one: one.id)]}


@tool(reads=(Payment, Account), finds=(Payment,))
def payments_search(
    view: View,
    text: Line | None = None,
    account_id: str | None = None,
    since: date | None = None,
    until: date | None = None,
    least: Money | None = None,
    most: Money | None = None,
    about: str | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List payments, the newest first, and what they come to: what was paid or is scheduled, what came back left out.

    Args:
        text: words that stand in the payee or the reference
        account_id: only from this account
        since: only on this day or later
        until: only on this day or earlier
        least: only of so much or more
        most: only of so much or less
        about: only for the record of this id
    """
    found = [
        one
        for one in view.all(Payment)
        if account_id in (None, one.account)
        and about in (None, one.about)
        and (since is None or one.on >= since)
        and (until is None or one.on <= until)
        and (least is None or one.amount >= least)
        and (most is None or one.amount <= most)
        and matches(text, one.payee, one.reference)
    ]
    found.sort(key=lambda one: one.id)
    found.sort(key=lambda one: one.on, reverse=True)
    total = sum((one.amount for one in found if one.status in ("paid", "scheduled")), Decimal(0))
    return {**page(found, view.show, limit, after), "sum": total}


def numbered(view: View, contact_id: str) -> Contact:
    """Return a contact who can be paid.

    Raises:
        Refusal: ``no_bank_account`` or ``oneself``.
    """
    contact = view.get(Contact, contact_id)
    if contact.id == view.me.id:
        raise Refusal("oneself")
    if contact.bank_account is None:
        raise Refusal("no_bank_account", contact.name)
    return contact


@tool(reads=(Contact,), writes=(Payment, Account), external=True)
def payments_send(
    view: View, account_id: str, contact_id: str, amount: Amount, reference: Line
) -> dict[str, Any]:
    """Pay a contact now.

    Args:
        account_id: the account to pay from
        contact_id: who is paid
        amount: how much
        reference: what for

    Raises:
        oneself: that is the user
        no_bank_account: the number of this contact's account isn't known; add it with contacts_update
        paid_already: the same amount went to them today for the same; give another reference if it is due twice
        no_funds: the account would go below what it may

    Limits:
        over_daily_limit: more would leave the account today than may; payments_schedule pays it on another day
    """
    account, contact = view.get(Account, account_id), numbered(view, contact_id)
    for one in sorted(view.all(Payment), key=lambda one: one.id):
        same = (one.payee_contact, one.amount, one.reference, one.on) == (
            contact.id,
            amount,
            reference,
            view.today,
        )
        if same and one.status == "paid":
            raise Refusal("paid_already", one.id)
    paid = pay(view, account, contact.name, amount, reference, about=None, payee_contact=contact.id)
    return {**view.show(paid), "balance": view.get(Account, account.id).balance}


@tool(reads=(Contact,), writes=(Payment, Account, Bill), external=True)
def payments_schedule(
    view: View,
    account_id: str,
    on: date,
    contact_id: str | None = None,
    amount: Amount | None = None,
    reference: Line | None = None,
    bill_id: str | None = None,
    cancel_payment_id: str | None = None,
) -> dict[str, Any]:
    """Have a contact or a bill paid on a later day, or take such a payment back, or move it: name the one that goes.

    To take one back without another in its place, name it and the day it was for, and nothing else.

    Args:
        account_id: the account to pay from
        on: the day
        contact_id: who is paid
        amount: how much
        reference: what for
        bill_id: the bill that is paid, in place of contact, amount and reference
        cancel_payment_id: a scheduled payment that doesn't take place

    Raises:
        not_later: that day isn't after today; pay now with payments_send or bills_pay
        not_scheduled: this payment isn't scheduled any more
        whom_and_what: name a contact, an amount and a reference, or a bill
        oneself: that is the user
        no_bank_account: the number of this contact's account isn't known; add it with contacts_update
        settled: the bill is paid, or going to be
        over_daily_limit: more would leave the account on that day than may; take another day
    """
    account = view.get(Account, account_id)
    if on <= view.today:
        raise Refusal("not_later", on.isoformat())
    gone = taken_back(view, cancel_payment_id) if cancel_payment_id else None
    given = (contact_id, amount, reference)
    if gone is not None and bill_id is None and not any(given):
        return {"cancelled": view.show(gone)}
    if (bill_id is None) != all(given) or (bill_id and any(given)):
        raise Refusal("whom_and_what")
    fields: dict[str, Any]
    if bill_id is not None:
        bill = unsettled(view, bill_id)
        fields = {
            "payee": bill.issuer,
            "amount": bill.amount,
            "reference": bill.reference,
            "about": bill.id,
        }
    else:
        contact = numbered(view, str(contact_id))
        fields = {
            "payee": contact.name,
            "payee_contact": contact.id,
            "amount": amount,
            "reference": reference,
        }
    if spent_on(view, account, on) + fields["amount"] > account.daily_limit:
        raise Refusal("over_daily_limit", f"{account.id} allows {account.daily_limit} a day")
    payment = view.add(Payment, account=account.id, on=on, status="scheduled", **fields)
    if bill_id is not None:
        view.change(view.get(Bill, bill_id), payment=payment.id)
    return {"scheduled": view.show(payment), "cancelled": view.show(gone) if gone else None}


def taken_back(view: View, payment_id: str) -> Payment:
    """Cancel a scheduled payment; a bill that it was for is open again.

    Raises:
        Refusal: ``not_scheduled``.
    """
    payment = view.get(Payment, payment_id)
    if payment.status != "scheduled" or payment.on <= view.today:
        raise Refusal("not_scheduled", payment.id)
    for bill in [one for one in view.all(Bill) if one.payment == payment.id]:
        view.change(bill, payment=None)
    return view.change(payment, status="cancelled")


def unsettled(view: View, bill_id: str) -> Bill:
    """Return a bill that is open.

    Raises:
        Refusal: ``settled``.
    """
    bill = view.get(Bill, bill_id)
    payment = view.find(Payment, bill.payment) if bill.payment else None
    if payment is not None and payment.status in ("paid", "scheduled"):
        raise Refusal("settled", payment.id)
    return bill


@tool(reads=(Bill, Payment), finds=(Bill,))
def bills_list(
    view: View,
    text: Line | None = None,
    context: Context | None = None,
    open_only: bool = True,
    due_until: date | None = None,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List bills, those that are due first before the others, and what the open ones come to.

    Args:
        text: words that stand in the issuer, the reference or what it is about
        context: only of work, or of private life
        open_only: whether those that are paid, or going to be, are left out
        due_until: only those due on this day or earlier
    """

    def payment_of(bill: Bill) -> Payment | None:
        payment = view.find(Payment, bill.payment) if bill.payment else None
        return payment if payment is not None and payment.status in ("paid", "scheduled") else None

    found = [
        bill
        for bill in view.all(Bill)
        if context in (None, bill.context)
        and (due_until is None or bill.due <= due_until)
        and matches(text, bill.issuer, bill.reference, bill.about)
        and not (open_only and payment_of(bill))
    ]
    found.sort(key=lambda bill: (bill.due, bill.id))

    def shown(bill: Bill) -> dict[str, Any]:
        payment = payment_of(bill)
        status = payment.status if payment else "overdue" if bill.due < view.today else "open"
        return {**view.show(bill), "status": status, "pays_on": payment.on if payment else None}

    total = sum((bill.amount for bill in found if payment_of(bill) is None), Decimal(0))
    return {**page(found, shown, limit, after), "open_sum": total}


@tool(writes=(Bill, Payment, Account, Reminder), external=True)
def bills_pay(view: View, bill_id: str, account_id: str) -> dict[str, Any]:
    """Pay a bill now, and dismiss the reminders about it.

    Args:
        bill_id: the bill
        account_id: the account to pay from

    Raises:
        settled: the bill is paid, or going to be; the payment is named
        disputed: the user disputes it; it is not paid before that is settled
        no_funds: the account would go below what it may

    Limits:
        over_daily_limit: more would leave the account today than may; payments_schedule pays it on another day
    """
    bill, account = unsettled(view, bill_id), view.get(Account, account_id)
    if bill.disputed:
        raise Refusal("disputed", bill.id)
    paid = pay(view, account, bill.issuer, bill.amount, bill.reference, about=bill.id)
    view.change(bill, payment=paid.id)
    dismissed = [
        view.change(one, status="dismissed").id
        for one in view.all(Reminder)
        if one.about == bill.id and one.status == "waiting"
    ]
    balance = view.get(Account, account.id).balance
    return {**view.show(paid), "balance": balance, "reminders_dismissed": sorted(dismissed)}
