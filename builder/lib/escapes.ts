/** Texts in the markup of the places where they are shown: no part of them is a mention, a link or a tag there. */

import { printable } from "./failure.ts";

/** Ends what a mention or a link begins, and is not seen. */
const BREAK = "\u200b";

const SLACK: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "@": `@${BREAK}` };

export const ESCAPES = {
  /** Control characters, which begin a terminal's escape sequences, are written out. */
  terminal: printable,
  /**
   * GitHub's, on one line or in a cell of a table. A backslash does not stop GitHub from reading mentions, numbers of issues
   * and addresses of pages.
   */
  markdown: (text: string) =>
    text
      .replaceAll(/\s+/g, " ")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(/[\\`*_~|[\]]/g, "\\$&")
      .replaceAll(/@|#(?=\d)|GH(?=-\d)|(?:https?|ftp)(?=:\/\/)|www(?=\.)/gi, `$&${BREAK}`),
  /** Also that of Mattermost, where `@all` needs no brackets. Source: https://docs.slack.dev/messaging/formatting-message-text */
  slack: (text: string) => text.replaceAll(/[&<>@]/g, (sign) => SLACK[sign]!),
  /** Source: https://docs.discord.com/developers/reference#message-formatting */
  discord: (text: string) =>
    text.replaceAll(/[\\`*_~|[\]]|<(?=[@#:/]|\w+:)|^[>#-]/gm, "\\$&").replaceAll("@", `@${BREAK}`),
  /** Without a parse mode: only names of users are read. */
  telegram: (text: string) => text.replaceAll("@", `@${BREAK}`),
} as const satisfies Record<string, (text: string) => string>;
