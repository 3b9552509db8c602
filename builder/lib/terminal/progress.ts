/** Progress on stderr: a bar on a terminal, plain lines elsewhere, nothing with `--quiet`. */

import { SingleBar } from "cli-progress";
import { ESCAPES } from "../escapes.ts";

export interface Progress {
  /** Begins a step of `total` units, and ends the previous one. */
  step(title: string, total?: number): void;
  /** Units of the step that are done in all; and its total, if that wasn't known before. */
  update(done: number, total?: number): void;
  /** What happens beside the step, such as uploads; shown behind the bar. */
  detail(text: string): void;
  /** A line for the user, above the bar. */
  note(line: string): void;
  /** Ends the last step. */
  end(): void;
}

/** Shows the steps of a build as progress, and times them. */
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
    // A build that can't resume after all takes its steps once more.
    this.seconds[this.#title] = (this.seconds[this.#title] ?? 0) + (performance.now() - this.#began) / 1000;
    this.#title = undefined;
  }
}

export function silentProgress(): Progress {
  return { step() {}, update() {}, detail() {}, note() {}, end() {} };
}

/** How often a log gets a line of detail. */
const DETAIL_MS = 20_000;

/** Plain lines for logs and pipes: one a step, and some details. */
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
    note: (line) => stream.write(`${ESCAPES.terminal(line)}\n`),
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
      // Changes neither the cursor nor line wrapping: after Ctrl+C there would be nothing to restore them.
      bar = new SingleBar({ format, stream, clearOnComplete: true, hideCursor: false, linewrap: true, etaBuffer: 50 });
      bar.start(total, 0, { detail: "" });
    },
    update(done, total) {
      if (total !== undefined) bar?.setTotal(total);
      bar?.update(done);
    },
    detail: (text) => bar?.update({ detail: `· ${text}` }),
    note(line) {
      // The note takes the bar's line.
      if (bar) stream.write("\r\u001b[2K");
      stream.write(`${ESCAPES.terminal(line)}\n`);
    },
    end,
  };
}

/** The kind of progress that suits where stderr goes. */
export function progressFor(stream: NodeJS.WritableStream & { isTTY?: boolean }, quiet: boolean): Progress {
  if (quiet) return silentProgress();
  return stream.isTTY ? barProgress(stream) : plainProgress(stream);
}
