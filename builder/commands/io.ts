import type { Writable } from "node:stream";
import type { Environment } from "../store/remote.ts";

/** The process around a command, passed in so that a test can run a command without starting a process. */
export interface Io {
  /** Results. */
  stdout: Writable;
  /** Progress and messages. */
  stderr: Writable & { isTTY?: boolean };
  env: Environment;
  /** Resolves when the user stops the program. Until it is called, an interrupt ends the process at once. */
  interrupted(): Promise<unknown>;
}
