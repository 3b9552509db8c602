/** Progress of reading an asset's files. */

import type { InputFile } from "./files.ts";

/** In bytes. Every file counts twice: first for its digest, then for its rows. */
export interface ProgressEvent {
  step: "digest" | "read";
  file: string;
  done: number;
  total: number;
}

/** Adds up the bytes of a survey and of the reading after it. */
export class ReadProgress {
  #done = 0;
  #total = 0;
  readonly #report: (event: ProgressEvent) => void;

  constructor(report: (event: ProgressEvent) => void = () => {}) {
    this.#report = report;
  }

  begin(files: readonly InputFile[]): void {
    this.#total = 2 * files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  advance(step: ProgressEvent["step"], file: InputFile, bytes: number): void {
    this.#done += bytes;
    this.#report({ step, file: file.name, done: this.#done, total: this.#total });
  }
}
