/** Progress of long work on stderr: a bar on a terminal, plain lines elsewhere, nothing when quiet. */

import { SingleBar } from "cli-progress";

export interface Progress {
  /** Begins a step of `total` units, and ends the step before. */
  step(title: string, total?: number): void;
  /** So many units of the step are done in all; of a new total, when that is known only now. */
  update(done: number, total?: number): void;
  /** What goes on beside the step, such as objects put: shown behind the bar. */
  detail(text: string): void;
  /** A line for the user, above the bar. */
  note(line: string): void;
  /** Ends the last step. */
  end(): void;
}

/** Steps of a build as they begin and end: shown as progress, and timed. */
export class StepClock {
  /** Seconds per step, by title. */
  readonly seconds: Record<string, number> = {};
  readonly #progress: Progress;
  #title: string | undefined;
  #began = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  begin(title: string, total?: number): void {
    this.#stop();
    this.#title = title;
    this.#began = performance.now();
    this.#progress.step(title, total);
  }

  end(): void {
    this.#stop();
    this.#progress.end();
  }

  #stop(): void {
    if (this.#title === undefined) return;
    this.seconds[this.#title] = (performance.now() - this.#began) / 1000;
    this.#title = undefined;
  }
}

export function silentProgress(): Progress {
  return { step() {}, update() {}, detail() {}, note() {}, end() {} };
}

/** How often a log gets a line of details. */
const DETAIL_MS = 20_000;

/** Plain lines: one a step, for logs and pipes, and a detail now and then. */
function plainProgress(stream: NodeJS.WritableStream): Progress {
  let told = performance.now();
  return {
    step: (title) => stream.write(`${title}…\n`),
    update() {},
    detail(text) {
      if (performance.now() - told < DETAIL_MS) return;
      told = performance.now();
      stream.write(`  ${text}\n`);
    },
    note: (line) => stream.write(`${line}\n`),
    end() {},
  };
}

function barProgress(stream: NodeJS.WritableStream): Progress {
  let bar: SingleBar | undefined;
  const end = () => {
    bar?.stop();
    bar = undefined;
  };
  return {
    step(title, total = 1) {
      end();
      const format = `${title} {bar} {percentage}% · {eta_formatted} {detail}`;
      // Cursor and line wrapping stay as they are: Ctrl+C ends the process wherever it is, with nothing to give back.
      bar = new SingleBar({ format, stream, clearOnComplete: true, hideCursor: false, linewrap: true, etaBuffer: 50 });
      bar.start(total, 0, { detail: "" });
    },
    update(done, total) {
      if (total !== undefined) bar?.setTotal(total);
      bar?.update(done);
    },
    detail: (text) => bar?.update({ detail: `· ${text}` }),
    note(line) {
      // The bar draws over its own line: clear that before the note takes it.
      if (bar) stream.write("\r\u001b[2K");
      stream.write(`${line}\n`);
    },
    end,
  };
}

/** The kind of progress that suits where stderr goes. */
export function progressFor(stream: NodeJS.WritableStream & { isTTY?: boolean }, quiet: boolean): Progress {
  if (quiet) return silentProgress();
  return stream.isTTY ? barProgress(stream) : plainProgress(stream);
}
