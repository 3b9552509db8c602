import { Console } from "node:console";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { CURRENT_PREFIX } from "../../data-schema/stored.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure } from "../lib/failure.ts";
import { counted, megabytes } from "../lib/terminal/amount-text.ts";
import { type Progress, progressFor } from "../lib/terminal/progress.ts";
import { publishedSymbols } from "../published/builds/stored-builds.ts";
import { formatVerification, verify } from "../published/verify/verify.ts";
import { backUp, restore } from "../store/backup/backup.ts";
import type { Copied } from "../store/backup/copy-objects.ts";
import { folderStore } from "../store/backup/folder-store.ts";
import { bucketName, type StorePlace, withStore } from "../store/open.ts";
import type { KeyStore, ObjectStore } from "../store/store.ts";
import { withKeys } from "./keys.ts";
import { folder, type Globals, type Io, storeOptions } from "./options.ts";

type Flags = StorePlace & { keys: boolean; verify?: boolean };

export function addBackup(program: Command, io: Io): void {
  const { error, log } = new Console(io);
  const progressOf = () => progressFor(io.stderr, program.opts<Globals>().quiet ?? false);

  /** Opens the place of a backup: a bucket, or a folder. */
  async function withBackup<T>(place: string, use: (store: ObjectStore) => Promise<T>): Promise<T> {
    if (bucketName(place) !== undefined) return withStore({ persist: "", store: place }, io.env, use);
    const store = folderStore(resolve(place));
    return use(store).finally(() => store.close());
  }

  /** Opens a store and, unless they are left out, the keys that belong to it: those of this machine, or those on Cloudflare. */
  const withBoth = <T>(
    { keys, persist, store }: Flags,
    use: (objects: ObjectStore, keys: KeyStore | undefined) => Promise<T>,
  ): Promise<T> =>
    withStore({ persist, ...(store !== undefined && { store }) }, io.env, (objects) =>
      keys
        ? withKeys({ persist, ...(store !== undefined && { remote: true }) }, io.env, (own) => use(objects, own))
        : use(objects, undefined),
    );

  /** @throws {Failure} something published is not right */
  async function verified(store: ObjectStore, progress: Progress): Promise<void> {
    if ((await store.list(CURRENT_PREFIX)).size === 0) return;
    const wrong: string[] = [];
    for (const symbol of await publishedSymbols(store)) {
      // What was restated is told where it was published.
      const { history: _, ...found } = await verify(store, symbol, progress);
      progress.end();
      log(ESCAPES.terminal(formatVerification(found)));
      if (found.problems.length > 0) wrong.push(symbol);
    }
    if (wrong.length > 0) throw new Failure(`${wrong.join(", ")} failed verification: see the messages above.`);
  }

  const copiedText = ({ objects, bytes, copied, copiedBytes }: Copied) =>
    `${counted(objects, "object")}, ${megabytes(bytes)} MB, of which ${counted(copied, "object")}, ${megabytes(copiedBytes)} MB, were copied now`;

  storeOptions(
    program
      .command("backup")
      .description("copy all that a store holds, and the hashes of its keys, into a folder or another bucket")
      .requiredOption("--to <place>", "a folder, or r2://BUCKET; what is there is not copied again", place)
      .option("--no-keys", "leave out the keys; those on Cloudflare need CLOUDFLARE_API_TOKEN")
      .option("--verify", "read the backup afterwards, and check it as verify does"),
  ).action(async ({ to, ...flags }: Flags & { to: string }) => {
    const progress = progressOf();
    await withBackup(to, (target) =>
      withBoth(flags, async (store, keys) => {
        const done = await backUp(store, keys, target, progress).finally(() => progress.end());
        if (flags.verify) await verified(target, progress);
        if (done.completes && !program.opts<Globals>().quiet)
          error("The backup before was interrupted, and is completed now.");
        log(`${target.name}: ${copiedText(done)}${keys ? `; ${counted(done.keys, "key")}` : ""}`);
      }),
    );
  });

  storeOptions(
    program
      .command("restore")
      .description("put all that a backup holds into an empty store, and check it")
      .requiredOption("--from <place>", "the backup: a folder, or r2://BUCKET", place)
      .option("--no-keys", "leave out the keys; those on Cloudflare need CLOUDFLARE_API_TOKEN")
      .option("--no-verify", "do not read everything afterwards"),
  ).action(async ({ from, ...flags }: Flags & { from: string }) => {
    const progress = progressOf();
    await withBackup(from, (source) =>
      withBoth(flags, async (store, keys) => {
        const done = await restore(source, store, keys, progress).finally(() => progress.end());
        if (flags.verify) await verified(store, progress);
        const were = done.kept > 0 ? `, and ${done.kept} that were there stay as they are` : "";
        log(`${store.name}: ${copiedText(done)}${keys ? `; ${counted(done.added, "key")} added${were}` : ""}`);
      }),
    );
  });
}

function place(text: string): string {
  if (/^\w+:\/\//.test(text) && bucketName(text) === undefined) {
    throw new InvalidArgumentError("It must be the path of a folder, or an R2 bucket, such as r2://soprano-backup.");
  }
  return folder(text);
}
