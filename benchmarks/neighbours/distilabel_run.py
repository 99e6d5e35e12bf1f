"""Ask the requests of a file with distilabel: ``python distilabel_run.py REQUESTS URL AT_A_TIME``.

Its documentation's way: a pipeline of a loading step and a text generation; the batch size of the task is how many
calls it has in flight.
"""

import json
import sys
from pathlib import Path

from distilabel.models import OpenAILLM
from distilabel.pipeline import Pipeline
from distilabel.steps import LoadDataFromDicts
from distilabel.steps.tasks import TextGeneration


def main(requests: str, url: str, at_a_time: int) -> int:
    """Return how many answers came."""
    asked = [json.loads(line)["messages"] for line in Path(requests).read_text().splitlines()]
    rows = [{"system_prompt": system["content"], "instruction": user["content"]} for system, user in asked]
    with Pipeline("neighbour") as pipeline:
        llm = OpenAILLM(
            model="stub", base_url=url, api_key="none", generation_kwargs={"max_new_tokens": 4096}
        )
        generation = TextGeneration(llm=llm, input_batch_size=at_a_time)
        LoadDataFromDicts(data=rows, batch_size=at_a_time) >> generation
    answers = pipeline.run(use_cache=True)["default"]["train"]
    return sum(answer is not None for answer in answers["generation"])


if __name__ == "__main__":
    print("answers", main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
