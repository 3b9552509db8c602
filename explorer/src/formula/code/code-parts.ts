/** Functions in the text of snippets, and the shared parts that they call. */

/** A definition. Its name is what a snippet calls. */
export interface Code {
  name: string;
  text: string;
  /** Definitions that it calls. */
  needs?: readonly Code[];
}

/** Python: the values less the first of them. */
export const PY_FROM_FIRST: Code = {
  name: "from_first",
  text: `def from_first(x: pd.Series) -> pd.Series:
    """Differences from the first value: a deviation of small numbers keeps more digits."""
    x = x.where(np.isfinite(x))
    return x - x.bfill().iloc[0]`,
};

export const PY_CORRELATION: Code = {
  name: "correlation",
  text: `def correlation(pairs: np.ndarray) -> float:
    """Pearson's, of differences from the first pair, since small numbers keep more digits."""
    if len(pairs) < 2:
        return np.nan
    d = pairs - pairs[0]
    d = d - [math.fsum(column) / len(d) for column in d.T]
    spread = math.fsum(d[:, 0] ** 2), math.fsum(d[:, 1] ** 2)
    return math.fsum(d[:, 0] * d[:, 1]) / math.sqrt(spread[0]) / math.sqrt(spread[1]) if min(spread) > 0 else np.nan`,
};

export const TS_SUM: Code = {
  name: "sum",
  text: `/** Compensated (Neumaier): rounding errors are added up, too. */
function sum(x: number[]): number {
  let total = 0;
  let lost = 0;
  for (const v of x) {
    const next = total + v;
    lost += Math.abs(total) >= Math.abs(v) ? total - next + v : v - next + total;
    total = next;
  }
  return total + lost;
}`,
};

export const TS_STD: Code = {
  name: "deviation",
  needs: [TS_SUM],
  text: `/** With ddof 1; of differences from the last value, since small numbers keep more digits. */
function deviation(x: number[]): number {
  const d = x.map((v) => v - x[x.length - 1]);
  const mean = sum(d) / d.length;
  return Math.sqrt(sum(d.map((v) => (v - mean) * (v - mean))) / (d.length - 1));
}`,
};

export const TS_SCORE: Code = {
  name: "score",
  needs: [TS_SUM, TS_STD],
  text: `/** How far the last value is from the mean, in deviations. */
function score(x: number[]): number {
  return -sum(x.map((v) => v - x[x.length - 1])) / x.length / deviation(x);
}`,
};

export const TS_CORRELATION: Code = {
  name: "correlation",
  needs: [TS_SUM],
  text: `/** Pearson's, of differences from the first pair, since small numbers keep more digits. */
function correlation(x: number[], y: number[]): number {
  const [a, b] = [x, y].map((values) => {
    const d = values.map((v) => v - values[0]);
    const mean = sum(d) / d.length;
    return d.map((v) => v - mean);
  });
  const [aa, bb, ab] = [sum(a.map((v) => v * v)), sum(b.map((v) => v * v)), sum(a.map((v, i) => v * b[i]))];
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa) / Math.sqrt(bb) : NaN;
}`,
};

export const TS_QUANTILE: Code = {
  name: "quantileOf",
  text: `/** The value below which a share of the values lies: between two of them, by how far it is. */
function quantileOf(x: number[], share: number): number {
  const sorted = [...x].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const part = place - below;
  return part === 0 ? sorted[below] : sorted[below] + part * (sorted[below + 1] - sorted[below]);
}`,
};

export const TS_MIDDLE: Code = {
  name: "middle",
  text: `function middle(x: number[]): number {
  const sorted = [...x].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  return sorted.length % 2 === 1 ? upper : (sorted[(sorted.length >> 1) - 1] + upper) / 2;
}`,
};

export const TS_AT_MOST: Code = {
  name: "shareAtMost",
  text: `/** The share of the values that are at most the last one. */
function shareAtMost(x: number[]): number {
  return x.filter((v) => v <= x[x.length - 1]).length / x.length;
}`,
};

export const TS_ROLLING: Code = {
  name: "rolling",
  text: `/** A statistic of each n values up to a row; NaN where one of them is missing. */
function rolling(x: number[], n: number, statistic: (window: number[]) => number): number[] {
  return x.map((_, i) => {
    const window = x.slice(Math.max(0, i + 1 - n), i + 1);
    return window.length === n && window.every(Number.isFinite) ? statistic(window) : NaN;
  });
}`,
};

export const TS_EXPANDING: Code = {
  name: "expanding",
  text: `/** A statistic of all values up to a row, without the missing ones. */
function expanding(x: number[], statistic: (values: number[]) => number): number[] {
  const values: number[] = [];
  return x.map((v) => {
    if (Number.isFinite(v)) values.push(v);
    return values.length > 0 ? statistic(values) : NaN;
  });
}`,
};
