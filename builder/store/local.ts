/** The R2 and KV that `wrangler dev` keeps on this machine, opened from Node through Miniflare. */

import { access, constants, mkdir } from "node:fs/promises";
import { Failure, StoreFailure } from "../failure.ts";
import { type Bindings, bindingsWorker, callBindings, listed } from "./bindings.ts";
import { putSentence, startFailure } from "./local-failures.ts";
import type { KeyStore, ListedObject, ObjectStore } from "./store.ts";
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

/** @throws {Failure} the folder can't be written */
export async function openLocalState(persist: string): Promise<LocalState> {
  await preparePersist(persist);
  // Imported here because it takes a second to load, and a build to R2 doesn't need it.
  const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");
  const { token, ...worker } = await bindingsWorker();
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...(await workerOptions(persist)), ...worker }));
  try {
    await miniflare.ready;
  } catch (error) {
    await miniflare.dispose().catch(() => {});
    throw (
      startFailure(error) ??
      new Failure(`The state folder ${persist} can't be used (${firstLine(error)}): choose another one with --persist.`)
    );
  }
  const bindings = callBindings(miniflare, token);
  const close = () => miniflare.dispose();
  return { objects: { ...localObjects(bindings, persist), close }, keys: localKeys(bindings), close };
}

const firstLine = (error: unknown) => String((error as Error).message).split("\n")[0] ?? "";

/** Objects that R2 removes in one call, at most. */
const MAX_DELETED = 1000;

function localObjects(bindings: Bindings, persist: string): Omit<ObjectStore, "close"> {
  const { call } = bindings;
  return {
    name: persist,
    async get(key) {
      const { status, etag, bytes } = await call({ do: "get", key }).catch((error) => {
        throw new StoreFailure(
          `${key} can't be read in ${persist} (${firstLine(error)}): check that the folder is complete, then try again.`,
        );
      });
      return status === 404 ? undefined : { bytes, etag };
    },
    async put(key, bytes, { contentType, sha256, metadata, replaces }) {
      const options = {
        sha256,
        httpMetadata: { contentType },
        ...(metadata && { customMetadata: metadata }),
        ...(replaces === null && { onlyIf: { etagDoesNotMatch: "*" } }),
        ...(typeof replaces === "string" && { onlyIf: { etagMatches: replaces } }),
      };
      const { status } = await call({ do: "put", key, options }, bytes).catch((error) => {
        throw new StoreFailure(putSentence(firstLine(error), key, persist));
      });
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
