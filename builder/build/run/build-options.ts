/** What a build can be told. */

import type { Progress } from "../../lib/terminal/progress.ts";
import type { TaskSizes } from "../plan/sizes.ts";
import type { Pool } from "../threads/thread-pool.ts";

export interface BuildOptions {
  threads: number;
  /** Threads shared by several builds, because they are slow to start. Without a pool, a build starts its own threads. */
  pool?: Pool | undefined;
  progress: Progress;
  /** Overrides the asset file's `asOf`, Unix seconds. It may be before the end of the active build. */
  asOf?: number | undefined;
  /** Replay the whole history even if the build could resume. */
  full?: boolean | undefined;
  /** Verify the build before it is activated. Default: true. */
  verify?: boolean | undefined;
  /** Build even if the supply is far over `maxSupply`. */
  allowSupply?: boolean | undefined;
  /** Build even if the build would end before the active one, or have fewer transfers. */
  allowShorter?: boolean | undefined;
  /** The folder for what is too large for memory. Default: that of the system for temporary files. */
  work?: string | undefined;
  /** Bytes that the build may use. Default: half of what the machine, or its control group, has. */
  memory?: number | undefined;
  /** How large tasks are, instead of what follows from `memory`. */
  sizes?: TaskSizes | undefined;
  /** The state folder of a local store, in which an asset is built by one process at a time. */
  persist?: string | undefined;
  /** Wait for another build of an asset instead of failing. */
  wait?: boolean | undefined;
  /** Digest all input files, even those that have not changed since the last build. */
  rehash?: boolean | undefined;
}
