/** Copies all objects of one store into another, with what they carry. Source: docs/backups.md#how-it-copies. */

import { openAsBlob } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BUILDS_PREFIX,
  CURRENT_PREFIX,
  hashIn,
  listedSymbol,
  removedKey,
  SHA256_METADATA,
} from "../../../data-schema/stored.ts";
import { Failure } from "../../lib/failure.ts";
import { temporaryFolder } from "../../lib/files/temporary-folder.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import type { Progress } from "../../lib/terminal/progress.ts";
import { DIGESTS, piecesOf, writePieces } from "../pieces.ts";
import { MD5_ETAG, type ObjectStore, type StoredKey } from "../store.ts";
import { sha256Hex } from "../stored-content.ts";
import { Uploads } from "../uploads.ts";

/** The objects of a backup that are none of the store that it is of. */
export const BACKUP_PREFIX = "backup/";

/** Leases of collections end with their process; what a backup says of itself belongs to it. */
const isLeft = (key: string) => key.startsWith("collections/") || key.startsWith(BACKUP_PREFIX);

/** What changes under its name, and names other objects. */
const isPointer = (key: string) => key.startsWith(CURRENT_PREFIX) || /^(alerts|inputs\/[^/]+\/inputs\.json$)/.test(key);

/** What names objects that a garbage collection may remove, after it. */
const isBuild = (key: string) => key.startsWith(BUILDS_PREFIX);

/**
 * Whether the copy has an active manifest of an asset that has been removed or renamed since, or a mark of one that is to be
 * published again. What is gone without a mark may have been lost: that stays.
 *
 * @param all what the store has
 */
function hasEnded(key: string, all: ReadonlyMap<string, StoredKey>): boolean {
  if (!key.startsWith(CURRENT_PREFIX) || all.has(key)) return false;
  const { symbol, isRemoved } = listedSymbol(key);
  return isRemoved || all.has(removedKey(symbol));
}

const TYPES: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  csv: "text/csv",
  json: "application/json",
};

/** Larger ones go by way of a file. */
const MOST_IN_MEMORY = 64 * 1024 * 1024;

/** How often a store may change while it is copied. */
const ROUNDS = 5;

export interface Copied {
  /** Objects that the target has now, and their bytes. */
  objects: number;
  bytes: number;
  /** How many of them were copied, and their bytes. */
  copied: number;
  copiedBytes: number;
}

/** What is to be copied of a store. */
export async function objectsOf(store: ObjectStore): Promise<Map<string, StoredKey>> {
  return new Map([...(await store.list(""))].filter(([key]) => !isLeft(key)));
}

/** Whether two stores have the same bytes under a key, as far as their lists tell. */
export function haveSameBytes(key: string, one: StoredKey, other: StoredKey | undefined): boolean {
  if (one.size !== other?.size) return false;
  // What other programs upload in parts has no MD5: then the name has to say which bytes they are.
  const areDigests = MD5_ETAG.test(one.md5) && MD5_ETAG.test(other.md5);
  return areDigests ? one.md5 === other.md5 : hashIn(key) !== "";
}

/**
 * Copies what the target lacks. A manifest, or a list of inputs, is copied after all that it names, and only as it was when
 * these were listed: so wherever a copy ends, what is there can be read. Nothing else is removed than active manifests of
 * assets that have been removed or renamed.
 *
 * @throws {Failure} objects are damaged, or the store does not come to rest; all others have been copied
 */
export async function copyObjects(from: ObjectStore, to: ObjectStore, progress: Progress): Promise<Copied> {
  const done = { copied: 0, copiedBytes: 0 };
  const damaged = new Map<string, string>();
  for (let round = 1; round <= ROUNDS; round++) {
    const [all, there] = [await objectsOf(from), await objectsOf(to)];
    const lacking = [...all].filter(([key, found]) => !haveSameBytes(key, found, there.get(key)) && !damaged.has(key));
    progress.step("copy objects", lacking.length);
    let [seen, isMoving] = [0, false];
    const copyAll = async (keys: typeof lacking) => {
      const uploads = new Uploads();
      /** It is thrown once nothing is on its way any more. */
      let failure: { error: unknown } | undefined;
      for (const [key, found] of keys) {
        await uploads.add(Math.min(found.size, MOST_IN_MEMORY), async () => {
          if (failure) return;
          const outcome = await copyOne(from, to, key, found).catch((error: unknown) => {
            failure ??= { error };
          });
          if (outcome === "copied") {
            done.copied++;
            done.copiedBytes += found.size;
          } else if (outcome === "changed") isMoving = true;
          else if (outcome) damaged.set(key, outcome.problem);
          progress.update(++seen);
        });
      }
      await uploads.end();
      if (failure) throw failure.error;
    };
    await copyAll(lacking.filter(([key]) => !isBuild(key) && !isPointer(key)));
    await copyAll(lacking.filter(([key]) => isBuild(key)));
    // What a damaged object is named by would make a store that looks whole.
    if (damaged.size === 0) await copyAll(lacking.filter(([key]) => isPointer(key)));
    if (damaged.size > 0) throw damagedFailure(from, [...damaged.values()]);
    if (isMoving) continue;
    const ended = [...there.keys()].filter((key) => hasEnded(key, all));
    if (ended.length > 0) await to.delete(ended);
    const bytes = [...all.values()].reduce((sum, { size }) => sum + size, 0);
    return { objects: all.size, bytes, ...done };
  }
  throw new Failure(
    `${from.name} was written to during each of ${ROUNDS} rounds of the copy: wait until builds have ended, and run this again. What was copied is not copied again.`,
  );
}

function damagedFailure(from: ObjectStore, problems: readonly string[]): Failure {
  const more = problems.length > 1 ? ` So are ${counted(problems.length - 1, "other object")}.` : "";
  return new Failure(
    `${problems[0]}${more} All other objects of ${from.name} were copied: mend these, as \`verify\` says, and run this again.`,
  );
}

/** @returns `changed`: the object has gone or is another one since it was listed */
async function copyOne(
  from: ObjectStore,
  to: ObjectStore,
  key: string,
  { size, md5 }: StoredKey,
): Promise<"copied" | "changed" | { problem: string }> {
  const isWhole = size <= MOST_IN_MEMORY;
  const object = await from.get(key, isWhole ? undefined : { offset: 0, length: 1 });
  if (!object || object.etag !== md5) return "changed";
  const { [SHA256_METADATA]: stored, ...metadata } = object.metadata;
  const put = async (content: Uint8Array | Blob, sha256: string, digest?: string) => {
    const named = hashIn(key);
    const isRight = !object.isDamaged && sha256.startsWith(named) && (stored === undefined || stored === sha256);
    if (!isRight) return { problem: `${key} in ${from.name} is damaged: its bytes are not those that were stored.` };
    const contentType = TYPES[key.slice(key.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    await to.put(key, content, { contentType, sha256, metadata, ...(digest && { md5: digest }) });
    return "copied" as const;
  };
  if (isWhole) return put(object.bytes, sha256Hex(object.bytes));
  const folder = temporaryFolder(tmpdir(), "soprano-backup");
  try {
    const path = join(folder.path, "object");
    const digests = await writePieces(path, piecesOf(from, key, size), DIGESTS);
    return await put(await openAsBlob(path), digests.sha256, digests.md5);
  } finally {
    folder.remove();
  }
}
