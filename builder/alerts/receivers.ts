/** How a firing is told: the body of a POST, for each kind of receiver. */

import { ESCAPES } from "../lib/escapes.ts";

/** A firing, with all that a receiver is told. */
export interface Message {
  rule: string;
  asset: string;
  /** ISO 8601, UTC: the start of the row's bucket. */
  t: string;
  when: string;
  left: number;
  right: number;
  /** The build that the values are of. */
  build: string;
  /** A chart in the explorer; null without a site. */
  link: string | null;
}

type Write = (message: Message, sentence: string) => object;

/** With the link to a chart, unless the receiver would refuse so long a text. A sentence alone is always short enough. */
function withLink(sentence: string, { link }: Message, most: number): string {
  const whole = `${sentence}\n${link}`;
  return link === null || whole.length > most ? sentence : whole;
}

export const FORMATS = {
  json: (message) => message,
  slack: (message, sentence) => ({ text: withLink(ESCAPES.slack(sentence), message, 40_000) }),
  // A name in a rule pings nobody.
  discord: (message, sentence) => ({
    content: withLink(ESCAPES.discord(sentence), message, 2000),
    allowed_mentions: { parse: [] },
  }),
  telegram: (message, sentence) => ({ text: withLink(ESCAPES.telegram(sentence), message, 4096) }),
} as const satisfies Record<string, Write>;
export type Format = keyof typeof FORMATS;
