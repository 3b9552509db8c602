/** How often it is looked whether the shell of npm is there, in milliseconds. */
const LOOK_MS = 250;

/** Who has started the program: by the time somebody waits, the shell may have ended already. */
const starter = process.ppid;

/**
 * Resolves at the next SIGINT or SIGTERM, so that the program can end in order. A SIGTERM to `npx soprano` ends npm and the
 * shell that npm has started it by, which passes nothing on: so it resolves at their end, too.
 */
export function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
    if (process.env.npm_command === undefined) return;
    const looking = setInterval(() => {
      if (process.ppid === starter) return;
      clearInterval(looking);
      resolve("npm has ended");
    }, LOOK_MS);
    // It must not keep a program going that has nothing else to do.
    looking.unref();
  });
}
