/** `npx soprano` for scripts, without a process for each command, which takes a second to start: the test's process runs it. */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isAbsolute, join } from "node:path";
import { json } from "node:stream/consumers";
import * as v from "valibot";
import { type Outcome, sopranoIn } from "../../commands/soprano.ts";

export class Desk {
  /** Where commands and scripts run. */
  readonly folder: string;
  readonly variables: Record<string, string | undefined> = {};
  readonly #server = createServer(async (request, response) => {
    const args = v.parse(v.array(v.string()), await json(request));
    response.end(JSON.stringify(await this.soprano(...args)));
  });

  constructor(folder: string) {
    this.folder = folder;
  }

  async open(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    mkdirSync(join(this.folder, "bin"), { recursive: true });
    writeFileSync(
      join(this.folder, "bin", "npx"),
      `#!/usr/bin/env bash
shift
answer=$(jq -cn '$ARGS.positional' --args -- "$@" | curl --silent --data-binary @- ${url}) || exit 1
jq -j .stdout <<< "$answer"
jq -j .stderr <<< "$answer" >&2
exit "$(jq .status <<< "$answer")"
`,
      { mode: 0o755 },
    );
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Runs a command, whose files lie here. */
  soprano(...args: string[]): Promise<Outcome> {
    const isFile = (word: string) => /^[\w./-]+\.json$/.test(word) && !isAbsolute(word);
    return sopranoIn(this.variables, ...args.map((word) => (isFile(word) ? join(this.folder, word) : word)));
  }

  /** Runs a script of bash to its end. */
  script(code: string): Promise<Outcome> {
    const env = { PATH: `${join(this.folder, "bin")}:${process.env.PATH}` };
    return new Promise((resolve) => {
      execFile("bash", ["-c", code], { cwd: this.folder, env }, (error, stdout, stderr) => {
        resolve({ status: error ? Number(error.code) : 0, stdout, stderr });
      });
    });
  }
}
