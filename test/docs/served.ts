/** The token of examples/, built and served, for tests of what reads it. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "../../builder/build/run/build.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { serve } from "../../builder/serve/serve.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";
import { newFolder } from "../folders.ts";

export const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));

export interface ServedToken {
  url: string;
  /** A key of a plan without a limit. */
  key: string;
  close(): Promise<void>;
}

/** Serves TINY: two days of eight transfers. */
export async function serveToken(assetPath = join(EXAMPLES, "token", "asset.json")): Promise<ServedToken> {
  const folder = newFolder();
  const state = await openLocalState(folder);
  await build(assetPath, state.objects, { threads: 1, progress: silentProgress() });
  const { key } = await createKey(state.keys, { name: "examples", plan: "unlimited" });
  await state.close();
  const server = await serve({ port: 0, persist: folder });
  return {
    url: server.url,
    key,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
