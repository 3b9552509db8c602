/** A button that reads a file which the user chooses. */

import { BadFile } from "../state/own-file.ts";

/** Bytes of a character in UTF-8, at most. */
const WIDEST = 4;

/**
 * @param longest characters: of a longer file, as many and one more are given, and it isn't read
 * @param read is called with the text; it may throw BadFile
 * @param tell is called with a sentence on what is wrong
 */
export function connectFileChooser(
  button: HTMLElement,
  input: HTMLInputElement,
  longest: number,
  read: (text: string) => void,
  tell: (text: string) => void,
): void {
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const [chosen] = input.files ?? [];
    if (!chosen) return;
    try {
      read(chosen.size > WIDEST * longest ? " ".repeat(longest + 1) : await chosen.text());
    } catch (error) {
      tell(error instanceof BadFile ? error.message : "The browser can't read this file.");
    }
    input.value = "";
  });
}
