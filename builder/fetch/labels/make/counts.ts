/** How many addresses ship, by chain and exchange, as tables of docs/labels.md. */

import { NAMED_EXCHANGES } from "../../../../data-schema/registry.ts";
import { Failure } from "../../../lib/failure.ts";
import { count } from "../../../lib/terminal/amount-text.ts";
import type { LabelRow } from "../label-file.ts";
import { SHIPPED_LABELS } from "../shipped.ts";

const BEGIN = "<!-- counts: written by builder/fetch/labels/make/make.ts -->";
const END = "<!-- end of counts -->";

/**
 * @param page docs/labels.md
 * @param exchanges all that ship, by the chain's name
 * @returns the page with today's counts between its markers
 * @throws {Failure} the page has no markers
 */
export function withCounts(page: string, exchanges: ReadonlyMap<string, readonly LabelRow[]>): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new Failure(`docs/labels.md lacks the lines ${BEGIN} and ${END}; restore them.`);
  const tables = [...countsByChain(exchanges), "", ...countsByExchange(exchanges)];
  return [page.slice(0, begin) + BEGIN, "", ...tables, "", page.slice(end)].join("\n");
}

const named = new Set<string>(NAMED_EXCHANGES);

function countsByChain(exchanges: ReadonlyMap<string, readonly LabelRow[]>): string[] {
  const rows = [...SHIPPED_LABELS].map(([id, { chain, version }]) => {
    const own = exchanges.get(chain) ?? [];
    const ofNamed = own.filter(({ label }) => named.has(label));
    const [all, series] = [own, ofNamed].map((some) => new Set(some.map(({ label }) => label)).size);
    return `| ${chain} (${id}) | \`${version}\` | ${count(own.length)} | ${all} | ${count(ofNamed.length)} | ${series} |`;
  });
  return [
    "| chain | version | addresses | of exchanges | addresses of those with a series | exchanges with a series |",
    "|---|---|---:|---:|---:|---:|",
    ...rows,
  ];
}

function countsByExchange(exchanges: ReadonlyMap<string, readonly LabelRow[]>): string[] {
  const chains = [...SHIPPED_LABELS.values()].map(({ chain }) => chain);
  const row = (title: string, isMeant: (exchange: string) => boolean) => {
    const counts = chains.map((chain) => (exchanges.get(chain) ?? []).filter(({ label }) => isMeant(label)).length);
    return `| ${title} | ${counts.map((some) => (some === 0 ? "" : count(some))).join(" | ")} |`;
  };
  return [
    `| exchange | ${chains.join(" | ")} |`,
    `|---|${"---:|".repeat(chains.length)}`,
    ...NAMED_EXCHANGES.map((name) => row(`\`${name}\``, (exchange) => exchange === name)),
    row("`other`", (exchange) => !named.has(exchange)),
  ];
}
