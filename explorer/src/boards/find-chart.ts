/** The chart that words or a link mean. */

import type { Catalog } from "../api/catalog.ts";
import { LOADING } from "../chart-data.ts";
import { findCommands } from "../commands/find.ts";
import { UTC } from "../format/time.ts";
import { NO_HISTORY, Session } from "../session.ts";
import { formatAddress } from "../state/address.ts";
import { partOf } from "../state/board-in-link.ts";

/** Kinds of commands that show a chart. */
const SHOWN = ["Formulas", "Families", "Metrics", "Example charts"];

const draft = (catalog: Catalog, asset: string) =>
  new Session({ catalog, history: NO_HISTORY, zone: UTC, load: async () => LOADING }, `?a=${asset}`);

const commandsFor = (session: Session, words: string) =>
  findCommands(session.page, words, [])
    .groups.filter(({ title }) => SHOWN.includes(title))
    .flatMap(({ commands }) => commands);

/**
 * @param text words, or a link of the explorer
 * @returns the chart's own query; null if nothing is meant
 */
export function findChart(text: string, catalog: Catalog, asset: string): string | null {
  const [, search] = /^(?:https?:\/\/\S+)?(\?\S*\by=\S+)$/.exec(text.trim()) ?? [];
  if (search !== undefined) return partOf(search, "own");
  const session = draft(catalog, asset);
  const commands = commandsFor(session, text);
  const named = commands.find(({ title }) => title.toLowerCase() === text.trim().toLowerCase()) ?? commands[0];
  if (named === undefined) return null;
  named.run(session);
  return partOf(formatAddress(session.page.chart), "own");
}

/** The titles of all charts that words find. */
export function chartTitles(catalog: Catalog, asset: string): string[] {
  const session = draft(catalog, asset);
  const metrics = catalog.metrics.map(({ title }) => title);
  return [...new Set([...commandsFor(session, "").map(({ title }) => title), ...metrics])];
}
