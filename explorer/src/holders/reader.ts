/** What both pages of holders ask, and how they say that there is no answer. */

import type { Asset } from "../api/catalog.ts";
import { storedKey } from "../api/key.ts";
import { getJson } from "../api/load.ts";
import { asProblem } from "../api/problem.ts";
import type { KeyDialog } from "../panels/dialogs/key-dialog.ts";
import { fill, h, part } from "../panels/dom.ts";

/** What a page shows of its link, anew with each call. */
export type Show = () => Promise<void>;

export class Reader {
  readonly #keyDialog: KeyDialog;
  /** By path; failures are asked again. */
  readonly #answers = new Map<string, Promise<unknown>>();

  constructor(keyDialog: KeyDialog) {
    this.#keyDialog = keyDialog;
  }

  /** Drops what was answered to an earlier key. */
  clear(): void {
    this.#answers.clear();
  }

  async assets(): Promise<Asset[]> {
    return (await this.#kept("/v3/assets", () => getJson<{ assets: Asset[] }>("/v3/assets"))).assets;
  }

  /**
   * The answer of a path, which needs a key: the tab's or the public one.
   *
   * @throws {Problem} the service or the connection failed
   * @throws {MissingKey} there is neither
   */
  async ask<Answer>(path: string): Promise<Answer> {
    const { publicKey } = await this.#kept("/explorer.json", () =>
      getJson<{ publicKey: string | null }>("/explorer.json"),
    );
    const key = storedKey() ?? publicKey;
    if (key === null) throw new MissingKey();
    return this.#kept(path, () => getJson<Answer>(path, key));
  }

  /** Says in words why there is nothing to see, and offers to try again. */
  tell(root: HTMLElement, error: unknown, again: Show): void {
    if (error instanceof MissingKey) {
      this.#keyDialog.openForMissingKey();
      return;
    }
    const problem = asProblem(error);
    if (problem.isAboutKey) this.#keyDialog.open(problem.advice);
    const button = h("button", { type: "button", onclick: () => void again() }, "Try again");
    showSentence(root, `${problem.title}. ${problem.advice}`, button);
  }

  #kept<Answer>(path: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#answers.get(path) as Promise<Answer> | undefined;
    if (known !== undefined) return known;
    const asked = ask();
    this.#answers.set(path, asked);
    asked.catch(() => this.#answers.delete(path));
    return asked;
  }
}

class MissingKey extends Error {}

/** A sentence in place of the table, with what can be done; none without a text. */
export function showSentence(root: HTMLElement, text: string, ...actions: HTMLElement[]): void {
  const notice = part(root, "notice");
  fill(notice, text, ...actions.flatMap((action) => [" ", action]));
  notice.hidden = text === "";
}

/** What stands below a table. */
export const footnote = (path: string): (Node | string)[] => [
  h("a", { href: "/methodology#12-holders" }, "What the columns mean"),
  ". ",
  h("a", { href: "/docs" }, "The API"),
  " has the same: ",
  h("code", {}, `GET ${path}`),
];
