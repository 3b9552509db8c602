"""A request for more series than the API answers at once: its parts, and their answers as the one that it would have had."""

from __future__ import annotations

import calendar
import re
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple

#: The parameters of GET /v3/series.
Asked = Dict[str, str]
#: What it answers as JSON.
Table = Dict[str, Any]


class Selectors(NamedTuple):
    """What a metric or a named formula can be asked for by."""

    #: None where there is only one series.
    values: List[str]
    #: Those of lots by each method: `fifo`, `fifo.users`, …. None if it is not computed of lots.
    lots: Mapping[str, List[str]]

    def has(self, name: str) -> bool:
        return name in self.values or any(name == f"{method}.*" or name in self.lots[method] for method in self.lots)


#: The selectors of each metric and named formula.
Catalog = Callable[[], Mapping[str, Selectors]]
#: The only series of one that has no selectors.
SINGLE = "total"


class MixedBuilds(OSError):
    """Parts of an answer come from different builds of an asset."""

    def __init__(self, asset: str) -> None:
        super().__init__(
            f"{asset}: another build became active while the parts of this answer were read, and so with every try. "
            "Ask again in a minute, or for fewer series at once."
        )


def halves(asked: Asked, parameter: str, catalog: Catalog) -> List[Asked]:
    """Two requests for what one asks for, seldom more; none if it can't be divided.

    parameter: the one that the server says has too much; "c" where it is the number of series
    """
    ways = [_by_asset, _by_column, _by_selector]
    if parameter in ("m", "x"):
        ways = [_by_column, _by_asset, _by_selector]
    return next((found for way in ways if (found := way(asked, catalog))), [])


def _by_asset(asked: Asked, _: Catalog) -> List[Asked]:
    return [{**asked, "a": names} for names in _cut(asked["a"].split(","), ",")]


def _by_column(asked: Asked, catalog: Catalog) -> List[Asked]:
    if "m" in asked and "x" in asked:
        return [_without(asked, "x"), _without(asked, "m", "c")]
    if "x" in asked:
        return [{**asked, "x": formulas} for formulas in _cut(_formulas(asked["x"]), ";")]
    halves = _cut(asked["m"].split(","), ",")
    return [part for names in halves for part in _with_own_selectors({**asked, "m": names}, asked, catalog)]


def _by_selector(asked: Asked, catalog: Catalog) -> List[Asked]:
    if "c" not in asked:
        return []
    of = catalog()
    own = of.get(asked["m"], Selectors([], {}))
    every = {"*": own.values or [SINGLE], **{f"{method}.*": own.lots.get(method, []) for method in _methods(of)}}
    names = [name for given in asked["c"].split(",") for name in every.get(given, [given])]
    # The server passes over lots that the metric lacks, but not if a part asks for nothing else.
    names = [name for name in names if own.has(name) or not _are_lots([name], of)]
    return [{**asked, "c": half} for half in _cut(names, ",")]


def _cut(names: List[str], separator: str) -> List[str]:
    middle = (len(names) + 1) // 2
    return [separator.join(half) for half in (names[:middle], names[middle:])] if len(names) > 1 else []


def _without(asked: Asked, *names: str) -> Asked:
    return {name: value for name, value in asked.items() if name not in names}


def _formulas(text: str) -> List[str]:
    """What is between two semicolons; those within quotes separate nothing."""
    parts = re.findall(r"""(?:"[^"]*"|'[^']*'|[^;"']|["'])+""", text)
    return [part for part in parts if part.strip()]


def _methods(of: Mapping[str, Selectors]) -> List[str]:
    """The methods of lots."""
    return sorted({method for one in of.values() for method in one.lots})


def _are_lots(names: List[str], of: Mapping[str, Selectors]) -> bool:
    methods = _methods(of)
    return all(name.split(".")[0] in methods for name in names)


def _with_own_selectors(part: Asked, whole: Asked, catalog: Catalog) -> List[Asked]:
    """Without the selectors that only other metrics of the whole have: the server would refuse them.

    It still refuses what it would refuse of the whole: a selector that no metric has, and a metric that has none of them.
    """
    if "c" not in whole or whole["c"] == "*":
        return [part]
    of = catalog()
    given, metrics = part["c"].split(","), part["m"].split(",")

    def taken(metrics: str, selector: str) -> bool:
        return any(metric in of and of[metric].has(selector) for metric in metrics.split(","))

    names = [name for name in given if taken(part["m"], name) or not taken(whole["m"], name)]
    singles = [metric for metric in metrics if metric in of and not of[metric].values]
    # The series of a metric with a single one is left out where lots alone are asked for that it has.
    if singles and (not names or (_are_lots(names, of) and not _are_lots(given, of))):
        others = [metric for metric in metrics if metric not in singles]
        if others:
            apart = [{**part, "m": ",".join(some)} for some in (singles, others)]
            return [one for metrics in apart for one in _with_own_selectors(metrics, whole, catalog)]
        names = [SINGLE, *names]
    return [{**part, "c": ",".join(names)}] if names else [part]


SPAN = re.compile(r"-\d{1,6}[hdwmy]")
_SECONDS = {"h": 3_600, "d": 86_400, "w": 604_800}


def before(seconds: int, span: str) -> int:
    """The time that lies a span such as "-30d" or "-1y" before another; 1970 if it is earlier. In Unix seconds."""
    count, unit = int(span[1:-1]), span[-1]
    if unit in _SECONDS:
        return max(0, seconds - count * _SECONDS[unit])
    then = datetime.fromtimestamp(seconds, timezone.utc)
    year, month = divmod(12 * then.year + then.month - 1 - count * (12 if unit == "y" else 1), 12)
    if year < 1970:
        return 0
    # The last day of a month that is too short.
    day = min(then.day, calendar.monthrange(year, month + 1)[1])
    return int(then.replace(year=year, month=month + 1, day=day).timestamp())


def joined(asked: Asked, tables: List[Table]) -> Table:
    """Answers to the parts of a request on one time line, as one answer would be."""
    has_block = "block" in tables[0]
    keys = [list(zip(table["t"], table["block"])) if has_block else table["t"] for table in tables]
    line = sorted(set().union(*keys))
    if "last" in asked:
        line = line[-int(asked["last"]) :]
    places = {key: place for place, key in enumerate(line)}
    whole: Table = {"builds": {}, "asOf": {}, "resolution": tables[0]["resolution"]}
    whole["t"] = [key[0] for key in line] if has_block else line
    if has_block:
        whole["block"] = [key[1] for key in line]
    # A formula that names the assets of all its series is in the answer of each part that asks for it.
    series: Dict[Any, Table] = {}
    for table, own in zip(tables, keys):
        whole["builds"].update(table["builds"])
        whole["asOf"].update(table["asOf"])
        for one in table["series"]:
            identity = tuple(sorted((name, value) for name, value in one.items() if name != "v"))
            if identity in series:
                continue
            values: List[Any] = [None] * len(line)
            for key, value in zip(own, one["v"]):
                if key in places:
                    values[places[key]] = value
            series[identity] = {**one, "v": values}
    whole["series"] = _in_order(asked, list(series.values()))
    return whole


def _in_order(asked: Asked, series: List[Table]) -> List[Table]:
    """By asset, and there metrics before formulas."""
    symbols = asked["a"].upper().split(",")
    metrics = asked["m"].split(",") if "m" in asked else []
    assets: Dict[str, List[str]] = {}
    for one in series:
        name = one.get("name") or f"{one['metric']}:{one['selector']}"
        if one["asset"] in assets.setdefault(name, []):
            raise ValueError(f"Two columns would be called {one['asset']}:{name}. Give the formula a name of its own.")
        assets[name].append(one["asset"])

    def place(one: Table) -> Any:
        if "name" not in one:
            return symbols.index(one["asset"]), metrics.index(one["metric"])
        # One that names the assets of all its series is computed once, with the first asset.
        is_of_each = sorted(assets[one["name"]]) == sorted(symbols)
        return symbols.index(one["asset"]) if is_of_each else 0, len(metrics)

    return sorted(series, key=place)


def check_builds(tables: Iterable[Table]) -> None:
    """Raises MixedBuilds: two answers are of different builds of an asset."""
    builds: Dict[str, str] = {}
    for table in tables:
        for asset, build in table["builds"].items():
            if builds.setdefault(asset, build) != build:
                raise MixedBuilds(asset)
