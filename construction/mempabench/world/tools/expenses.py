"""What the user paid for work, and handing it in."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Claim, Contact, Expense, ExpenseRule, File, Mail, Project
from mempabench.domain.worlds.base import Line, Money
from mempabench.world.acts import address_of, send_mail
from mempabench.world.tool import tool
from mempabench.world.view import Refusal, View

Category = Literal["travel", "meals", "lodging", "supplies", "other"]
Amount = Annotated[Money, Field(gt=0)]


@tool(reads=(File, Project, ExpenseRule), writes=(Expense,), finds=(Expense,))
def expenses_record(
    view: View,
    what: Line,
    category: Category,
    amount: Amount,
    on: date,
    receipt_id: str | None = None,
    project_id: str | None = None,
) -> dict[str, Any]:
    """Record something that the user paid for work, and say what stands in the way of handing it in. The same thing of
    the same day and amount is not recorded twice; a receipt that is given then is added to it.

    Args:
        what: what it was for
        category: of which sort
        amount: how much
        on: the day
        receipt_id: the file that holds the receipt
        project_id: the project that it is for

    Raises:
        in_the_future: that day hasn't come
        receipt_used: this receipt belongs to another expense
    """
    if on > view.today:
        raise Refusal("in_the_future", on.isoformat())
    receipt = view.get(File, receipt_id).id if receipt_id else None
    project = view.get(Project, project_id).id if project_id else None
    known = None
    for one in sorted(view.all(Expense), key=lambda one: one.id):
        if (one.what.casefold(), one.amount, one.on) == (what.casefold(), amount, on):
            known = one
        elif receipt is not None and one.receipt == receipt:
            raise Refusal("receipt_used", one.id)
    if known is not None:
        expense = view.change(known, receipt=receipt or known.receipt, project=project or known.project)
    else:
        expense = view.add(
            Expense, what=what, category=category, amount=amount, on=on, receipt=receipt, project=project
        )
    return {**view.show(expense), "in_the_way": problem(view, expense)}


def problem(view: View, expense: Expense) -> str | None:
    """Return the code of what stands in the way of handing an expense in."""
    rule = next((one for one in view.all(ExpenseRule) if one.category == expense.category), None)
    if expense.claim is not None:
        return "handed_in_already"
    if rule is None:
        return None
    if expense.amount >= rule.receipt_from and expense.receipt is None:
        return "receipt_missing"
    if expense.on + timedelta(days=rule.within_days) < view.today:
        return "too_old"
    return "above_most" if expense.amount > rule.most else None


@tool(reads=(ExpenseRule, File, Contact), writes=(Claim, Expense, Mail), external=True)
def expenses_submit(
    view: View, title: Line, expense_ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=30)]
) -> dict[str, Any]:
    """Hand expenses in together, and write to the approver what they come to.

    Args:
        title: what they are for
        expense_ids: the expenses

    Raises:
        handed_in_already: this expense was handed in
        receipt_missing: so much needs a receipt; add the file with expenses_record
        no_approver: nobody is known who approves expenses
        no_address: no mail address of the approver is known; add one with contacts_update

    Limits:
        above_most: so much needs the approver's word beforehand; ask for it with mail_send
        too_old: expenses are taken for some weeks only; ask the approver with mail_send for an exception
    """
    expenses = [view.get(Expense, key) for key in dict.fromkeys(expense_ids)]
    for expense in expenses:
        code = problem(view, expense)
        if code is not None:
            raise Refusal(code, f"{expense.id}, {expense.what}, {expense.amount}")
    rules = sorted(view.all(ExpenseRule), key=lambda one: one.id)
    if not rules:
        raise Refusal("no_approver")
    approver = view.get(Contact, rules[0].approver)
    total = sum((expense.amount for expense in expenses), Decimal(0))
    claim = view.add(
        Claim,
        title=title,
        expenses=tuple(expense.id for expense in expenses),
        total=total,
        approver=approver.id,
        submitted_at=view.now,
    )
    for expense in expenses:
        view.change(expense, claim=claim.id)
    receipts = tuple(expense.receipt for expense in expenses if expense.receipt)
    lines = [f"{expense.on.isoformat()} {expense.what}: {expense.amount}" for expense in expenses]
    body = "\n".join((*lines, f"Total: {total} {view.header.currency}"))
    address = address_of(view, approver)
    send_mail(view, Context.WORK, (address,), f"Expenses: {title}", body, attachments=tuple(set(receipts)))
    return {**view.show(claim), "written_to": address}
