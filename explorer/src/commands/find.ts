/** Finds commands by words. */

import type { CatalogMetric } from "../api/catalog.ts";
import { corrected, correctionNote, likeness, nearestNote } from "../search/corrected.ts";
import { familiesOf, searchFamilies } from "../search/families.ts";
import { searchFormulas } from "../search/formulas.ts";
import { search } from "../search/search.ts";
import { namingWords, rankOf, wordsOf } from "../search/words.ts";
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

/** The action that answers whatever has no name. */
export const WRITE_FORMULA = "Write a formula";
/** What is offered where nothing was found. */
const NEAREST = 3;
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
  if (found.groups.length > 0 || wordsOf(words).length === 0) return found;
  const naming = findExactly(page, namingWords(words), actions);
  if (naming.groups.length > 0) return naming;
  const meant = corrected(words, page.catalog);
  const corrections = meant === null ? [] : findExactly(page, meant, actions).groups;
  if (corrections.length > 0) return { groups: corrections, note: correctionNote(words, meant!) };
  return { groups: nearestGroups(page, words, actions), note: nearestNote(words) };
}

/** The three subjects that are most alike the words, and what a formula would be. */
function nearestGroups(page: Page, words: string, actions: readonly Command[]): FoundGroup[] {
  const wanted = wordsOf(namingWords(words));
  const { catalog, chart } = page;
  const metrics = catalog.metrics.map((metric) => ({
    command: metricCommand({ metric, selector: null, rank: 0 }, page),
    texts: [metric.name, metric.title],
  }));
  const formulas = searchFormulas("", contextOf(chart, catalog)).map(({ formula }) => ({
    command: formulaCommand(formula),
    texts: [formula.name, formula.title],
  }));
  const views = viewCommands(page).map((command) => ({ command, texts: [command.title, ...command.words] }));
  const nearest = [...metrics, ...formulas, ...views]
    .map(({ command, texts }) => ({ command, likeness: likeness(wanted, texts) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, NEAREST)
    .map(({ command }) => command);
  const formula = actions.filter(({ title }) => title === WRITE_FORMULA);
  return [
    { title: "Nearest", commands: nearest },
    { title: "Actions", commands: formula },
  ].filter(({ commands }) => commands.length > 0);
}

function findExactly(page: Page, words: string, actions: readonly Command[]): { groups: FoundGroup[]; note: string } {
  const wanted = wordsOf(words);
  const others = [...viewCommands(page), ...cohortCommands(page), ...assetCommands(page), ...actions];
  const { matches, note } = wanted.length > 0 ? search(page.catalog, words, page.asset) : { matches: [], note: "" };
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
