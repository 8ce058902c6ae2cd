"""Let Parallax measure your own retriever.

    from parallax_retriever import serve

    def retrieve(query: str, k: int):
        return [(doc.id, doc.page_content, score) for doc, score in store.similarity_search_with_score(query, k=k)]

    serve(retrieve)

In parallax.json: {"retriever": {"type": "command", "command": ["python", "retrieve.py"]}, "k": 5}

A result is a (id, text, score) tuple, a dict with those names, or an object that has them as attributes
(`page_content`, `content` and `get_content()` count as text, `node` is looked into). Print as much as you
like: standard output is kept for the answers, and what you print goes to standard error.
"""

import json
import sys


def serve(retrieve):
    """Answers Parallax until its end of the pipe is closed. `retrieve(query, k)` returns the results, best first."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        if not line.strip():
            continue
        request = json.loads(line)
        try:
            results = [_result(found) for found in retrieve(request["query"], request["k"])]
            answer = {"id": request["id"], "results": results}
        except Exception as error:  # one query that fails must not end the others
            answer = {"id": request["id"], "error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _result(found):
    if isinstance(found, tuple):
        identifier, text, score = (list(found) + [None] * 3)[:3]
    elif isinstance(found, dict):
        identifier, text, score = found.get("id"), found.get("text"), found.get("score")
    else:
        document = getattr(found, "node", found)
        identifier = _first(document, "id", "id_", "node_id")
        text = _first(document, "text", "page_content", "content")
        if text is None and hasattr(document, "get_content"):
            text = document.get_content()
        score = getattr(found, "score", None)
    return {
        "id": None if identifier is None else str(identifier),
        "text": text,
        "score": None if score is None else float(score),
    }


def _first(document, *names):
    return next((value for name in names if (value := getattr(document, name, None)) is not None), None)
