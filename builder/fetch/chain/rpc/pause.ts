import { setTimeout as sleep } from "node:timers/promises";

/** @throws the signal's reason */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms <= 0) return;
  // Node's own error would hide the reason.
  await sleep(ms, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
