/** What the command palette offers. */

import type { Session } from "../session.ts";

/** The groups in the order in which they are shown where they match equally well. */
export const COMMAND_GROUPS = [
  "Formulas",
  "Families",
  "Metrics",
  "Saved charts",
  "Example charts",
  "Assets",
  "Actions",
  "Cohorts",
] as const;

export interface Command {
  group: (typeof COMMAND_GROUPS)[number];
  title: string;
  /** What kind of thing it is, in a word or two: a unit, a family of cohorts. */
  detail: string;
  /** Other texts that find it, the most important first. */
  words: string[];
  run(session: Session): void;
  /** Adds it to the active pane, instead of replacing what that shows. */
  add?(session: Session): void;
  /** Shows it in a pane of its own. */
  below?(session: Session): void;
}
