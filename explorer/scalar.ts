/**
 * The browser build of Scalar, which shows the API's reference. It comes out of Scalar's plugin for Fastify, the one
 * package that holds it without the 280 packages that it was made from: the plugin hands it out at a route.
 */

import { createHash } from "node:crypto";

interface Route {
  url: string;
  handler(request: unknown, reply: Reply): void;
}

interface Reply {
  header(): Reply;
  send(text: string): void;
}

/** @returns its text, and a name that changes with it */
export async function scalar(): Promise<{ name: string; text: string }> {
  // Loaded here, and not with every command of the command line.
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  let text = "";
  const reply: Reply = {
    header: () => reply,
    send: (sent) => {
      text = sent;
    },
  };
  const application = {
    route: ({ url, handler }: Route) => {
      if (url.endsWith("/scalar.js")) handler({}, reply);
    },
  };
  // biome-ignore lint/suspicious/noExplicitAny: of Fastify the plugin uses no more than this here
  await new Promise<void>((done) => (plugin as any)(application, { configuration: { url: "/openapi.json" } }, done));
  if (text.length < 1_000_000) throw new Error("The Fastify plugin of Scalar does not hand out its browser build.");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return { name: `scalar-${hash}.js`, text };
}
