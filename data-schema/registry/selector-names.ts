import { isLotSelector, methodOf } from "./lots.ts";

/** Names of selectors as pages and cards show them. Others are shown as they are, but for balance cohorts and lots. */
export const SELECTOR_NAMES: Readonly<Record<string, string>> = {
  total: "Total",
  users: "Users",
  sc: "Smart contracts",
  cex: "Exchanges",
  sth: "Short-term holders",
  lth: "Long-term holders",
  all: "All",
  other: "Other",
};

/** The name of a selector of lots, such as `FIFO` and `FIFO, Long-term holders`; undefined of any other. */
export function lotName(selector: string): string | undefined {
  if (!isLotSelector(selector)) return undefined;
  const method = methodOf(selector);
  const cohort = selector.slice(method.length + 1);
  return [method.toUpperCase(), ...(cohort === "" ? [] : [SELECTOR_NAMES[cohort] ?? cohort])].join(", ");
}
