/** What was bought around the price: buckets of costs, in, at or out of the money. */

import { compact } from "../format/numbers.ts";

/** The part of an answer of GET /v3/distributions/cost_basis with `around` that is drawn. */
export interface ServedAround {
  buckets: { name: string; from: number | null; to: number | null }[];
  /** Unix seconds. */
  t: number[];
  price: number[];
  at: number[];
  supply: number[][];
  num_addresses: number[][];
}

export type MoneySide = "in" | "at" | "out";

/** A bucket that somebody is in. */
export interface Cluster {
  side: MoneySide;
  /** USD per token; null at the ends of those of all that is cheaper, and dearer. */
  from: number | null;
  to: number | null;
  /** Whether it is one of these two. */
  isOuter: boolean;
  tokens: number;
  addresses: number;
}

/** The clusters at the last close of an answer, the dearest first. */
export function clustersOf({ buckets, t, price, at, supply, num_addresses }: ServedAround): Cluster[] {
  const last = t.length - 1;
  const sideOf = ({ name, from }: ServedAround["buckets"][number], place: number): MoneySide => {
    if (place === at[last]) return "at";
    return name !== "below" && (name === "above" || (from ?? 0) > price[last]!) ? "out" : "in";
  };
  return buckets
    .map((bucket, place) => ({
      side: sideOf(bucket, place),
      from: bucket.from,
      to: bucket.to,
      isOuter: bucket.name === "below" || bucket.name === "above",
      tokens: supply[last]![place]!,
      addresses: num_addresses[last]![place]!,
    }))
    .filter(({ addresses }) => addresses > 0)
    .reverse();
}

/** The share of the tokens on each side, from 0 to 1. */
export function sharesOf(clusters: readonly Cluster[]): Record<MoneySide, number> {
  const all = clusters.reduce((sum, { tokens }) => sum + tokens, 0);
  const shareOf = (side: MoneySide) =>
    clusters.reduce((sum, cluster) => sum + (cluster.side === side ? cluster.tokens : 0), 0) / (all || 1);
  return { in: shareOf("in"), at: shareOf("at"), out: shareOf("out") };
}

/** How far the price is from that below which half of the supply was bought. @param median USD per token */
export function halfwayText(price: number, median: number): string {
  if (median === 0) return "Half of the supply was free: it is in profit at any price.";
  if (price === 0) return "There is no price yet.";
  const change = median / price - 1;
  const size = compact(Math.abs(change), "share", 3);
  const there = compact(median, "usd_per_token", 4);
  return change > 0
    ? `The price would have to rise by ${size}, to ${there}, for half of the supply to be in profit.`
    : `The price could fall by ${size}, to ${there}, and half of the supply would still be in profit.`;
}
