/** How a firing is told: the body of a POST, for each kind of receiver. */

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

const withLink = (sentence: string, { link }: Message) => (link === null ? sentence : `${sentence}\n${link}`);

/** Slack reads these three as markup. */
const slackText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const FORMATS = {
  json: (message) => message,
  slack: (message, sentence) => ({ text: withLink(slackText(sentence), message) }),
  // A name in a rule pings nobody.
  discord: (message, sentence) => ({ content: withLink(sentence, message), allowed_mentions: { parse: [] } }),
  telegram: (message, sentence) => ({ text: withLink(sentence, message) }),
} as const satisfies Record<string, Write>;
export type Format = keyof typeof FORMATS;
