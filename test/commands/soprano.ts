/** The command line, run in this process over real files and real HTTP. test/cli.slow.test.ts starts it as a process. */

import { Writable } from "node:stream";
import { keepThreads } from "../../builder/build/threads/thread-pool.ts";
import { run } from "../../builder/command-line.ts";

// Starting threads takes a third of the time of a small build.
keepThreads();

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `soprano` to its end. */
export function soprano(...args: string[]): Promise<Outcome> {
  return sopranoIn({}, ...args);
}

/** Runs `soprano` to its end, with these variables in its environment. */
export async function sopranoIn(variables: Record<string, string | undefined>, ...args: string[]): Promise<Outcome> {
  const [stdout, stderr] = [new Text(), new Text()];
  const status = await run(args, {
    stdout,
    stderr,
    env: { ...process.env, ...variables },
    // Nobody presses Ctrl+C.
    interrupted: () => new Promise(() => {}),
  });
  return { status, stdout: stdout.text, stderr: stderr.text };
}

export interface RunningServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts `soprano serve` on a free port and waits until it listens. */
export async function serve(persist: string): Promise<RunningServer & { stdout: string }> {
  const [stdout, stderr] = [new Text(), new Text()];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  const ended = run(["serve", "--port", "0", "--persist", persist], {
    stdout,
    stderr,
    env: process.env,
    interrupted() {
      listens();
      return stopped;
    },
  });
  const failed = ended.then(() => Promise.reject(new Error(`soprano serve ended: ${stderr.text}`)));
  await Promise.race([listening, failed]);
  const [url = ""] = stdout.text.match(/http:\/\/\S+/) ?? [];
  return {
    url,
    stdout: stdout.text,
    async stop() {
      stop();
      await ended;
    },
  };
}

class Text extends Writable {
  text = "";

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}
