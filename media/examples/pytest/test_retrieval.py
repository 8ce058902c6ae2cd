"""Retrieval under pytest: fails when it covers fewer perspectives than parallax.json demands ("gate").

    PARALLAX="node /path/to/dist/cli.js" pytest test_retrieval.py

PARALLAX is the command line of Parallax (default: parallax), PARALLAX_CONFIG the configuration (default:
parallax.json in the working directory). Nothing beyond Python itself is needed.
"""

import functools
import json
import os
import shlex
import subprocess


@functools.cache
def report():
    """What `parallax gate --format json` writes; it is run once for all tests."""
    command = shlex.split(os.environ.get("PARALLAX", "parallax"))
    config = os.environ.get("PARALLAX_CONFIG", "parallax.json")
    done = subprocess.run(
        [*command, "gate", "--config", config, "--format", "json"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    found = json.loads(done.stdout) if done.stdout else {"error": done.stderr, "datasets": []}
    gaps = [gap for dataset in found["datasets"] for gap in dataset.get("gaps", [])]
    # Not a failed check: an endpoint is down, the configuration is wrong, or queries are missing.
    problems = [found["error"]] if "error" in found else gaps
    assert not problems, f"could not be evaluated ({done.returncode}): {' '.join(problems)}"
    return found


def queries():
    """Every query of every pipeline, with the names of both."""
    for dataset in report()["datasets"]:
        for pipeline in dataset["pipelines"]:
            for query in pipeline["queries"]:
                yield f"{dataset['name']}, {pipeline['name']}: {query['id']}", query


def test_every_check_is_passed():
    missed = [
        f"{check['dataset']}, {check['pipeline']}: {check['reason']}"
        for check in report()["checks"]
        if check["outcome"] != "passed"
    ]
    assert not missed, "\n".join(missed)


def test_no_query_lost_a_perspective_that_the_baseline_covered():
    lost = [
        f"{name}: {perspective['text']} {perspective['reason']}"
        for name, query in queries()
        for perspective in query["lost"]
        if perspective["newly"]
    ]
    assert not lost, "\n".join(lost)


def test_most_of_what_was_retrieved_has_been_judged():
    for dataset in report()["datasets"]:
        judgements = dataset["judgements"]
        share = judgements["judged"] / max(judgements["pairs"], 1)
        assert share >= 0.8, f"{dataset['name']}: only {share:.0%} of the pairs have a judgement"
