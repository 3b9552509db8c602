/** The dialog that asks for the API key. It also takes keys from links. */

import { forgetKey, isKey, storedKey, storeKey, takeKeyFromAddress } from "../../api/key.ts";
import { part } from "../dom.ts";

export class KeyDialog {
  readonly #dialog: HTMLDialogElement;
  readonly #input: HTMLInputElement;
  readonly #linkKey = takeKeyFromAddress();
  /** Runs after the user has entered or removed a key. */
  onChange: () => void = () => {};

  constructor(dialog: HTMLDialogElement, opener: HTMLElement) {
    this.#dialog = dialog;
    this.#input = part<HTMLInputElement>(dialog, "input");
    opener.addEventListener("click", () => this.open("The page sends this key with each request for data."));
    part(dialog, "cancel").addEventListener("click", () => this.#dialog.close());
    part(dialog, "forget").addEventListener("click", () => {
      forgetKey();
      this.#dialog.close();
      this.onChange();
    });
    part(dialog, "form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit(this.#input.value.trim());
    });
    // A link with a key may be opened in a page that is already open.
    addEventListener("popstate", () => {
      if (takeKeyFromAddress() === "valid") this.#dialog.close();
    });
  }

  /** @param reason why a key, or a different one, is needed */
  open(reason: string): void {
    part(this.#dialog, "text").textContent = reason;
    part(this.#dialog, "error").textContent = "";
    this.#input.removeAttribute("aria-invalid");
    this.#input.value = storedKey() ?? "";
    part<HTMLButtonElement>(this.#dialog, "forget").hidden = storedKey() === null;
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#input.select();
  }

  openForMissingKey(): void {
    this.open(
      this.#linkKey === "invalid"
        ? "The key in this link isn't valid. A key is a UUID. Enter yours here."
        : "This Soprano has no public key. Enter your own.",
    );
  }

  #submit(key: string): void {
    if (!isKey(key)) {
      part(this.#dialog, "error").textContent =
        "This key isn't valid. A key is a UUID: 32 hexadecimal digits in five groups.";
      this.#input.setAttribute("aria-invalid", "true");
      this.#input.focus();
      return;
    }
    storeKey(key);
    this.#dialog.close();
    this.onChange();
  }
}
