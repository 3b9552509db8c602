import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { DEFAULT_PLAN, PLANS } from "../../data-schema/plans.ts";
import { createKey, formatKeys, listKeys, revokeKey, rotateKey } from "../store/api-keys.ts";
import { openLocalState } from "../store/local.ts";
import { openRemoteKeys } from "../store/remote.ts";
import type { KeyStore } from "../store/store.ts";
import { duration, type Globals, label, persistOption, timeToCome } from "./options.ts";

const TAKES_EFFECT = "typically within a minute no request with it is answered";

interface KeysPlace {
  persist: string;
  remote?: true;
}

export function addKeys(program: Command): void {
  const keys = program.command("keys").description("API keys; only their hashes are stored");

  /** A command on keys, here or on Cloudflare. */
  const keysCommand = (name: string) =>
    keys
      .command(name)
      .option(...persistOption)
      .addOption(
        new Option("--remote", "the keys on Cloudflare: needs CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN").conflicts(
          "persist",
        ),
      );

  keysCommand("create")
    .description("make a key and print it, alone, on stdout: it can't be shown again")
    .requiredOption("--name <name>", "whose key it is", label)
    .addOption(
      new Option("--plan <plan>", "how many requests a minute it has")
        .choices(PLANS.map(({ name }) => name))
        .default(DEFAULT_PLAN),
    )
    .option("--expires <time>", "ISO 8601 time at which it stops working", timeToCome)
    .action(async ({ name, plan, expires, ...place }) => {
      const { key, id } = await withKeys(place, (store) => createKey(store, { name, plan, expires }));
      if (!program.opts<Globals>().quiet) console.error(`Key ${id} for ${name}:`);
      console.log(key);
    });

  keysCommand("list")
    .description("list all keys by id")
    .action(async (place: KeysPlace) => {
      const { records, unreadable } = await withKeys(place, listKeys);
      console.log(formatKeys(records));
      for (const name of unreadable) {
        console.error(`The record ${name} cannot be read, and its key is refused: mend it in KV, or delete it there.`);
      }
    });

  keysCommand("revoke")
    .description("end a key")
    .argument("<id>", "id of the key, as list shows it")
    .action(async (id: string, place: KeysPlace) => {
      await withKeys(place, (store) => revokeKey(store, id));
      if (!program.opts<Globals>().quiet) console.error(`Key ${id} is revoked: ${TAKES_EFFECT}.`);
    });

  keysCommand("rotate")
    .description("replace a key by a new one of the same name, plan and expiry, and print that, alone, on stdout")
    .argument("<id>", "id of the key, as list shows it")
    .addOption(
      new Option("--grace <time>", "how long the old key works on, such as 30m, 24h or 7d")
        .argParser(duration)
        .default(0, "it is revoked"),
    )
    .action(async (id: string, { grace, ...place }: KeysPlace & { grace: number }) => {
      const made = await withKeys(place, (store) => rotateKey(store, id, grace));
      if (!program.opts<Globals>().quiet) {
        const end = grace === 0 ? `is revoked: ${TAKES_EFFECT}` : `works until ${made.oldEnds}`;
        console.error(`Key ${id} ${end}. Key ${made.id} replaces it:`);
      }
      console.log(made.key);
    });
}

async function withKeys<T>({ persist, remote }: KeysPlace, use: (keys: KeyStore) => Promise<T>): Promise<T> {
  if (remote) return use(await openRemoteKeys(process.env));
  const state = await openLocalState(resolve(persist));
  try {
    return await use(state.keys);
  } finally {
    await state.close();
  }
}
