/**
 * The browser build of Scalar, which renders the API reference. Scalar's plugin for Fastify serves it at a route; no
 * other package contains it without installing the 280 packages that it was built from.
 */

import { createHash } from "node:crypto";
import { KEY_PLACEHOLDER } from "./src/api/snippets.ts";

/** What Scalar's requests hold until a key is entered, and what its field for the key shows; no configuration changes them. */
const SCALARS_PLACEHOLDERS = ["YOUR_SECRET_TOKEN", "QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT"];

interface Reply {
  header(): Reply;
  send(text: string): void;
}

/** @returns the script, and a name that changes with its content */
export async function scalar(): Promise<{ name: string; text: string }> {
  // Imported here so that commands that never serve the explorer start faster.
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  let text = "";
  const reply: Reply = {
    header: () => reply,
    send: (sent) => {
      text = sent;
    },
  };
  const application = {
    route: ({ url, handler }: { url: string; handler(request: unknown, reply: Reply): void }) => {
      if (url.endsWith("/scalar.js")) handler({}, reply);
    },
  };
  // The plugin uses nothing else of Fastify here.
  const register = plugin as unknown as (fastify: typeof application, options: object, done: () => void) => void;
  await new Promise<void>((done) => register(application, { configuration: { url: "/openapi.json" } }, done));
  if (text.length < 1_000_000)
    throw new Error("@scalar/fastify-api-reference no longer serves its browser build. Pin an older version.");
  for (const placeholder of SCALARS_PLACEHOLDERS) {
    if (!text.includes(placeholder))
      throw new Error(`Scalar no longer writes ${placeholder} in place of a key. Look for what it writes now.`);
    text = text.replaceAll(placeholder, KEY_PLACEHOLDER);
  }
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return { name: `scalar-${hash}.js`, text };
}
