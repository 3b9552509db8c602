/** The visible part of the chart as code. It contains the key only if the user asks for that. */

import type { Catalog } from "../../api/catalog.ts";
import { storedKey } from "../../api/key.ts";
import { isLanguage, KEY_PLACEHOLDER, LANGUAGES, type Language } from "../../api/snippets.ts";
import { readItem, writeItem } from "../../browser-storage.ts";
import type { Session } from "../../session.ts";
import type { ChartState } from "../../state/chart-state.ts";
import { afterPaint } from "../after-paint.ts";
import { copyText } from "../copy-text.ts";
import { announce, h, part } from "../dom.ts";

const STORAGE_ITEM = "soprano-language";

interface Shown {
  chart: ChartState;
  catalog: Catalog;
}

export class RequestPanel {
  readonly #root: HTMLElement;
  readonly #tabs: HTMLElement;
  readonly #withKey: HTMLInputElement;
  readonly #copyButton: HTMLButtonElement;
  readonly #code: HTMLElement;
  readonly #snippet: HTMLElement;
  #language: Language;
  #shown: Shown | null = null;
  /** Whether the code is that of what is shown, once this is settled. */
  #written: Promise<void> | null = null;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#tabs = part(root, "languages");
    this.#withKey = part<HTMLInputElement>(root, "with-key");
    this.#copyButton = part<HTMLButtonElement>(root, "copy");
    this.#code = part(root, "code");
    this.#snippet = part(root, "snippet");
    const stored = readItem(STORAGE_ITEM);
    this.#language = isLanguage(stored) ? stored : "curl";
    for (const [language, title] of Object.entries(LANGUAGES) as [Language, string][]) {
      const onclick = () => this.#choose(language);
      const id = `tab-${language}`;
      const tab = { type: "button", role: "tab", id, value: language, "aria-controls": "code", onclick };
      this.#tabs.append(h("button", tab, title));
    }
    this.#tabs.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const languages = Object.keys(LANGUAGES) as Language[];
      this.#choose(languages.at((languages.indexOf(this.#language) + step) % languages.length)!);
      this.#tabs.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
    });
    this.#withKey.addEventListener("change", () => this.render());
    this.#copyButton.addEventListener("click", () => this.#copy());
    this.render();
  }

  connect(session: Session): void {
    this.#copyButton.disabled = false;
    const show = afterPaint(({ chart, catalog }) => {
      this.#shown = { chart, catalog };
      this.render();
    });
    session.watch(["chart"], show);
  }

  render(): void {
    const isEmpty = this.#shown === null;
    for (const tab of this.#tabs.querySelectorAll("button")) {
      const isChosen = tab.value === this.#language;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      tab.disabled = isEmpty;
    }
    this.#code.setAttribute("aria-labelledby", `tab-${this.#language}`);
    this.#code.classList.toggle("wrapped", this.#language === "url" || this.#language === "curl");
    const key = storedKey();
    this.#withKey.disabled = key === null || isEmpty;
    if (key === null) this.#withKey.checked = false;
    this.#written = null;
    if (this.#root.hidden) this.#code.setAttribute("aria-busy", "false");
    else this.#write();
  }

  #write(): void {
    const key = this.#withKey.checked ? storedKey() : null;
    if (this.#shown) this.#written ??= this.#writeOf(this.#shown, this.#language, key ?? KEY_PLACEHOLDER);
  }

  /** Writing code takes a tenth of the page's script, which is loaded once somebody looks at the code or copies it. */
  async #writeOf(shown: Shown, language: Language, key: string): Promise<void> {
    this.#code.setAttribute("aria-busy", "true");
    const script = await import("../../state/chart-code.ts").catch(() => null);
    if (this.#shown !== shown || this.#language !== language) return;
    this.#code.setAttribute("aria-busy", "false");
    if (script === null) {
      this.#snippet.textContent = "The script that writes code can’t be loaded. Reload the page.";
      return;
    }
    this.#snippet.textContent = script.chartCode(language, shown.chart, shown.catalog, location.origin, key);
  }

  #choose(language: Language): void {
    this.#language = language;
    writeItem(STORAGE_ITEM, language);
    this.render();
  }

  async #copy(): Promise<void> {
    this.#write();
    await this.#written;
    if (await copyText(this.#snippet.textContent ?? "")) {
      this.#copyButton.textContent = "Copied";
      announce("Copied.");
    } else {
      getSelection()?.selectAllChildren(this.#snippet);
      announce("The browser blocked copying. The code is selected, so you can copy it yourself.");
    }
    setTimeout(() => {
      this.#copyButton.textContent = "Copy";
    }, 2000);
  }
}
