/** Progress of reading an asset's files. */

import type { InputFile } from "./files.ts";

/** Adds up the bytes of a survey and of the reading after it. Every file counts twice: for its digest and for its rows. */
export class ReadProgress {
  #done = 0;
  #total = 0;
  readonly #report: (doneBytes: number, totalBytes: number) => void;

  constructor(report: (doneBytes: number, totalBytes: number) => void = () => {}) {
    this.#report = report;
  }

  begin(files: readonly InputFile[]): void {
    this.#total = 2 * files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  advance(bytes: number): void {
    this.#done += bytes;
    this.#report(this.#done, this.#total);
  }
}
