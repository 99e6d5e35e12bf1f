"""Time the retail environment of tau2-bench: ``PYTHONPATH=…/src TAU2_DATA_DIR=…/data python tau2_run.py``.

Prints one JSON object: microseconds of a read and of a write through ``get_response``, of the hash of the database
and of a deep copy of it, and how many records it holds. Its logging is off.
"""

import copy
import json
import time
from statistics import median

import loguru
from tau2.data_model.message import ToolCall
from tau2.domains.retail.environment import get_environment

loguru.logger.remove()


def timed(work, rounds, times):
    """Return the microseconds of some work: the median of rounds."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(times):
            work()
        found.append((time.perf_counter() - start) / times * 1e6)
    return median(found)


def main():
    """Print the figures."""
    environment = get_environment()
    database = environment.tools.db
    pending = [key for key, order in database.orders.items() if order.status == "pending"]
    turn = iter(range(10**9))

    def call(name, **arguments):
        asked = ToolCall(id="1", name=name, arguments=arguments, requestor="assistant")
        answer = environment.get_response(asked)
        assert not answer.error, answer.content

    def read():
        call("get_order_details", order_id=pending[0])
        call("get_user_details", user_id=database.orders[pending[0]].user_id)
        call("get_product_details", product_id=next(iter(database.products)))

    def write():
        line = f"{next(turn)} Quay Street"
        call("modify_pending_order_address", order_id=pending[0], address1=line, address2="", city="Port Aldine",
             state="PA", country="X", zip="1")  # fmt: skip

    figures = {
        "records": len(database.users) + len(database.orders) + len(database.products),
        "read": timed(read, 5, 100) / 3,
        "write": timed(write, 5, 100),
        "hash": timed(environment.get_db_hash, 5, 3),
        "copy": timed(lambda: copy.deepcopy(database), 5, 1),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
