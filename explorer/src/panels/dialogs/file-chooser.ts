/** A button that reads a file which the user chooses. */

import { BadFile, type OwnForm } from "../../state/own-file.ts";

/** Bytes of a character in UTF-8, at most. */
const WIDEST = 4;

/**
 * @param form of the files; one that is too large isn't read
 * @param read is called with the text; it may throw BadFile
 * @param tell is called with a sentence on what is wrong
 */
export function connectFileChooser(
  button: HTMLElement,
  input: HTMLInputElement,
  { longest, tooLarge }: OwnForm,
  read: (text: string) => void,
  tell: (text: string) => void,
): void {
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const [chosen] = input.files ?? [];
    if (!chosen) return;
    try {
      if (chosen.size > WIDEST * longest) throw new BadFile(tooLarge);
      read(await chosen.text());
    } catch (error) {
      tell(error instanceof BadFile ? error.message : "The browser can't read this file.");
    }
    input.value = "";
  });
}
