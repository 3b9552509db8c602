import { Console } from "node:console";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { DEFAULT_PLAN, PLANS } from "../../data-schema/access.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure } from "../lib/failure.ts";
import { counted } from "../lib/terminal/amount-text.ts";
import type { Environment } from "../store/cloudflare.ts";
import { formatUsage, MOST_DAYS, readUsage, unusualUsage, usageOf } from "../store/key-usage.ts";
import { openLocalState } from "../store/local/local.ts";
import { readLocalUsage } from "../store/local/usage-file.ts";
import { openRemoteKeys } from "../store/remote.ts";
import type { KeyStore } from "../store/store.ts";
import { createKey, exportKeys, formatKeys, importKeys, listKeys, revokeKey, rotateKey } from "../store/stored-keys.ts";
import { DEFAULT_PERSIST } from "../store/wrangler.ts";
import { jsonOption, printJson } from "./json-output.ts";
import { duration, futureTime, type Globals, type Io, label, persistOption, wholeNumber } from "./options.ts";

const TAKES_EFFECT = "requests with it are refused, typically within a minute";

interface Json {
  json?: true;
}

interface UsageFlags extends Json {
  days: number;
  key?: string;
  local?: string | true;
}

const PART_OF_ID = /^[0-9a-f]{1,7}$/i;

interface KeysPlace {
  persist: string;
  remote?: true;
}

export function addKeys(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  const keys = program.command("keys").description("manage API keys; only their hashes are stored");

  /** Adds a command on keys, local or on Cloudflare. */
  const keysCommand = (name: string) =>
    keys
      .command(name)
      .option(...persistOption)
      .addOption(
        new Option(
          "--remote",
          "use the keys on Cloudflare: needs CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN",
        ).conflicts("persist"),
      );

  keysCommand("create")
    .description("create a key and print it, alone, on stdout; it can't be shown again")
    .requiredOption("--name <name>", "who the key is for", label)
    .addOption(
      new Option("--plan <plan>", "plan that limits its requests per minute")
        .choices(PLANS.map(({ name }) => name))
        .default(DEFAULT_PLAN),
    )
    .option("--expires <time>", "ISO 8601 time at which it stops working", futureTime)
    .option(...jsonOption)
    .option("--public", "everyone may read it, as the explorer's: its plan limits each client address on its own")
    .action(async ({ name, plan, expires, public: isPublic, json, ...place }) => {
      const terms = { name, plan, expires, isPublic };
      const { key, id } = await withKeys(place, io.env, (store) => createKey(store, terms));
      if (json) return printJson(io, "keys create", { schema: 1, id, key });
      if (!program.opts<Globals>().quiet) error(`Key ${id} for ${name}:`);
      log(key);
    });

  keysCommand("list")
    .description("list all keys by id")
    .option(...jsonOption)
    .action(async ({ json, ...place }: KeysPlace & Json) => {
      const { records, unreadable } = await withKeys(place, io.env, listKeys);
      if (json) return printJson(io, "keys list", { schema: 1, keys: records, unreadable });
      log(ESCAPES.terminal(formatKeys(records)));
      for (const name of unreadable) {
        error(
          ESCAPES.terminal(
            `The record ${name} can't be read, so its key is refused: repair it in KV, or delete it there.`,
          ),
        );
      }
    });

  keys
    .command("usage")
    .description(
      "show each key's requests, points and bytes a day, as Cloudflare has counted them, which needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN, or soprano serve",
    )
    .addOption(new Option("--days <n>", "days, today included").argParser(wholeNumber(1, MOST_DAYS)).default(7))
    .option("--key <id>", "only this key, by its id as list shows it, or its first digits")
    .option("--local [dir]", `what soprano serve has counted in this state folder (default: ${DEFAULT_PERSIST})`)
    .option("--json", "print JSON instead of a table")
    .action(async ({ days, key, json, local }: UsageFlags) => {
      const persist = local === undefined ? undefined : resolve(local === true ? DEFAULT_PERSIST : local);
      // Only a whole id can be asked for.
      const asked = key === undefined || PART_OF_ID.test(key) ? null : key;
      const all = await (persist === undefined ? readUsage(days, asked, io.env) : readLocalUsage(persist, days));
      const usage = key === undefined ? all : usageOf(all, key);
      if (json) return log(JSON.stringify(usage, null, 2));
      const place = persist === undefined ? { persist: "", remote: true as const } : { persist };
      const { records } = await withKeys(place, io.env, listKeys);
      log(ESCAPES.terminal(formatUsage(usage, records)));
      for (const sentence of unusualUsage(usage, records)) error(ESCAPES.terminal(sentence));
      if (usage.length === 0) error("No requests with a key in this time.");
    });

  keysCommand("export")
    .description("print the records of all keys as JSON: their hashes, and no key")
    .action(async (place: KeysPlace) => {
      io.stdout.write((await withKeys(place, io.env, exportKeys)).text);
    });

  keysCommand("import")
    .description("add the keys that export has printed; those that are there stay as they are")
    .argument("<file>", "the file, or - for stdin")
    .action(async (file: string, place: KeysPlace) => {
      const given = await readText(file, io);
      const { added, kept } = await withKeys(place, io.env, (store) => importKeys(store, given));
      log(`${counted(added, "key")} added, ${kept} there already`);
    });

  keysCommand("revoke")
    .description("revoke a key")
    .argument("<id>", "id of the key, as list shows it, or its first digits")
    .option(...jsonOption)
    .action(async (given: string, { json, ...place }: KeysPlace & Json) => {
      const id = await withKeys(place, io.env, (store) => revokeKey(store, given));
      if (json) return printJson(io, "keys revoke", { schema: 1, id });
      if (!program.opts<Globals>().quiet) error(`Key ${id} is revoked: ${TAKES_EFFECT}.`);
    });

  keysCommand("rotate")
    .description("replace a key by a new one of the same name, plan and expiry, and print it, alone, on stdout")
    .argument("<id>", "id of the key, as list shows it, or its first digits")
    .option(...jsonOption)
    .addOption(
      new Option("--grace <time>", "how long the old key stays valid, such as 30m, 24h or 7d")
        .argParser(duration)
        .default(0, "none"),
    )
    .action(async (given: string, { grace, json, ...place }: KeysPlace & Json & { grace: number }) => {
      const made = await withKeys(place, io.env, (store) => rotateKey(store, given, grace));
      const { id: newId, key, oldId: id, oldEnds } = made;
      if (json) return printJson(io, "keys rotate", { schema: 1, id: newId, key, oldId: id, oldEnds });
      if (!program.opts<Globals>().quiet) {
        const end = grace === 0 ? `is revoked: ${TAKES_EFFECT}` : `works until ${made.oldEnds}`;
        error(`Key ${id} ${end}. Key ${made.id} replaces it:`);
      }
      log(made.key);
    });
}

/** @throws {Failure} the file can't be read */
async function readText(file: string, io: Io): Promise<string> {
  if (file === "-") return text(io.stdin ?? process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Failure(
      `${file} can't be read (${(error as NodeJS.ErrnoException).code}): name what keys export has printed.`,
    );
  }
}

/** Opens the keys of this machine, or those on Cloudflare. */
export async function withKeys<T>(
  { persist, remote }: KeysPlace,
  env: Environment,
  use: (keys: KeyStore) => Promise<T>,
): Promise<T> {
  if (remote) return use(await openRemoteKeys(env));
  const state = await openLocalState(resolve(persist));
  try {
    return await use(state.keys);
  } finally {
    await state.close();
  }
}
