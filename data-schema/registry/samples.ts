/** Transfer samples: num_transfers by the dollar value of each transfer. Source: docs/methodology.md §6. */

/** Lower edges, in USD, of the samples after `all`: half-open, the last one without an upper end. */
export const SAMPLE_EDGES_USD = [
  0, 100, 1_000, 10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 7_500_000, 10_000_000,
  15_000_000, 20_000_000,
] as const;

export const TRANSFER_SAMPLES = [
  "all",
  "$0-100",
  "$100-1k",
  "$1k-10k",
  "$10k-50k",
  "$50k-100k",
  "$100k-250k",
  "$250k-500k",
  "$500k-1m",
  "$1m-2.5m",
  "$2.5m-5m",
  "$5m-7.5m",
  "$7.5m-10m",
  "$10m-15m",
  "$15m-20m",
  "$20m+",
] as const;

/** All transfers together, and transfers by size. */
export const SAMPLE_FAMILIES = [
  { title: "Together", values: ["all"] },
  {
    title: "By value in USD",
    values: TRANSFER_SAMPLES.slice(1),
    division: { by: "size", of: "all", isOrdered: true },
  },
] as const;
