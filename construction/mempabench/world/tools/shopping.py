"""Shops: what they sell, ordering, cancelling, sending back."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from mempabench.domain.taxonomy import Context
from mempabench.domain.worlds import Account, Order, Payment, Place, Product
from mempabench.domain.worlds.base import Line, Money
from mempabench.world.acts import pay, refund
from mempabench.world.searching import matches
from mempabench.world.tool import After, Limit, page, tool
from mempabench.world.view import Refusal, View


class Wanted(BaseModel):
    """So many of a product."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    product_id: str
    quantity: Annotated[int, Field(ge=1, le=100)] = 1


Basket = Annotated[tuple[Wanted, ...], Field(min_length=1, max_length=20)]


@tool(reads=(Product, Place), finds=(Product,))
def shop_search(
    view: View,
    text: Line | None = None,
    shop: Line | None = None,
    category: Line | None = None,
    most: Money | None = None,
    in_stock: bool = False,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List products, the cheapest first, with when they would come and where they can be fetched.

    Args:
        text: words that stand in the name, the category or what is said of it
        shop: only of this shop
        category: only of this category
        most: what one may cost at most
        in_stock: only what is in stock
    """
    found = [
        product
        for product in view.all(Product)
        if matches(text, product.name, product.category, product.details)
        and (shop is None or shop.casefold() == product.shop.casefold())
        and (category is None or category.casefold() == product.category.casefold())
        and (most is None or product.price <= most)
        and (product.stock > 0 or not in_stock)
    ]
    found.sort(key=lambda product: (product.price, product.id))

    def shown(product: Product) -> dict[str, Any]:
        days = product.delivery_days
        place = view.find(Place, product.pickup) if product.pickup else None
        comes = None if days is None else view.today + timedelta(days=days)
        return {**view.show(product), "comes_on": comes, "fetched_at": place.name if place else None}

    return page(found, shown, limit, after)


@tool(reads=(Place,), writes=(Order, Product, Payment, Account), external=True)
def orders_place(
    view: View,
    lines: Basket,
    account_id: str,
    context: Context,
    address: Line | None = None,
    fetch: bool = False,
) -> dict[str, Any]:
    """Order products of one shop and pay for them; they are delivered to an address, or fetched from the shop.

    Args:
        lines: what is ordered
        account_id: the account to pay from
        context: work, or private life
        address: where it goes; the user's own address of private life where it isn't given
        fetch: whether it is fetched instead

    Raises:
        several_shops: one order goes to one shop; place one for each
        given_twice: a product stands in the order twice; put the two quantities together
        no_address: no address is known; give one
        no_funds: the account would go below what it may
        ordered_already: the same was ordered today already; orders_list shows it
        not_delivered: the shop only hands this over; order it with fetch
        not_fetched: this can't be fetched; order it to an address

    Limits:
        out_of_stock: fewer are in stock than are ordered; shop_search has others
        over_daily_limit: more would leave the account today than may; pay from another one, as accounts_list has them
    """
    products = [view.get(Product, line.product_id) for line in lines]
    account = view.get(Account, account_id)
    if len({product.id for product in products}) < len(products):
        raise Refusal("given_twice")
    if len({product.shop for product in products}) > 1:
        raise Refusal("several_shops")
    goes_to = None if fetch else address or view.me.address
    if goes_to is None and not fetch:
        raise Refusal("no_address")
    for product, line in zip(products, lines, strict=True):
        if product.stock < line.quantity:
            raise Refusal("out_of_stock", f"{product.name}, {product.stock} left")
        if fetch and product.pickup is None:
            raise Refusal("not_fetched", product.name)
        if not fetch and product.delivery_days is None:
            raise Refusal("not_delivered", product.name)
    ordered = tuple(
        {"product": product.id, "quantity": line.quantity, "price": product.price}
        for product, line in zip(products, lines, strict=True)
    )
    total = sum(
        (product.price * line.quantity for product, line in zip(products, lines, strict=True)), Decimal(0)
    )
    days = 0 if fetch else max(product.delivery_days or 0 for product in products)
    order = view.add(
        Order,
        shop=products[0].shop,
        context=context,
        lines=ordered,
        total=total,
        address=goes_to,
        pickup=products[0].pickup if fetch else None,
        placed_at=view.now,
        due_on=view.today + timedelta(days=days),
    )
    for other in sorted(view.all(Order), key=lambda one: one.id):
        today = view.local(other.placed_at).date() == view.today and other.status == "placed"
        if other.id != order.id and today and (other.lines, other.address) == (order.lines, order.address):
            raise Refusal("ordered_already", other.id)
    for product, line in zip(products, lines, strict=True):
        view.change(product, stock=product.stock - line.quantity)
    paid = pay(view, account, order.shop, total, f"Order {order.id}", about=order.id)
    return view.show(view.change(order, payment=paid.id))


def stage(view: View, order: Order) -> str:
    """Return how far an order has come."""
    if order.status != "placed":
        return order.status
    if order.delivered_at is not None and order.delivered_at <= view.now:
        return "delivered"
    return "dispatched" if order.dispatched_at is not None and order.dispatched_at <= view.now else "placed"


@tool(reads=(Order, Product, Place), finds=(Order,))
def orders_list(
    view: View,
    text: Line | None = None,
    context: Context | None = None,
    open_only: bool = False,
    limit: Limit = 20,
    after: After = None,
) -> dict[str, Any]:
    """List orders, the newest first, with what is in them, how far they have come and until when they can be returned.

    Args:
        text: words that stand in the shop or the name of a product
        context: only of work, or of private life
        open_only: only those that were neither delivered, cancelled nor returned
    """

    def names(order: Order) -> list[str]:
        return [view.get(Product, line.product).name for line in order.lines]

    found = [
        order
        for order in view.all(Order)
        if context in (None, order.context)
        and matches(text, order.shop, *names(order))
        and (not open_only or stage(view, order) in ("placed", "dispatched"))
    ]
    found.sort(key=lambda order: order.id)
    found.sort(key=lambda order: order.placed_at, reverse=True)

    def shown(order: Order) -> dict[str, Any]:
        lines = [
            {**view.show(line), "name": name} for line, name in zip(order.lines, names(order), strict=True)
        ]
        fetched = view.get(Place, order.pickup).name if order.pickup else None
        return {**view.show(order), "lines": lines, "status": stage(view, order), "fetched_at": fetched}

    return page(found, shown, limit, after)


@tool(writes=(Order, Product, Payment, Account), external=True)
def orders_cancel(view: View, order_id: str) -> dict[str, Any]:
    """Cancel an order that hasn't been dispatched, and have it paid back. One that is cancelled already stays so.

    Args:
        order_id: the order

    Raises:
        returned_already: the order went back

    Limits:
        dispatched_already: it is on its way; take it, then send it back with orders_return
    """
    order = view.get(Order, order_id)
    if order.status == "cancelled":
        return {**view.show(order), "paid_back": None}
    if order.status == "returned":
        raise Refusal("returned_already", order.id)
    if stage(view, order) != "placed":
        raise Refusal("dispatched_already", order.id)
    return given_back(view, order, "cancelled")


def given_back(view: View, order: Order, status: str) -> dict[str, Any]:
    """Put an order's products back into stock and its price back into the account."""
    for line in order.lines:
        product = view.get(Product, line.product)
        view.change(product, stock=product.stock + line.quantity)
    back = refund(view, order.payment)
    return {**view.show(view.change(order, status=status)), "paid_back": back.amount if back else None}


@tool(writes=(Order, Product, Payment, Account), external=True)
def orders_return(view: View, order_id: str) -> dict[str, Any]:
    """Send a delivered order back, and have it paid back. One that went back already stays so.

    Args:
        order_id: the order

    Raises:
        cancelled: the order was cancelled
        not_delivered_yet: it hasn't come yet; orders_cancel stops it while it isn't dispatched

    Limits:
        too_late: the time in which the shop takes this back is over; write to it with mail_send
        not_returnable: the shop never takes this back; write to it with mail_send
    """
    order = view.get(Order, order_id)
    if order.status == "returned":
        return {**view.show(order), "paid_back": None}
    if order.status == "cancelled":
        raise Refusal("cancelled", order.id)
    if stage(view, order) != "delivered" or order.delivered_at is None:
        raise Refusal("not_delivered_yet", order.id)
    delivered = view.local(order.delivered_at).date()
    for line in order.lines:
        product = view.get(Product, line.product)
        if product.return_days == 0:
            raise Refusal("not_returnable", f"{product.name}, {product.shop_email}")
        if view.today > delivered + timedelta(days=product.return_days):
            raise Refusal("too_late", f"{product.name}, {product.shop_email}")
    return given_back(view, order, "returned")
