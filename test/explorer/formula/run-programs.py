"""Runs the programs of a JSON list on stdin, each of which makes a frame `chart`. Prints their rows, indexes as text."""

import contextlib
import io
import json
import sys
import warnings

warnings.simplefilter("error")


def key(index):
    t, *block = index if isinstance(index, tuple) else (index,)
    return t.isoformat() + "".join(f"#{int(number)}" for number in block)


results = []
for program in json.load(sys.stdin):
    names = {}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program, "program", "exec"), names)
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}\n\n{program}")
    chart = names["chart"]
    rows = [key(index) for index in chart.index]
    results.append({title: dict(zip(rows, map(repr, chart[title].astype(float).tolist()))) for title in chart.columns})
json.dump(results, sys.stdout)
