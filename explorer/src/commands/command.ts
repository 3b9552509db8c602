/** What the command palette offers. */

import type { Session } from "../session.ts";

/** In the order in which they are shown where they match equally well. */
export const GROUPS = ["Formulas", "Metrics", "Example charts", "Assets", "Actions", "Cohorts"] as const;

export interface Command {
  group: (typeof GROUPS)[number];
  title: string;
  /** What kind of thing it is, in a word or two: a unit, a family of cohorts. */
  detail: string;
  /** Other texts that find it, the most important first. */
  words: string[];
  run(session: Session): void;
  /** Adds it to the chart that is shown, instead of replacing that. */
  add?(session: Session): void;
}
