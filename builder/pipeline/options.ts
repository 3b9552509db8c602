import type { Progress } from "../terminal/progress.ts";
import type { Pool } from "../threads/pool.ts";

export interface BuildOptions {
  threads: number;
  /** Threads shared by several builds, because they are slow to start. Without a pool, a build starts its own threads. */
  pool?: Pool | undefined;
  progress: Progress;
  /** Overrides the asset file's `asOf`, Unix seconds. */
  asOf?: number | undefined;
  /** Replay the whole history even if the build could resume. */
  full?: boolean | undefined;
  /** Verify the build before it is activated. Default: true. */
  verify?: boolean | undefined;
}
