"""Prints a series of a Soprano server. Needs Python 3.9 or newer, and no packages.

    export SOPRANO_KEY=...                       # soprano keys create --name me
    python3 client.py TINY sopr
    python3 client.py TINY volume c=users r=hour s=2024-01-02

Set SOPRANO_URL if the server is not http://127.0.0.1:8787.
"""

import csv
import json
import os
import sys
from datetime import datetime, timezone
from typing import Iterator, Tuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL = os.environ.get("SOPRANO_URL", "http://127.0.0.1:8787")


def series(asset: str, metric: str, **query: str) -> Iterator[Tuple[datetime, float]]:
    """Yields the points as they arrive, so a long series need not fit into memory."""
    url = f"{URL}/v1/metrics/{metric}?{urlencode({'a': asset, 'f': 'csv', **query})}"
    with urlopen(Request(url, headers={"X-Api-Key": os.environ["SOPRANO_KEY"]})) as response:
        lines = (line.decode() for line in response)
        for row in csv.DictReader(lines):
            # t is UTC, without an offset.
            yield datetime.fromisoformat(row["t"]).replace(tzinfo=timezone.utc), float(row["v"])


if __name__ == "__main__":
    asset, metric, *parameters = sys.argv[1:]
    try:
        for time, value in series(asset, metric, **dict(parameter.split("=", 1) for parameter in parameters)):
            print(time.isoformat(), value)
    except HTTPError as error:
        problem = json.load(error)
        sys.exit(f"{problem['title']}: {problem['detail']}")
