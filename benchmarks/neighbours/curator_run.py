"""Ask the requests of a file with bespokelabs-curator: ``python curator_run.py REQUESTS URL AT_A_TIME``.

Its documentation's way: an LLM with a prompt function, the OpenAI backend and its limits. Its token counter loads a
table from the network; the copy that litellm brings along is used in its place.
"""

import json
import os
import sys
from pathlib import Path

import litellm

os.environ["TELEMETRY_ENABLED"] = "0"
os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(litellm.__file__).parent / "litellm_core_utils" / "tokenizers")

from bespokelabs import curator


class Asking(curator.LLM):
    """The answer of a service, as it came."""

    def prompt(self, row: dict) -> list:
        """Return the messages of a request."""
        return json.loads(row["messages"])

    def parse(self, row: dict, response: str) -> dict:
        """Return the row of an answer."""
        return {"answer": response}


def main(requests: str, url: str, at_a_time: int) -> int:
    """Return how many answers came."""
    asked = [json.loads(line)["messages"] for line in Path(requests).read_text().splitlines()]
    limits = {
        "base_url": url,
        "max_concurrent_requests": at_a_time,
        "max_requests_per_minute": 1_000_000,
        "max_tokens_per_minute": 10_000_000_000,
        "require_all_responses": True,
    }
    llm = Asking(model_name="stub", backend="openai", backend_params=limits)
    answers = llm([{"messages": json.dumps(messages)} for messages in asked])
    return len(getattr(answers, "dataset", answers))


if __name__ == "__main__":
    print("answers", main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
