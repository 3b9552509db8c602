/** The chart's requests, ready to copy. A key is in them only where the person asked for it. */

import { byId, fill, h } from "./dom.ts";
import { isLanguage, KEY_PLACEHOLDER, LANGUAGES, type Language, type NamedRequest, snippet } from "./snippets.ts";

const STORED = "soprano-language";

export class RequestPanel {
  readonly #tabs = byId("languages");
  readonly #withKey = byId<HTMLInputElement>("with-key");
  readonly #key: () => string | null;
  readonly #say: (text: string) => void;
  #language: Language;
  #requests: NamedRequest[] = [];

  /** @param key the key to put in, when asked to */
  constructor(key: () => string | null, say: (text: string) => void) {
    this.#key = key;
    this.#say = say;
    const stored = localStorage.getItem(STORED);
    this.#language = isLanguage(stored) ? stored : "curl";
    fill(
      this.#tabs,
      ...(Object.entries(LANGUAGES) as [Language, string][]).map(([language, title]) =>
        h(
          "button",
          {
            type: "button",
            role: "tab",
            id: `tab-${language}`,
            value: language,
            "aria-controls": "code",
            onclick: () => this.#choose(language),
          },
          title,
        ),
      ),
    );
    this.#tabs.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const languages = Object.keys(LANGUAGES) as Language[];
      this.#choose(languages.at((languages.indexOf(this.#language) + step) % languages.length)!);
      this.#tabs.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
    });
    this.#withKey.addEventListener("change", () => this.#render());
    byId("copy").addEventListener("click", () => this.#copy());
    this.#render();
  }

  render(requests: NamedRequest[]): void {
    this.#requests = requests;
    this.#render();
  }

  #choose(language: Language): void {
    this.#language = language;
    localStorage.setItem(STORED, language);
    this.#render();
  }

  #render(): void {
    const isEmpty = this.#requests.length === 0;
    for (const tab of this.#tabs.querySelectorAll("button")) {
      const isChosen = tab.value === this.#language;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      tab.disabled = isEmpty;
    }
    byId("code").setAttribute("aria-labelledby", `tab-${this.#language}`);
    byId("code").classList.toggle("wrapped", this.#language === "url" || this.#language === "curl");
    const key = this.#key();
    this.#withKey.disabled = key === null || isEmpty;
    if (key === null) this.#withKey.checked = false;
    const shown = this.#withKey.checked && key !== null ? key : KEY_PLACEHOLDER;
    if (!isEmpty) byId("snippet").textContent = snippet(this.#language, this.#requests, location.origin, shown);
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(byId("snippet").textContent ?? "");
      byId("copy").textContent = "Copied";
      this.#say("Copied.");
    } catch {
      getSelection()?.selectAllChildren(byId("snippet"));
      this.#say("The browser does not let this page copy: it is selected, copy it by hand.");
    }
    setTimeout(() => {
      byId("copy").textContent = "Copy";
    }, 2000);
  }
}
