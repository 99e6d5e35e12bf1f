"""What several tools do alike: mail that is sent, money that moves, times that clash.

Each says which refusals it raises; a tool that uses one names them in its docstring.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Account, Busy, Contact, Event, Mail, Payment, Place
from mempabench.world.view import Refusal, View


def address_of(view: View, contact: Contact) -> str:
    """Return where a contact gets mail.

    Raises:
        Refusal: ``no_address``, when none is known.
    """
    if not contact.emails:
        raise Refusal("no_address", contact.name)
    return contact.emails[0]


def my_address(view: View, context: Context) -> str:
    """Return the user's own address of a context."""
    return view.header.work_email if context is Context.WORK else view.header.personal_email


def send_mail(
    view: View, context: Context, to: tuple[str, ...], subject: str, body: str, **more: Any
) -> Mail:
    """Send a mail of the user's."""
    return view.add(
        Mail,
        context=context,
        folder="sent",
        sender=my_address(view, context),
        to=tuple(dict.fromkeys(to)),
        subject=subject[:200],
        body=body,
        sent_at=view.now,
        read=True,
        **more,
    )


def spent_on(view: View, account: Account, day: date) -> Decimal:
    """Return what leaves an account on a day."""
    return sum(
        (
            payment.amount
            for payment in view.all(Payment)
            if payment.account == account.id and payment.on == day and payment.status in ("paid", "scheduled")
        ),
        Decimal(0),
    )


def pay(
    view: View,
    account: Account,
    payee: str,
    amount: Decimal,
    reference: str,
    *,
    about: str | None,
    **more: Any,
) -> Payment:
    """Pay from an account, now.

    Raises:
        Refusal: ``no_funds``, when it would go below its overdraft; ``over_daily_limit``, when more would leave it
            today than may.
    """
    if account.balance - amount < -account.overdraft:
        raise Refusal("no_funds", f"{account.id} has {account.balance}")
    if spent_on(view, account, view.today) + amount > account.daily_limit:
        raise Refusal("over_daily_limit", f"{account.id} allows {account.daily_limit} a day")
    view.change(account, balance=account.balance - amount)
    return view.add(
        Payment,
        account=account.id,
        payee=payee,
        amount=amount,
        on=view.today,
        status="paid",
        reference=reference,
        about=about,
        **more,
    )


def refund(view: View, payment_id: str | None) -> Payment | None:
    """Give a payment back to the account that it came from; return it, or None where there was none to give back."""
    payment = view.find(Payment, payment_id) if payment_id else None
    if payment is None or payment.status != "paid":
        return None
    account = view.get(Account, payment.account)
    view.change(account, balance=account.balance + payment.amount)
    return view.change(payment, status="refunded")


def clashes(view: View, starts: datetime, ends: datetime, but: str | None = None) -> Iterator[Event]:
    """Yield the user's events that overlap with a time, those excepted that were cancelled or declined."""
    for event in view.all(Event):
        if event.id != but and event.starts < ends and starts < event.ends and taking_part(view, event):
            yield event


def taking_part(view: View, event: Event) -> bool:
    """Return whether an event takes the user's time."""
    declined = any(guest.contact == view.me.id and guest.reply == "declined" for guest in event.guests)
    return event.status != "cancelled" and not declined


def busy_times(view: View, contact: Contact) -> Iterator[tuple[datetime, datetime]]:
    """Yield when a contact who shares their calendar is busy."""
    return ((one.starts, one.ends) for one in view.all(Busy) if one.contact == contact.id)


def is_open(view: View, place: Place, starts: datetime, ends: datetime) -> bool:
    """Return whether a place is open from an instant to another; one without hours always is."""
    if not place.hours:
        return True
    first, last = view.local(starts), view.local(ends)
    if first.date() in place.closed_on or (last - first) > timedelta(days=1):
        return False
    return any(
        hours.weekday == first.weekday()
        and hours.opens <= first.time()
        and last.date() == first.date()
        and last.time() <= hours.closes
        for hours in place.hours
    )
