/** Finds commands by words. */

import type { CatalogMetric } from "../api/catalog.ts";
import { corrected, correctionNote } from "../search/corrected.ts";
import { familiesOf, searchFamilies } from "../search/families.ts";
import { searchFormulas } from "../search/formulas.ts";
import { search } from "../search/search.ts";
import { rankOf, wordsOf } from "../search/words.ts";
import type { Page } from "../session.ts";
import { contextOf } from "../state/chart-state.ts";
import { COMMAND_GROUPS, type Command } from "./command.ts";
import {
  assetCommands,
  cohortCommands,
  familyCommand,
  formulaCommand,
  metricCommand,
  viewCommands,
} from "./subjects.ts";

/** Commands of a group that are shown. */
const MAX_SHOWN = 40;

export interface FoundGroup {
  title: string;
  commands: Command[];
}

/**
 * @param words without any, everything is found but metrics, which have a list of their own; families are those of the
 * metrics that the active pane shows
 * @param actions what is offered beside formulas, metrics, example charts, cohorts and assets
 * @returns groups with what matches best first, or what the nearest words match; and a note that explains these, or a term
 *   which isn't a metric
 */
export function findCommands(
  page: Page,
  words: string,
  actions: readonly Command[],
): { groups: FoundGroup[]; note: string } {
  const found = findExactly(page, words, actions);
  const meant = found.groups.length > 0 ? null : corrected(words, page.catalog);
  if (meant === null) return found;
  return { groups: findExactly(page, meant, actions).groups, note: correctionNote(words, meant) };
}

function findExactly(page: Page, words: string, actions: readonly Command[]): { groups: FoundGroup[]; note: string } {
  const wanted = wordsOf(words);
  const others = [...viewCommands(page), ...cohortCommands(page), ...assetCommands(page), ...actions];
  const { matches, note } = wanted.length > 0 ? search(page.catalog, words) : { matches: [], note: "" };
  const formulas = searchFormulas(words, contextOf(page.chart, page.catalog));
  const context = contextOf(page.chart, page.catalog);
  const families = wanted.length > 0 ? searchFamilies(context, words) : familiesOf(shownMetrics(page), context.asset);
  const ranked = [
    ...families.map((family) => ({ command: familyCommand(family), rank: family.rank })),
    ...formulas.map(({ formula, rank }) => ({ command: formulaCommand(formula), rank })),
    ...matches.map((match) => ({ command: metricCommand(match, page), rank: match.rank })),
    ...others.map((command) => ({ command, rank: rankOf(wanted, [command.title, ...command.words]) })),
  ]
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank);
  const best = new Map(
    COMMAND_GROUPS.map((group) => [group, ranked.find(({ command }) => command.group === group)?.rank]),
  );
  const groups = COMMAND_GROUPS.filter((group) => best.get(group) !== undefined)
    .toSorted((a, b) => best.get(a)! - best.get(b)!)
    .map((title) => ({
      title,
      commands: ranked.flatMap(({ command }) => (command.group === title ? command : [])).slice(0, MAX_SHOWN),
    }));
  return { groups, note };
}

const shownMetrics = ({ traces, activePane }: Page): CatalogMetric[] => [
  ...new Set(traces.flatMap(({ pane, line, metrics }) => (pane === activePane && line !== null ? metrics : []))),
];
