/** What shells complete, asked of real shells. */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../folders.ts";
import { soprano } from "./soprano.ts";

const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** [the words before, the word that is being written, what is offered] */
const CASES: [string[], string, string[]][] = [
  [["soprano"], "bui", ["build", "builds"]],
  [["soprano", "keys"], "ex", ["export"]],
  [["soprano", "keys", "create"], "--pl", ["--plan"]],
  [["soprano", "keys", "create", "--plan"], "", ["free", "standard", "unlimited"]],
  [["soprano", "verify", "ARIA"], "--no-r", ["--no-restatement"]],
  [["soprano", "-q", "rollback", "ARIA"], "--dr", ["--dry-run"]],
  [["soprano", "completion"], "--h", ["--help"]],
  [["soprano", "build"], "ARIA", []],
  [["soprano", "build", "--work"], "", []],
];

describe.runIf(has("bash"))("bash", () => {
  it("completes commands, options and the values that an option may have, and leaves files to itself", async () => {
    const { status, stdout } = await soprano("completion", "bash");
    expect(status).toBe(0);
    const file = join(scratchFolder(), "soprano.bash");
    writeFileSync(file, stdout);
    const ask = CASES.map(([words, word]) => {
      const all = [...words, word].map((one) => `'${one}'`).join(" ");
      return `COMP_WORDS=(${all}); COMP_CWORD=${words.length}; COMPREPLY=(); _soprano; echo "\${COMPREPLY[*]}"`;
    });
    const { stdout: answers, stderr } = spawnSync("bash", ["--norc", "-c", `set -u; . ${file}; ${ask.join("; ")}`], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(answers.trimEnd().split("\n").concat("", "").slice(0, CASES.length)).toEqual(
      CASES.map(([, , offered]) => offered.join(" ")),
    );
  });
});

describe.each(["zsh", "fish"])("%s", (shell) => {
  it.runIf(has(shell))("can read its script", async () => {
    const { stdout } = await soprano("completion", shell);
    const { status, stderr } = spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("is told every command with its options", async () => {
    const { stdout } = await soprano("completion", shell);
    for (const name of ["build", "keys", "rollback", "unlimited"]) expect(stdout).toContain(name);
    expect(stdout).toMatch(/--?(l )?grace/);
  });
});

it("knows no other shell", async () => {
  expect(await soprano("completion", "tcsh")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("bash, zsh, fish"),
  });
});
