/** How a firing is told: the body of a POST, for each kind of receiver. */

import { ESCAPES } from "../lib/escapes.ts";

/** A firing, with all that a receiver is told. */
export interface Message {
  rule: string;
  asset: string;
  /** ISO 8601, UTC: the start of the row's bucket, or the time of the transfer. */
  t: string;
  when: string;
  /** What rules of its kind tell beside that, by the names of its fields. */
  facts: Readonly<Record<string, unknown>>;
  /** The page of a transfer or holder in a block explorer; null without. */
  page: string | null;
  /** The build that the values are of. */
  build: string;
  /** A chart in the explorer; null without a site. */
  link: string | null;
}

type Write = (message: Message, sentence: string) => object;

/** With its links, a line each, unless the receiver would refuse so long a text. A sentence alone is always short enough. */
function withLinks(sentence: string, { page, link }: Message, most: number): string {
  const whole = [sentence, page, link].filter((line) => line !== null).join("\n");
  return whole.length > most ? sentence : whole;
}

export const FORMATS = {
  json: ({ facts, page: _, build, link, ...message }) => ({ ...message, ...facts, build, link }),
  slack: (message, sentence) => ({ text: withLinks(ESCAPES.slack(sentence), message, 40_000) }),
  // A name in a rule pings nobody.
  discord: (message, sentence) => ({
    content: withLinks(ESCAPES.discord(sentence), message, 2000),
    allowed_mentions: { parse: [] },
  }),
  telegram: (message, sentence) => ({ text: withLinks(ESCAPES.telegram(sentence), message, 4096) }),
} as const satisfies Record<string, Write>;
export type Format = keyof typeof FORMATS;
