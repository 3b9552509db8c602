/** Progress of a survey of an asset's files. */

/** Adds up bytes: those of files that the survey reads count twice, for their digests and for their rows. */
export class SurveyProgress {
  #done = 0;
  #total = 0;
  readonly #report: (doneBytes: number, totalBytes: number) => void;

  constructor(report: (doneBytes: number, totalBytes: number) => void = () => {}) {
    this.#report = report;
  }

  begin(totalBytes: number): void {
    this.#total = totalBytes;
  }

  advance(bytes: number): void {
    this.#done += bytes;
    this.#report(this.#done, this.#total);
  }
}
