/** The R2 and KV that `wrangler dev` keeps on this machine, opened from Node through Miniflare. */

import { createHash } from "node:crypto";
import { access, constants, glob, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Failure, StoreFailure } from "../lib/failure.ts";
import { type Bindings, bindingsWorker, callBindings, listed } from "./bindings.ts";
import { putSentence, startFailure } from "./local-failures.ts";
import { OverdueCalls } from "./overdue.ts";
import {
  type ByteRange,
  type KeyStore,
  type ListedObject,
  MD5_ETAG,
  type ObjectStore,
  type StoredObject,
  sizeOf,
} from "./store.ts";
import { startWorkerd } from "./workerd.ts";
import { workerOptions } from "./wrangler.ts";

/**
 * Creates the state folder, if it doesn't exist.
 *
 * @throws {Failure} it can't be created or written
 */
export async function preparePersist(persist: string): Promise<void> {
  try {
    await mkdir(persist, { recursive: true });
    await access(persist, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new Failure(`The state folder ${persist} can't be written (${code}): choose another one with --persist.`);
  }
}

/** Closing the objects closes the state. */
export interface LocalState {
  objects: ObjectStore;
  keys: KeyStore;
  close(): Promise<void>;
}

/**
 * @throws {Failure} the folder can't be written
 * @throws {StoreFailure} workerd does not start, or its disk is full; later, it does not answer
 */
export async function openLocalState(persist: string): Promise<LocalState> {
  await preparePersist(persist);
  const { token, ...worker } = await bindingsWorker();
  const noise = new Noise();
  const calls = new OverdueCalls(persist, () => noise.text);
  const { miniflare, close } = await startWorkerd({
    ...(await workerOptions(persist)),
    ...worker,
    handleStructuredLogs: ({ message }) => noise.add(message),
  });
  try {
    await calls.answerOf(miniflare.ready);
  } catch (error) {
    await close().catch(() => {});
    if (error instanceof StoreFailure) throw error;
    throw (
      startFailure(error) ??
      new Failure(
        `The state folder ${persist} can't be used (${firstLine(error)}): choose another one with --persist.`,
        { cause: noise.text },
      )
    );
  }
  const { call } = callBindings(miniflare, token);
  const bindings: Bindings = { call: (what, body) => calls.answerOf(call(what, body), body && sizeOf(body)) };
  /** A failure with a sentence, unless it has one already. */
  const explain = (sentence: (reason: string) => string) => (error: unknown) => {
    if (error instanceof StoreFailure) throw error;
    throw new StoreFailure(sentence(firstLine(error) ?? ""), { cause: noise.text });
  };
  const databases = await databasesIn(persist);
  const isInPlace = async () => {
    const now = await databasesIn(persist);
    return databases.every((inode) => now.includes(inode));
  };
  const objects = localObjects(bindings, persist, isInPlace, explain);
  return { objects: { ...objects, close }, keys: localKeys(bindings), close };
}

/**
 * The inodes of the databases that list the objects. workerd keeps them open, so it goes on writing to them after they
 * were removed, and no other file gets their numbers.
 */
async function databasesIn(persist: string): Promise<number[]> {
  const cwd = join(persist, "v3", "r2");
  const inodes: number[] = [];
  for await (const path of glob("*/*.sqlite", { cwd })) {
    const file = await stat(join(cwd, path)).catch(() => undefined);
    if (file) inodes.push(file.ino);
  }
  return inodes;
}

/** The last that workerd has said on its standard error: for `--debug`, as it says much about each failure. */
class Noise {
  text = "";

  add(message: string): void {
    this.text = `${this.text}${message}\n`.slice(-MAX_NOISE);
  }
}

const MAX_NOISE = 16_384;

const firstLine = (error: unknown) => String((error as Error).message).split("\n")[0];

/** Objects that R2 removes in one call, at most. */
const MAX_DELETED = 1000;

type Explain = (sentence: (reason: string) => string) => (error: unknown) => never;

function localObjects(
  bindings: Bindings,
  persist: string,
  isInPlace: () => Promise<boolean>,
  explain: Explain,
): Omit<ObjectStore, "close"> {
  const { call } = bindings;
  /** Whether something was written since the folder was last looked at. */
  let isWritten = false;
  /** What can be read of an object: undefined also if its file is gone or too short. */
  const read = async (key: string, range?: ByteRange): Promise<StoredObject | undefined> => {
    const answer = await call({ do: "get", key, range }).catch((error) => {
      if (error instanceof StoreFailure) throw error;
    });
    if (!answer || answer.status === 404) return undefined;
    const { bytes, etag } = answer;
    // Nothing else compares the bytes of the file with those that were stored.
    const isDamaged = !range && MD5_ETAG.test(etag) && createHash("md5").update(bytes).digest("hex") !== etag;
    return { bytes, etag, ...(isDamaged && { isDamaged }) };
  };
  return {
    name: persist,
    async get(key, range) {
      if (isWritten && !(await isInPlace())) {
        throw new StoreFailure(`The state folder ${persist} was removed while it was in use: run the command again.`);
      }
      isWritten = false;
      const object = await read(key, range);
      if (object && !object.isDamaged) return object;
      const { status, etag } = await call({ do: "head", key }).catch(
        explain(
          (reason) =>
            `${key} can't be read in ${persist} (${reason}): check that the folder is complete, then try again.`,
        ),
      );
      if (status === 404) return undefined;
      // Its file is damaged, or another process has just replaced it.
      return (await read(key, range)) ?? { bytes: new Uint8Array(), etag, isDamaged: true };
    },
    async put(key, content, { contentType, sha256, metadata, replaces }) {
      const options = {
        sha256,
        httpMetadata: { contentType },
        ...(metadata && { customMetadata: metadata }),
        ...(replaces === null && { onlyIf: { etagDoesNotMatch: "*" } }),
        ...(typeof replaces === "string" && { onlyIf: { etagMatches: replaces } }),
      };
      isWritten = true;
      const { status } = await call({ do: "put", key, options }, content).catch(
        explain((reason) => putSentence(reason, key, persist)),
      );
      return status !== 412;
    },
    async list(prefix) {
      const found = new Map<string, ListedObject>();
      for await (const { key, size, etag, uploaded } of listed(bindings, "list", prefix)) {
        found.set(key, { size, md5: etag, uploaded: new Date(uploaded) });
      }
      return found;
    },
    async delete(keys) {
      for (let i = 0; i < keys.length; i += MAX_DELETED) {
        await call({ do: "delete" }, new TextEncoder().encode(JSON.stringify(keys.slice(i, i + MAX_DELETED))));
      }
    },
  };
}

function localKeys(bindings: Bindings): KeyStore {
  const { call } = bindings;
  const get = async (name: string) => {
    const { status, bytes } = await call({ do: "getKey", name });
    return status === 404 ? undefined : new TextDecoder().decode(bytes);
  };
  return {
    get,
    async put(name, text) {
      await call({ do: "putKey", name }, new TextEncoder().encode(text));
    },
    async all(prefix) {
      const found = new Map<string, string>();
      for await (const { name } of listed(bindings, "listKeys", prefix)) {
        const text = await get(name);
        if (text !== undefined) found.set(name, text);
      }
      return found;
    },
  };
}
