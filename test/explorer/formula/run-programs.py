"""Runs the programs of a JSON list on stdin, each of which makes a frame `chart`. Prints their columns, in order of rows."""

import contextlib
import io
import json
import sys
import warnings

warnings.simplefilter("error")
results = []
for program in json.load(sys.stdin):
    names = {}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program, "program", "exec"), names)
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}\n\n{program}")
    chart = names["chart"]
    results.append({title: [repr(float(v)) for v in chart[title]] for title in chart.columns})
json.dump(results, sys.stdout)
