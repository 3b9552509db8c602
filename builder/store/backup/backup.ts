/** Backups: a store, and the hashes of its keys, in a folder or another bucket. Source: docs/backups.md. */

import * as v from "valibot";
import project from "../../../package.json" with { type: "json" };
import { Failure } from "../../lib/failure.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import type { Progress } from "../../lib/terminal/progress.ts";
import type { KeyStore, ObjectStore } from "../store.ts";
import { sha256Hex } from "../stored-content.ts";
import { exportKeys, type ImportedKeys, importKeys } from "../stored-keys.ts";
import { BACKUP_PREFIX, type Copied, copyObjects, haveSameBytes, objectsOf } from "./copy-objects.ts";

const RECORD_KEY = `${BACKUP_PREFIX}backup.json`;
const KEYS_KEY = `${BACKUP_PREFIX}keys.json`;

const recordSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    schema: v.literal(1),
    soprano: v.string(),
    /** What it is a backup of. */
    from: v.string(),
    began: v.string(),
    /** Null while it is made, and after one that was interrupted. */
    completed: v.nullable(v.string()),
  }),
);
type BackupRecord = v.InferOutput<typeof recordSchema>;

/** @throws {Failure} it can't be read */
async function readRecord(store: ObjectStore): Promise<BackupRecord | undefined> {
  const object = await store.get(RECORD_KEY);
  if (!object) return undefined;
  const read = v.safeParse(recordSchema, new TextDecoder().decode(object.bytes));
  if (read.success) return read.output;
  throw new Failure(
    `${RECORD_KEY} in ${store.name} is no record that this version of Soprano reads: use the version that made the backup, or make another one.`,
  );
}

async function putJson(store: ObjectStore, key: string, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  await store.put(key, bytes, { contentType: "application/json", sha256: sha256Hex(bytes) });
}

/**
 * Brings a backup up to date, or completes one that was interrupted.
 *
 * @param keys undefined: keys are left out
 * @throws {Failure} the target holds something else, objects are damaged, or the store does not come to rest
 */
export async function backUp(
  from: ObjectStore,
  keys: KeyStore | undefined,
  to: ObjectStore,
  progress: Progress,
): Promise<Copied & { keys: number; completes: boolean }> {
  if (from.name === to.name) throw new Failure(`${to.name} can't be a backup of itself: name another place with --to.`);
  const before = await readRecord(to);
  if (!before && (await to.list("")).size > 0) {
    throw new Failure(`${to.name} holds objects that are no backup: name an empty folder or bucket with --to.`);
  }
  if (before && before.from !== from.name) {
    throw new Failure(`${to.name} is a backup of ${before.from}, not of ${from.name}: name another place with --to.`);
  }
  const record: BackupRecord = {
    schema: 1,
    soprano: project.version,
    from: from.name,
    began: new Date().toISOString(),
    completed: null,
  };
  await putJson(to, RECORD_KEY, JSON.stringify(record));
  const copied = await copyObjects(from, to, progress);
  const exported = keys && (await exportKeys(keys));
  if (exported) await putJson(to, KEYS_KEY, exported.text);
  await putJson(to, RECORD_KEY, JSON.stringify({ ...record, completed: new Date().toISOString() }));
  return { ...copied, keys: exported?.keys ?? 0, completes: before?.completed === null };
}

/**
 * Puts all that a backup holds into a store that is empty, or has nothing else, as after a restoration that was interrupted.
 *
 * @param keys undefined: keys are left out
 * @throws {Failure} it is no backup, or none that was completed; the store has something else; or objects are damaged
 */
export async function restore(
  from: ObjectStore,
  to: ObjectStore,
  keys: KeyStore | undefined,
  progress: Progress,
): Promise<Copied & ImportedKeys> {
  const record = await readRecord(from);
  if (!record) throw new Failure(`${from.name} holds no backup: name a place that has one with --from.`);
  if (record.completed === null) {
    throw new Failure(
      `The backup in ${from.name} was interrupted after ${record.began}: complete it, by backing ${record.from} up once more, before you restore it.`,
    );
  }
  const kept = await objectsOf(from);
  const foreign = [...(await objectsOf(to))].filter(([key, there]) => !haveSameBytes(key, there, kept.get(key)));
  if (foreign.length > 0) {
    throw new Failure(
      `${to.name} is not empty: it has ${counted(foreign.length, "object")} that the backup lacks or has otherwise, such as ${foreign[0]![0]}. Restore into an empty store.`,
    );
  }
  const copied = await copyObjects(from, to, progress);
  const stored = keys && (await from.get(KEYS_KEY));
  const imported = stored ? await importKeys(keys, new TextDecoder().decode(stored.bytes)) : { added: 0, kept: 0 };
  return { ...copied, ...imported };
}
