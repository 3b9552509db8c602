/** Commands in messages, as the reader can copy them: with the options by which the reader's own command says where things are. */

import { AsyncLocalStorage } from "node:async_hooks";

/** Commands about what is published, on this machine or on Cloudflare. */
const OF_PUBLISHED = [
  "build",
  "deposits",
  "verify",
  "builds",
  "rollback",
  "gc",
  "remove",
  "status",
  "alerts",
  "deal",
  "stage",
  "export",
  "backup",
  "restore",
] as const;

/** Options that say where things are, the commands that take them, and what stands for a value that may hold a key. */
export const PLACES = {
  store: { of: ["fetch", "prices", ...OF_PUBLISHED] },
  persist: {
    of: [...OF_PUBLISHED, "keys", "serve"],
  },
  work: { of: ["build", "deposits", "stage"] },
  remote: { of: ["keys"] },
  rpc: { of: ["init", "fetch"], secret: "URL" },
} as const satisfies Record<string, { of: readonly string[]; secret?: string }>;

type PlaceOption = keyof typeof PLACES;

/** The reader's command, and those of its options that say where things are, as they were given. */
export interface GivenCommand extends Partial<Record<PlaceOption, unknown>> {
  command?: string;
}

/** The part of a parsed command, as commander has it, that tells. */
interface Parsed {
  parent: Parsed | null;
  name(): string;
  opts(): Record<string, unknown>;
  getOptionValueSource(name: string): string | undefined;
}

/** What a command line says of where things are. */
export function givenIn(parsed: Parsed): GivenCommand {
  let command = parsed;
  while (command.parent?.parent) command = command.parent;
  const options = parsed.opts();
  const named = Object.keys(PLACES).filter((option) => parsed.getOptionValueSource(option) === "cli");
  return { command: command.name(), ...Object.fromEntries(named.map((option) => [option, options[option]])) };
}

/** What messages call an asset file whose path they can't know. */
const SOME_ASSET = "ASSET.json";

/** A command line of Soprano for whoever gave another one. Pure. */
export function commandLine(given: GivenCommand, name: string, ...words: string[]): string {
  const places = (Object.keys(PLACES) as PlaceOption[]).flatMap((option) => {
    const { of, secret }: { of: readonly string[]; secret?: string } = PLACES[option];
    const value = given[option];
    if (value === undefined || !of.includes(name) || words.includes(`--${option}`)) return [];
    return [`--${option}`, ...(value === true ? [] : [secret ?? String(value)])];
  });
  return ["soprano", name, ...words, ...places].map(quoted).join(" ");
}

const quoted = (word: string) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const reader = new AsyncLocalStorage<GivenCommand>();

/** Runs a command whose messages are for whoever gave it. @param given may be filled in while it runs */
export const advising = <T>(given: GivenCommand, run: () => T): T => reader.run(given, run);

/** What the reader gave, for threads: they don't know it. */
export const givenNow = (): GivenCommand => reader.getStore() ?? {};

/** A command line that the reader can copy. */
export const command = (name: string, ...words: string[]): string => commandLine(givenNow(), name, ...words);

/** A command line in backquotes, as a part of a sentence. */
export const advised = (name: string, ...words: string[]): string => `\`${command(name, ...words)}\``;

const isStaged = () => givenNow().command === "stage";

/** The command that builds an asset, which in a build spread over machines begins with a plan. */
export function advisedBuild(path = SOME_ASSET, ...flags: string[]): string {
  return isStaged() ? advised("stage", "plan", path, ...flags) : advised("build", path, ...flags);
}

/** An option that decides what a build does: tasks of other machines get it from the plan. */
export const planned = (option: string): string => (isStaged() ? `${option} of soprano stage plan` : option);

/** The command that fetches an asset. A build of a local store does not know whether a bucket keeps the inputs. */
export function advisedFetch(path: string, ...flags: string[]): string {
  const { command, store } = givenNow();
  const isUnsure = command !== "fetch" && store === undefined;
  return `${advised("fetch", path, ...flags)}${isUnsure ? " (with --store if a bucket keeps the inputs)" : ""}`;
}
