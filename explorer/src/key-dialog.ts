/** Asks for the API key. */

import { byId } from "./dom.ts";
import { forgetKey, isKey, storedKey, storeKey } from "./key.ts";

export class KeyDialog {
  readonly #dialog = byId<HTMLDialogElement>("key-dialog");
  readonly #input = byId<HTMLInputElement>("key-input");

  /** @param onChange after another key, or none, is in force */
  constructor(onChange: () => void) {
    byId("key").addEventListener("click", () => this.open());
    byId("key-cancel").addEventListener("click", () => this.close());
    byId("key-forget").addEventListener("click", () => {
      forgetKey();
      this.close();
      onChange();
    });
    byId("key-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const key = this.#input.value.trim();
      if (!isKey(key)) {
        byId("key-error").textContent = "That is no key: a key is a UUID, 32 hexadecimal digits in five groups.";
        this.#input.setAttribute("aria-invalid", "true");
        this.#input.focus();
        return;
      }
      storeKey(key);
      this.close();
      onChange();
    });
  }

  /** @param reason why there is need of a key, or of another one */
  open(reason = "Requests carry an API key."): void {
    byId("key-text").textContent = reason;
    byId("key-error").textContent = "";
    this.#input.removeAttribute("aria-invalid");
    this.#input.value = storedKey() ?? "";
    byId<HTMLButtonElement>("key-forget").hidden = storedKey() === null;
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#input.select();
  }

  close(): void {
    this.#dialog.close();
  }
}
