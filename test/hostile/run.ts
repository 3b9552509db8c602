/**
 * `npm run hostile -- [--seed N] [--seconds S] [--only NAME] [--path PATH] [--without-twins]`: attacks Soprano, each attack
 * in a process of its own, and says what was tried and found. The last line counts the attacks.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Attack, carryOut, type Finding } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

const PROGRAM = fileURLToPath(import.meta.url);
/** The longest that an attack may go on after its time, before it counts as one that does not end. */
const GRACE_MS = 90_000;
/** What an attack needs after its time, as a rule. */
const CLOSING_SECONDS = 4;
/** Longer examples are cut; with `--path` they are shown as a whole. */
const EXAMPLE_CHARACTERS = 2_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    seconds: { type: "string", default: "240" },
    only: { type: "string" },
    path: { type: "string" },
    // In a run of CI, tests try what these attacks try.
    "without-twins": { type: "boolean", default: false },
  },
});
const { only, path } = values;
const [seed, seconds] = [Number(values.seed), Number(values.seconds)];

/** Each attack gets the same share of the time, as many at once as there are processors. */
async function attackAll(): Promise<void> {
  const wanted = ATTACKS.filter(({ twin }) => twin === undefined || !values["without-twins"]);
  const able = wanted.filter(({ lacks }) => lacks?.() === undefined);
  const lanes = Math.min(availableParallelism(), able.length);
  const share = Math.max(1, seconds / Math.ceil(able.length / lanes) - CLOSING_SECONDS);
  console.log(`Attacks with the seed ${seed}, ${Math.round(share)} s each.`);
  const waiting = [...able];
  const counts = { passed: 0, failed: 0, skipped: wanted.length - able.length };
  const lane = async () => {
    for (let attack = waiting.shift(); attack; attack = waiting.shift()) {
      counts[(await succeeds(attack, share)) ? "passed" : "failed"]++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (const { name, lacks } of wanted) if (lacks?.()) console.log(`Skipped: ${name}: it needs ${lacks()}`);
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

/** Each in a process group of its own, so that nothing that an attack started outlives it. */
const running = new Set<ChildProcess>();
const kill = ({ pid }: ChildProcess) => process.kill(-pid!, "SIGKILL");

async function succeeds({ name }: Attack, share: number): Promise<boolean> {
  const args = [PROGRAM, "--only", name, "--seed", String(seed), "--seconds", String(share)];
  const child = spawn(process.execPath, args, { stdio: "inherit", detached: true });
  running.add(child);
  const watch = setTimeout(
    () => {
      console.log(`Failed: ${name}: it did not end.`);
      kill(child);
    },
    share * 1000 + GRACE_MS,
  );
  const [status] = await once(child, "close");
  clearTimeout(watch);
  running.delete(child);
  return status === 0;
}

async function attackOnce(attack: Attack): Promise<void> {
  const { tried, findings } = await carryOut(attack, { seed, path, until: Date.now() + seconds * 1000 });
  console.log(`${attack.unit}: ${tried.toLocaleString("en")} tried, ${findings.length} wrong`);
  for (const finding of findings) console.log(describe(attack.name, finding));
  // Whatever an attack has left open must not keep the process alive.
  process.exit(findings.length > 0 ? 1 : 0);
}

function describe(name: string, { problem, example, ...found }: Finding): string {
  const isShort = path !== undefined || example.length <= EXAMPLE_CHARACTERS;
  const shown = isShort ? example : `${example.slice(0, EXAMPLE_CHARACTERS)} …`;
  const again = `npm run hostile -- --only ${name} --seed ${found.seed} --path ${found.path}`;
  return `Failed: ${name}: ${problem}\n  with ${shown}\n  again: ${again}`;
}

process.once("SIGINT", () => {
  running.forEach(kill);
  process.exit(130);
});
if (only === undefined) await attackAll();
else {
  const attack = ATTACKS.find(({ name }) => name === only);
  const names = ATTACKS.map(({ name }) => name).join(", ");
  if (!attack) throw new Error(`There is no attack ${only}; there are ${names}.`);
  await attackOnce(attack);
}
