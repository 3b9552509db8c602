"""Soprano's API in Python: the standard library alone; with pandas, frames.

    >>> import soprano
    >>> supply = soprano.frame("ARIA", "supply", cohort="*", since="-1y")
    >>> float(supply["total"].iloc[-1]) > 0
    True

    >>> soprano.frame("ARIA", "supply", cohort="user")
    Traceback (most recent call last):
    soprano.SopranoError: Parameter value not allowed: supply has no selector "user". Did you mean users?

The server and the key are those of SOPRANO_URL and SOPRANO_KEY, or of a client:

    >>> client = soprano.Client("https://soprano.example", key="…")

Needs Python 3.9 or newer. Install it with `pip install ./clients/python`, or add that folder to PYTHONPATH.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import hashlib
import http.client
import io
import json
import math
import numbers
import os
import random
import re
import socket
import threading
import time
import urllib.error
import urllib.request
import zlib
from collections import OrderedDict
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, TypedDict, TypeVar, Union
from urllib.parse import quote, urlencode

from . import _parts

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from typing_extensions import Literal, Unpack

DEFAULT_URL = "http://127.0.0.1:8787"

Result = TypeVar("Result")

#: One name, or several.
Names = Union[str, Iterable[str]]
Directory = Union[str, "os.PathLike[str]"]
#: A date, a datetime (UTC if it has no zone), Unix seconds, a text such as "2025-03-01" or "-30d", a timedelta back from
#: the last point, or what NumPy and pandas have for these.
Time = Union[date, int, float, str, timedelta, Any]


class Query(TypedDict, total=False):
    """What a query may name beside assets, metrics and cohorts. The last four are the API's own parameters.

    known: "first" for values as they were first published, or a time, for the answer that readers got then.
    """

    since: Time
    until: Time
    resolution: Literal["day", "hour", "block", "week", "month"]
    last: int
    formula: Union[Names, Mapping[str, str]]
    known: Time
    sb: int
    ub: int
    time: Literal["iso", "unix"]
    build: str


class SopranoError(Exception):
    """The server refuses a request: the members of its problem document (RFC 9457).

    Go by `type`; `detail` is for people. The others are None where the document lacks them.
    """

    def __init__(self, problem: Dict[str, Any], retry_after: Optional[int] = None) -> None:
        self.type: str = problem["type"]
        self.title: str = problem["title"]
        self.status: int = problem["status"]
        self.detail: str = problem["detail"]
        self.parameter: Optional[str] = problem.get("parameter")
        self.allowed: Optional[List[str]] = problem.get("allowed")
        self.suggestion: Optional[str] = problem.get("suggestion")
        #: Seconds to wait.
        self.retry_after = retry_after
        suggestion = f" Did you mean {self.suggestion}?" if self.suggestion else ""
        super().__init__(f"{self.title}: {self.detail}{suggestion}")


# After which a request may succeed later; of answers, only those that pass.
_FAILURES = (SopranoError, OSError, http.client.HTTPException)


class Client:
    """One server, with one key. Threads may share it."""

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        patience: float = 120,
        timeout: float = 60,
        cache_bytes: int = 16 << 20,
    ) -> None:
        """
        patience: seconds that a call may wait in all before it tries again, after 429, 503 and broken connections
        timeout: a server that sends nothing for so many seconds counts as a broken connection
        cache_bytes: of answers that are kept with their ETags; one that has not changed is not sent again
        """
        self.url = (url or os.environ.get("SOPRANO_URL") or DEFAULT_URL).rstrip("/")
        # Files and shells leave a line break at the end.
        self._key = (key or os.environ.get("SOPRANO_KEY") or "").strip()
        if re.search(r"[\s\x00-\x1f\x7f]", self._key):
            # http.client would show it in its own message.
            raise ValueError("The key has characters that no key has. Copy it again.")
        self._patience = patience
        self._timeout = timeout
        self._cache = _Cache(cache_bytes)

    def frame(
        self, asset: Names, metric: Optional[Names] = None, cohort: Optional[Names] = None, **query: Unpack[Query]
    ) -> pandas.DataFrame:
        """A row a time (UTC), a column a series, NaN where a series has no point. Needs pandas.

        The columns are named by what tells them apart: the cohorts of one metric `total`, `users`, …; the metrics of
        one asset `supply`, `price`. At block resolution, the index has the levels `t` and `block`.

            >>> both = frame("ARIA", ["market_cap", "realised_cap"], since="-30d")
            >>> mvrv = both["market_cap"] / both["realised_cap"]
            >>> len(mvrv)
            31

        `formula` is one or several, or a dict of them by name, which the server computes over the whole history:

            >>> smooth = frame("ARIA", formula={"week": "sma(sopr:lth, 7)"}, since="-30d")
            >>> list(smooth.columns)
            ['week']

        `known` is for backtests: "first" gives every value as it was first published, and a time what readers got then,
        without what has been restated or published since:

            >>> then = frame("ARIA", "sopr", known="first")
            >>> len(then) > 300
            True

        `attrs` says which data it is: `builds` and `as_of` by asset, `resolution`, and `units` by column.

        Raises SopranoError: the server refuses the request. OSError: it can't be reached.
        """
        import pandas as pd

        query["time"] = "unix"
        table = self.series(asset, metric, cohort, **query)
        index = pd.to_datetime(table["t"], unit="s", utc=True).rename("t")
        if "block" in table:
            index = pd.MultiIndex.from_arrays([index, table["block"]], names=["t", "block"])
        columns = [pd.Series(one["v"], index=index, dtype="float64") for one in table["series"]]
        names = _column_names(table["series"])
        result = pd.concat(columns, axis=1, keys=names)
        result.attrs = {
            "builds": table["builds"],
            "as_of": table["asOf"],
            "resolution": table["resolution"],
            "units": dict(zip(names, (one["unit"] for one in table["series"]))),
        }
        return result

    def series(
        self, asset: Names, metric: Optional[Names] = None, cohort: Optional[Names] = None, **query: Unpack[Query]
    ) -> Dict[str, Any]:
        """The answer of GET /v3/series: `t`, and for each of `series` a value or None in `v`.

        `cohort` takes cohorts, exchanges and transfer samples, or "*" for all that a metric has; of assets that have them,
        own cohorts such as "@team", and lots such as "fifo" and "fifo.1y-2y", or "fifo.*" for all of a method.

        More series than the API answers at once are asked for in parts: together, these are what one answer would be.

            >>> table = series("ARIA", ["sopr", "price"], last=2, resolution="month")
            >>> table["t"]
            ['2025-11-01T00:00:00', '2025-12-01T00:00:00']
            >>> [(one["metric"], one["unit"]) for one in table["series"]]
            [('sopr', 'ratio'), ('price', 'usd_per_token')]

        Raises SopranoError: the server refuses the request. OSError: it can't be reached, or with every try a build
        became active while the parts were read.
        """
        asked = _parameters(asset, metric, cohort, query)
        try:
            return self._answer(asked)
        except SopranoError as error:
            if error.type != _TOO_MANY_SERIES:
                raise
            refusal = error

        def read() -> Dict[str, Any]:
            bounds, counted = self._bounds(asked)
            tables = self._halves({**asked, **bounds}, refusal)
            _parts.check_builds([*counted, *tables])
            return _parts.joined(asked, tables)

        return self._try(read, (_parts.MixedBuilds,))

    def _answer(self, asked: Dict[str, str]) -> Dict[str, Any]:
        return json.loads(self.get("/v3/series", asked))

    def _tables(self, asked: Dict[str, str]) -> List[Dict[str, Any]]:
        """The answer, or those of its parts if it would have too many series."""
        try:
            return [self._answer(asked)]
        except SopranoError as error:
            if error.type != _TOO_MANY_SERIES:
                raise
            return self._halves(asked, error)

    def _halves(self, asked: Dict[str, str], refusal: SopranoError) -> List[Dict[str, Any]]:
        halves = _parts.halves(asked, refusal.parameter or "", self._selectors)
        if not halves:
            raise refusal
        return [table for half in halves for table in self._tables(half)]

    def _selectors(self) -> Dict[str, _parts.Selectors]:
        """The selectors of each metric and named formula."""
        catalog = json.loads(self.get("/v3/metrics"))
        return {one["name"]: _selectors_of(one) for one in [*catalog["metrics"], *catalog.get("formulas", [])]}

    def _bounds(self, asked: Dict[str, str]) -> Tuple[Dict[str, str], List[Dict[str, Any]]]:
        """Spans as times, and the answers that tell from where they count: the last point of all assets.

        A part would count them from the last point of its own assets.
        """
        spans = {name: asked[name] for name in ("s", "u") if _parts.SPAN.fullmatch(asked.get(name, ""))}
        if not spans:
            return {}, []
        end = {name: asked[name] for name in ("r", "build", "known") if name in asked}
        end.update(last="1", time="unix")
        assets = asked["a"].upper().split(",")
        formulas = asked.get("x", "")
        # A formula may name others: ASSET.metric.
        named = self._tables({**end, "a": assets[0], "x": formulas}) if "." in formulas else []
        every = dict.fromkeys([*assets, *(asset for table in named for asset in table["builds"])])
        if len(every) == 1:
            return {}, named
        events = self._tables({**end, "a": ",".join(every), "m": _EVENTS["block" if asked.get("r") == "block" else "bucket"]})
        last = max((t for table in events for t in table["t"]), default=0)
        return {name: str(_parts.before(last, span)) for name, span in spans.items()}, [*named, *events]

    def rows(
        self, asset: Names, metric: Optional[Names] = None, cohort: Optional[Names] = None, **query: Unpack[Query]
    ) -> Iterator[Dict[str, Any]]:
        """The rows of `series` as they arrive: for what does not fit into memory.

            >>> next(rows("ARIA", "volume", resolution="hour"))
            {'t': '2023-01-02T09:00:00', 'ARIA:volume:total': 33048.24944159807}

        Raises OSError or http.client.HTTPException: the connection breaks. Rows that end are whole.
        """
        with self._stream(_parameters(asset, metric, cohort, query), "ndjson") as body:
            rest = b""
            for chunk in _decoded(body):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from map(json.loads, lines)

    def arrow(
        self, asset: Names, metric: Optional[Names] = None, cohort: Optional[Names] = None, **query: Unpack[Query]
    ) -> pyarrow.Table:
        """The series as a table of Arrow: for millions of rows. Needs pyarrow."""
        import pyarrow

        with self._stream(_parameters(asset, metric, cohort, query), "arrow") as body:
            return pyarrow.ipc.open_stream(b"".join(_decoded(body))).read_all()

    def screener(self) -> pandas.DataFrame:
        """One row per asset, NaN where a value is missing. Needs pandas.

        The columns are the values (`price`, `mvrv`, …), their changes over days (`mvrv_1d`, `mvrv_7d`, `mvrv_30d`), and
        the share of the last 365 days on which it was at most as high (`mvrv_pct`).

            >>> table = screener()
            >>> bool(table.loc["ARIA", "mvrv_pct"] <= 1)
            True

        Raises SopranoError: the server refuses the request. OSError: it can't be reached.
        """
        import pandas as pd

        body = self.get("/v3/screener", {"f": "csv"})
        return pd.read_csv(io.BytesIO(body), index_col="asset", float_precision="round_trip")

    def distribution(
        self,
        asset: str,
        name: str,
        cohort: Optional[str] = None,
        *,
        around: Optional[int] = None,
        **query: Unpack[Query],
    ) -> pandas.DataFrame:
        """Who holds the token, by what they paid or since when: a row for each time and bucket. Needs pandas.

        `name` is "cost_basis", "acquired" or "first_seen"; `cohort` is "total" or "users", or of lots "fifo" or
        "fifo.users"; `resolution` is day, week or month. The columns are `t`, `bucket`, its ends `from` and `to` (USD per
        token, or times), `supply`, `realised_cap` and, but of lots, `num_addresses`; a bucket that nobody is in has no row.

        `around`, of cost_basis: only so many buckets below and above the one that holds the price; the others are two,
        `below` and `above`. The column `side`, after `to`, is `in`, `at` or `out` of the money.

            >>> costs = distribution("ARIA", "cost_basis", last=1)
            >>> supply = frame("ARIA", "supply", last=1)
            >>> bool(abs(costs["supply"].sum() / supply["supply"].iloc[0] - 1) < 1e-9)
            True
            >>> near = distribution("ARIA", "cost_basis", around=10, last=1)
            >>> bool(abs(near["supply"].sum() / costs["supply"].sum() - 1) < 1e-9)
            True

        Raises SopranoError: the server refuses the request. OSError: it can't be reached.
        """
        import pandas as pd

        query["time"] = "iso"
        parameters = {**_parameters(asset, None, cohort, query), "f": "csv"}
        if around is not None:
            parameters["around"] = str(around)
        body = self.get(f"/v3/distributions/{quote(name, safe='')}", parameters)
        result = pd.read_csv(io.BytesIO(body), dtype={"bucket": str}, float_precision="round_trip")
        for column in ["t"] if name == "cost_basis" else ["t", "from", "to"]:
            result[column] = pd.to_datetime(result[column], utc=True)
        return result

    def holders(
        self,
        asset: str,
        *,
        sort: Optional[str] = None,
        order: Optional[str] = None,
        group: Optional[str] = None,
        at: Optional[Time] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> pandas.DataFrame:
        """A row an address, in the order that was asked for. Needs pandas.

        `sort` is "balance" (default), "cost", "unrealised_profit", "realised_profit", "received", "first_seen" or
        "last_active", `order` "desc" (default) or "asc", `group` "users", "sc" or "cex". `limit` is 100 unless you say
        otherwise, and up to 1,000; `offset` and `limit` together are up to 10,000.

            >>> losers = holders("ARIA", sort="unrealised_profit", order="asc", limit=10)
            >>> bool((losers["unrealised_profit"].diff().dropna() >= 0).all())
            True

        `at` gives the largest at a day's close, with the changes of their balances, without sort, order and group:

            >>> list(holders("ARIA", at="-30d", limit=5).columns)
            ['balance', 'raw', 'share', 'change_1d', 'change_7d', 'change_30d']

        `raw` is the exact balance, as an int; `cohorts` has a list of names. `attrs` says which data it is: `build` and
        `as_of`.

        Raises SopranoError: the server refuses the request. OSError: it can't be reached.
        """
        given = {"a": asset, "sort": sort, "order": order, "group": group, "at": at, "limit": limit, "offset": offset}
        parameters = {name: _text(name, value) for name, value in given.items() if value is not None}
        answer = json.loads(self.get("/v3/holders", parameters))
        columns = _LARGEST_COLUMNS if at is not None else _HOLDER_COLUMNS
        result = _holder_frame(answer["holders"], columns, "address")
        result.attrs = {"build": answer["build"], "as_of": answer["asOf"]}
        return result

    def address(self, address: str, asset: Names = ()) -> pandas.DataFrame:
        """What an address has of each asset that it has ever held, a row an asset. Needs pandas.

        Without `asset`, of all assets. The columns are those of `holders`, after `build` and `asOf`.

            >>> largest = holders("ARIA", limit=1).index[0]
            >>> address(largest).loc["ARIA", "raw"] == holders("ARIA", limit=1)["raw"].iloc[0]
            True
            >>> len(address("0x" + "12" * 20))
            0

        `attrs["unavailable"]` names assets whose build is older than this table.

        Raises SopranoError: the server refuses the request. OSError: it can't be reached.
        """
        assets = _names(asset)
        answer = json.loads(self.get(f"/v3/holders/{quote(address, safe='')}", {"a": ",".join(assets)} if assets else None))
        result = _holder_frame(answer["holders"], ["build", "asOf", "address", *_HOLDER_COLUMNS], "asset")
        result.attrs = {"unavailable": answer.get("unavailable", [])}
        return result

    def largest_transfers(
        self, asset: str, *, since: Optional[Time] = None, until: Optional[Time] = None
    ) -> pandas.DataFrame:
        """The 20 largest transfers of each day by dollars: day by day, the largest first. Needs pandas.

        Of the last day, or of up to 100 days from `since` to `until`:

            >>> moved = largest_transfers("ARIA", since="-6d")
            >>> list(moved.columns[:5])
            ['block', 'log_index', 'hash', 'from', 'from_group']
            >>> bool((moved["dollars"] > 0).all())
            True

        The index `t` has their times. `raw` is the exact amount, as an int. `attrs` says which data it is, as in `holders`.

        Raises SopranoError: the server refuses the request. OSError: it can't be reached.
        """
        given = {"a": asset, "s": since, "u": until}
        parameters = {name: _text(name, value) for name, value in given.items() if value is not None}
        answer = json.loads(self.get("/v3/transfers/largest", parameters))
        return _timed_frame(answer, answer["transfers"], _TRANSFER_COLUMNS)

    def events(self, asset: str) -> pandas.DataFrame:
        """The calendar of an asset, in the order of time, with the columns `title` and `link`. Needs pandas.

            >>> list(events("ARIA").columns)
            ['title', 'link']

        Raises SopranoError: the server refuses the request. OSError: it can't be reached.
        """
        answer = json.loads(self.get(f"/v3/assets/{quote(asset, safe='')}/events"))
        return _timed_frame(answer, answer["events"], ["title", "link"])

    def assets(self) -> List[Dict[str, Any]]:
        """The assets and their ranges. Needs no key."""
        return json.loads(self.get("/v3/assets"))["assets"]

    def metrics(self) -> List[Dict[str, Any]]:
        """The metrics, with resolutions and selectors. Needs no key."""
        return json.loads(self.get("/v3/metrics"))["metrics"]

    def download(
        self, asset: str, directory: Directory, *, metric: Names = (), resolution: Names = ()
    ) -> List[str]:
        """The Parquet files of an asset's active build, below a directory; all, unless metrics or resolutions are named.

        Returns their paths. Read these: a directory that is used again also has files of earlier builds. A file that is
        there is not fetched again, and one that was interrupted is resumed. Each is compared with its SHA-256.

        Raises SopranoError: the server refuses the request. OSError: it can't be reached, a file can't be written, or
        its bytes are not those that were published.
        """
        files = f"/v3/files/{quote(asset, safe='')}"
        metrics, resolutions = _names(metric), _names(resolution)
        listed = json.loads(self.get(files))["files"]
        for wanted, member in ((metrics, "metric"), (resolutions, "resolution")):
            _check_names(wanted, sorted({file[member] for file in listed}), member, asset)
        paths = []
        for file in listed:
            if (metrics and file["metric"] not in metrics) or (resolutions and file["resolution"] not in resolutions):
                continue
            if not _FILE.fullmatch(file["path"]):
                raise ValueError(f"The server lists a file that is none of a series: {file['path']!r}.")
            path = os.path.join(directory, *file["path"].split("/"))
            if not os.path.exists(path):
                try:
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    self._fetch_file(self._address(f"{files}/{file['path']}", {}), path, file)
                except _LocalError as error:
                    raise error.error from None
            paths.append(path)
        return paths

    def _fetch_file(self, url: str, path: str, file: Dict[str, Any]) -> None:
        """A file gets its name when it is whole."""
        part = f"{path}.part"

        def fetch_rest() -> None:
            with _local():
                done = os.path.getsize(part) if os.path.exists(part) else 0
            if done >= file["bytes"]:
                return
            headers = {"Range": f"bytes={done}-", "Accept-Encoding": "identity"}
            with self._send(url, headers) as response:
                with _local():
                    output = open(part, "ab" if response.status == 206 else "wb")
                with output:
                    for chunk in _decoded(response):
                        with _local():
                            output.write(chunk)

        self._try(fetch_rest)
        with open(part, "rb") as written:
            digest = hashlib.sha256()
            while chunk := written.read(1 << 20):
                digest.update(chunk)
        # Builds of Soprano 0.2 list no SHA-256, but all files are named by its first half.
        if not digest.hexdigest().startswith(file.get("sha256") or path.split(".")[-2]):
            os.remove(part)
            raise OSError(f"{file['path']}: what has arrived is not what was published. Download it again.")
        os.replace(part, path)

    def get(self, path: str, parameters: Optional[Dict[str, str]] = None) -> bytes:
        """The answer of any path; the one that is kept if it has not changed."""
        url = self._address(path, parameters or {})
        kept = self._cache.get(url)

        def read() -> Tuple[Optional[str], bytes]:
            with self._send(url, {"If-None-Match": kept[0]} if kept else {}) as response:
                if kept and response.status == 304:
                    return kept
                return response.headers["ETag"], b"".join(_decoded(response))

        tag, body = self._try(read)
        self._cache.keep(url, tag, body)
        return body

    def _stream(self, parameters: Dict[str, str], form: str) -> http.client.HTTPResponse:
        return self._try(lambda: self._send(self._address("/v3/series", {**parameters, "f": form})))

    def _address(self, path: str, parameters: Dict[str, str]) -> str:
        return f"{self.url}{path}" + (f"?{urlencode(parameters)}" if parameters else "")

    def _send(self, url: str, headers: Dict[str, str] = {}) -> Any:
        """One attempt. An answer of 200, 206 or 304: that is an HTTPError, with the same members."""
        # Unlike a key in the URL, this one shows up in no log and no traceback.
        authorization = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip", **authorization, **headers})
        try:
            return _opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            if error.code == 304:
                return error
            with error:
                asked = error.headers.get("Retry-After", "")
                raise SopranoError(_problem(error), int(asked) if asked.isdecimal() else None) from None

    def _try(self, attempt: Callable[[], Result], failures: Tuple[Type[Exception], ...] = _FAILURES) -> Result:
        """Tries again what may succeed later, after these failures."""
        patience = self._patience
        for count in range(1, _MOST_ATTEMPTS + 1):
            pause = 2**count / 4 * (1 + random.random() / 4)
            try:
                return attempt()
            except failures as error:
                failure = error
                if isinstance(error, SopranoError):
                    if error.status not in _PASSING:
                        raise
                    pause = pause if error.retry_after is None else error.retry_after
                # Nobody is there, and most likely nobody will be.
                if _is_refused(error):
                    patience = min(patience, _PATIENCE_IF_REFUSED - (self._patience - patience))
            if count == _MOST_ATTEMPTS or pause > patience:
                break
            time.sleep(pause)
            patience -= pause
        raise failure


_TOO_MANY_SERIES = "/problems/too-many-series"
# Metrics that have a point at the end of what is published: all buckets have one of sums; of blocks, those with an event.
_EVENTS = {"bucket": "num_transfers", "block": "num_transfers,minted,burned"}

# Attempts of one call, however short the pauses are.
_MOST_ATTEMPTS = 6
# Seconds, in all, where nothing listens or no host has the name.
_PATIENCE_IF_REFUSED = 1.7
# The server asks for a pause: its limits (429), or something that passes (503).
_PASSING = (429, 503)

# The paths that /v3/files lists.
_FILE = re.compile(r"[a-z]+/(?:@|[a-z]+\.)?[a-z0-9_-]+/[0-9a-z-]+\.[0-9a-f]{32}\.parquet")


class _LocalError(Exception):
    """The disk fails: trying again would not help."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


@contextlib.contextmanager
def _local() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _LocalError(error) from error


def _is_refused(error: BaseException) -> bool:
    reason = getattr(error, "reason", error)
    return isinstance(reason, (ConnectionRefusedError, socket.gaierror))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The API has none. urllib would repeat the key wherever one leads."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def _problem(error: urllib.error.HTTPError) -> Dict[str, Any]:
    """The problem document of an answer; one of our own if something in front of the server answers."""
    if error.headers.get_content_type() == "application/problem+json":
        return json.loads(b"".join(_decoded(error.fp)))
    detail = f"Something in front of Soprano answered with status {error.code}. Check the URL of the client."
    return {"type": "about:blank", "title": error.reason, "status": error.code, "detail": detail}


def _decoded(response: Any) -> Iterator[bytes]:
    """The body as it arrives. One that breaks off raises, which http.client does not always do."""
    inflate = zlib.decompressobj(wbits=31) if response.headers["Content-Encoding"] == "gzip" else None
    while chunk := response.read(1 << 16):
        yield inflate.decompress(chunk) if inflate else chunk
    if response.length or (inflate and not inflate.eof):
        raise http.client.IncompleteRead(b"")


class _Cache:
    """Bodies with their ETags, up to so many bytes: those that were asked for last."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, Tuple[str, bytes]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, url: str) -> Optional[Tuple[str, bytes]]:
        with self._lock:
            return self._kept.get(url)

    def keep(self, url: str, tag: Optional[str], body: bytes) -> None:
        with self._lock:
            self._bytes -= len(self._kept.pop(url, ("", b""))[1])
            if tag is None or len(body) > self._most_bytes:
                return
            self._kept[url] = (tag, body)
            self._bytes += len(body)
            while self._bytes > self._most_bytes:
                self._bytes -= len(self._kept.popitem(last=False)[1][1])


# What others call the arguments.
_OTHER_NAMES = {"start": "since", "from": "since", "s": "since", "end": "until", "to": "until", "u": "until", "r": "resolution",
                "a": "asset", "assets": "asset", "m": "metric", "metrics": "metric", "c": "cohort", "cohorts": "cohort",
                "limit": "last", "n": "last", "x": "formula", "formulas": "formula",
                "as_of": "known", "asof": "known", "vintage": "known"}  # fmt: skip


def _parameters(asset: Names, metric: Optional[Names], cohort: Optional[Names], query: Query) -> Dict[str, str]:
    """The query as the API calls it."""
    for name in query:
        if name in Query.__annotations__:
            continue
        if name == "f":
            raise TypeError("There is no argument f: frame, series, rows and arrow each have a format of their own.")
        near = _OTHER_NAMES.get(name) or next(iter(difflib.get_close_matches(name, Query.__annotations__, 1)), None)
        raise TypeError(f"There is no argument {name}." + (f" Did you mean {near}?" if near else ""))
    own = {"since": "s", "until": "u", "resolution": "r", "formula": "x"}
    given = {"a": asset, "m": metric, "c": cohort, **{own.get(name, name): value for name, value in query.items()}}
    return {name: _text(name, value) for name, value in given.items() if value is not None}


# The columns of GET /v3/holders after the address.
_HOLDER_COLUMNS = ["balance", "raw", "share", "average_price", "cost", "value", "unrealised_profit", "realised_profit", "received",
                   "sent", "receipts", "sends", "first_seen", "last_active", "held_since", "group", "label", "cohorts"]  # fmt: skip
_LARGEST_COLUMNS = ["balance", "raw", "share", "change_1d", "change_7d", "change_30d"]
_HOLDER_TIMES = ["asOf", "first_seen", "last_active", "held_since"]
_HOLDER_TEXTS = ["address", "build", "raw", "group", "label", "cohorts"]
_HOLDER_COUNTS = ["receipts", "sends"]


def _holder_frame(rows: List[Dict[str, Any]], columns: List[str], index: str) -> pandas.DataFrame:
    """Rows of JSON, each column with its own type, also if there are none."""
    import pandas as pd

    result = pd.DataFrame(rows, columns=[index, *columns], dtype=object).set_index(index)
    for column in columns:
        if column in _HOLDER_TIMES:
            result[column] = pd.to_datetime(result[column], utc=True)
        elif column == "raw":
            result[column] = result[column].map(int)
        elif column in _HOLDER_COUNTS:
            result[column] = result[column].astype("int64")
        elif column not in _HOLDER_TEXTS:
            result[column] = result[column].astype("float64")
    return result


# The columns of GET /v3/transfers/largest after the time.
_TRANSFER_COLUMNS = ["block", "log_index", "hash", "from", "from_group", "from_label", "to", "to_group", "to_label", "tokens", "raw",
                     "dollars"]  # fmt: skip
_TRANSFER_TYPES = {"block": "int64", "log_index": "int64", "tokens": "float64", "dollars": "float64"}


def _timed_frame(answer: Dict[str, Any], rows: List[Dict[str, Any]], columns: List[str]) -> pandas.DataFrame:
    """Rows of JSON by their times, each column with its own type, also if there are none."""
    import pandas as pd

    result = pd.DataFrame(rows, columns=["t", *columns], dtype=object)
    result["t"] = pd.to_datetime(result["t"], utc=True)
    for column in columns:
        if column == "raw":
            result[column] = result[column].map(int)
        elif column in _TRANSFER_TYPES:
            result[column] = result[column].astype(_TRANSFER_TYPES[column])
    result = result.set_index("t")
    result.attrs = {"build": answer["build"], "as_of": answer["asOf"]}
    return result


def _names(names: Names) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


def _selectors_of(measure: Dict[str, Any]) -> _parts.Selectors:
    """Those that an entry of the catalog tells."""
    selector, lots = measure["selector"], measure.get("lots") or {"methods": [], "cohorts": []}
    parts = [f".{cohort}" for cohort in lots["cohorts"]]
    return _parts.Selectors(
        selector["values"] if selector else [],
        {method: [method, *(f"{method}{part}" for part in parts)] for method in lots["methods"]},
    )


def _check_names(wanted: List[str], known: List[str], what: str, asset: str) -> None:
    for name in wanted:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else f" There are {', '.join(known)}."
            raise ValueError(f"{asset} has no files of the {what} {name!r}.{hint}")


def _text(name: str, value: Any) -> str:
    """A value as the API writes it. NumPy's numbers and times count as those of Python."""
    kind = type(value).__name__
    if kind == "datetime64":
        return str(value.astype("datetime64[s]"))
    if kind == "timedelta64":
        value = timedelta(seconds=int(value.astype("timedelta64[s]").astype("int64")))
    if isinstance(value, timedelta):
        return _span(value)
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        whole = math.floor(value)
        if name not in ("s", "u", "known") and whole != value:
            raise ValueError(f"{value} is not a whole number.")
        return str(whole)
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        value = [f"{key}={formula}" for key, formula in value.items()]
    return (";" if name == "x" else ",").join(value)


def _span(value: timedelta) -> str:
    """Back from the last point, in whole days or hours."""
    seconds = abs(round(value.total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600)):
        if seconds and seconds % size == 0:
            return f"-{seconds // size}{unit}"
    raise ValueError(f"A span is whole hours or days, and {value} is not.")


def _column_names(series: List[Dict[str, Any]]) -> List[str]:
    """What tells the series apart: the cohort only where asset and metric do not."""

    # A formula of the request has a name instead of a metric, and no selector.
    series = [{"selector": "", "metric": one.get("name"), **one} for one in series]

    def names(parts: Iterable[str]) -> List[str]:
        varying = [part for part in parts if len({one[part] for one in series}) > 1]
        return [" ".join(filter(None, (one[part] for part in varying or ["metric"]))) for one in series]

    short = names(["asset", "metric"])
    return short if len(set(short)) == len(series) else names(["asset", "metric", "selector"])


@functools.lru_cache(maxsize=8)
def _shared(url: Optional[str], key: Optional[str]) -> Client:
    return Client(url, key)


def _default() -> Client:
    """The client of the environment as it is now. Its calls share one cache."""
    return _shared(os.environ.get("SOPRANO_URL"), os.environ.get("SOPRANO_KEY"))


def frame(asset: Names, metric: Optional[Names] = None, cohort: Optional[Names] = None, **query: Unpack[Query]) -> pandas.DataFrame:
    """Client.frame, of the server and with the key of the environment."""
    return _default().frame(asset, metric, cohort, **query)


def series(asset: Names, metric: Optional[Names] = None, cohort: Optional[Names] = None, **query: Unpack[Query]) -> Dict[str, Any]:
    """Client.series, likewise."""
    return _default().series(asset, metric, cohort, **query)


def rows(
    asset: Names, metric: Optional[Names] = None, cohort: Optional[Names] = None, **query: Unpack[Query]
) -> Iterator[Dict[str, Any]]:
    """Client.rows, likewise."""
    return _default().rows(asset, metric, cohort, **query)


def screener() -> pandas.DataFrame:
    """Client.screener, likewise."""
    return _default().screener()


def distribution(
    asset: str, name: str, cohort: Optional[str] = None, *, around: Optional[int] = None, **query: Unpack[Query]
) -> pandas.DataFrame:
    """Client.distribution, likewise."""
    return _default().distribution(asset, name, cohort, around=around, **query)


def holders(asset: str, **query: Any) -> pandas.DataFrame:
    """Client.holders, likewise."""
    return _default().holders(asset, **query)


def address(address: str, asset: Names = ()) -> pandas.DataFrame:
    """Client.address, likewise."""
    return _default().address(address, asset)


def largest_transfers(asset: str, **query: Any) -> pandas.DataFrame:
    """Client.largest_transfers, likewise."""
    return _default().largest_transfers(asset, **query)


def events(asset: str) -> pandas.DataFrame:
    """Client.events, likewise."""
    return _default().events(asset)


def download(asset: str, directory: Directory, *, metric: Names = (), resolution: Names = ()) -> List[str]:
    """Client.download, likewise."""
    return _default().download(asset, directory, metric=metric, resolution=resolution)
