/**
 * `npm run hostile -- [--seed N] [--seconds S] [--only NAME] [--path PATH]`: attacks Soprano, each attack in a process of
 * its own, and says what was tried and found. The last line counts the attacks.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Attack, carryOut, type Finding } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

const PROGRAM = fileURLToPath(import.meta.url);
/** The longest that an attack may take after its time: to end its last case, and to close what it opened. */
const GRACE_MS = 90_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    seconds: { type: "string", default: "240" },
    only: { type: "string" },
    path: { type: "string" },
  },
});
const seed = Number(values.seed);
const seconds = Number(values.seconds);

if (values.only === undefined) await attackAll(ATTACKS);
else {
  const attack = ATTACKS.find(({ name }) => name === values.only);
  if (!attack)
    throw new Error(`There is no attack ${values.only}; there are ${ATTACKS.map(({ name }) => name).join(", ")}.`);
  await attackOnce(attack);
}

/** Each attack gets the same share of the time, as many at once as there are processors. */
async function attackAll(attacks: readonly Attack[]): Promise<void> {
  const able = attacks.filter(({ lacks }) => lacks?.() === undefined);
  const lanes = Math.min(availableParallelism(), able.length);
  const share = seconds / Math.ceil(able.length / lanes);
  console.log(`Attacks with the seed ${seed}, ${Math.round(share)} s each.`);
  const waiting = [...able];
  const counts = { passed: 0, failed: 0, skipped: attacks.length - able.length };
  const lane = async () => {
    for (let attack = waiting.shift(); attack; attack = waiting.shift()) {
      counts[(await succeeds(attack, share)) ? "passed" : "failed"]++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (const { name, lacks } of attacks) if (lacks?.()) console.log(`Skipped: ${name}: ${lacks()}`);
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

async function succeeds({ name }: Attack, share: number): Promise<boolean> {
  const args = [PROGRAM, "--only", name, "--seed", String(seed), "--seconds", String(share)];
  // A group of its own, so that nothing that it started outlives it.
  const child = spawn(process.execPath, args, { stdio: "inherit", detached: true });
  const watch = setTimeout(
    () => {
      console.log(`Failed: ${name}: it did not end.`);
      process.kill(-child.pid!, "SIGKILL");
    },
    share * 1000 + GRACE_MS,
  );
  const [status] = await once(child, "close");
  clearTimeout(watch);
  return status === 0;
}

async function attackOnce(attack: Attack): Promise<void> {
  const { name, unit } = attack;
  const until = Date.now() + seconds * 1000;
  const { tried, findings } = await carryOut(attack, { seed, path: values.path, until });
  console.log(`${unit}: ${tried.toLocaleString("en")} tried, ${findings.length} wrong`);
  for (const finding of findings) console.log(describe(name, finding));
  if (tried === 0 && findings.length === 0) console.log(`Failed: ${name}: there was no time to try anything.`);
  // Not `exitCode`: whatever an attack has left open must not keep the process alive.
  process.exit(tried > 0 && findings.length === 0 ? 0 : 1);
}

/** Longer examples are cut: `--path` shows them again. */
const EXAMPLE_CHARACTERS = 2_000;

function describe(name: string, { problem, example, seed, path }: Finding): string {
  const shown = example.length > EXAMPLE_CHARACTERS ? `${example.slice(0, EXAMPLE_CHARACTERS)} …` : example;
  const again = `npm run hostile -- --only ${name} --seed ${seed} --path ${path}`;
  return `Failed: ${name}: ${problem}\n  with ${shown}\n  again: ${again}`;
}
