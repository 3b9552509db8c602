/** A model's client: the official one, on a Worker of the test. */

import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { KEY, type Client as Worker } from "../client.ts";

/** The revision of today, and the handshake of 2025. */
export const ERAS = [{ pin: "2026-07-28" }, "legacy"] as const;

/** Connects; `lengths` notes the bytes of each answer. */
export async function connect(
  worker: Worker,
  mode: (typeof ERAS)[number] = ERAS[0],
  lengths: number[] = [],
): Promise<Client> {
  const model = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL("https://soprano.test/mcp"), {
    requestInit: { headers: { "X-Api-Key": KEY } },
    fetch: async (url, init) => {
      const { pathname, search } = new URL(String(url));
      const response = await worker.fetch(pathname + search, init as RequestInit);
      const bytes = await response.clone().arrayBuffer();
      lengths.push(bytes.byteLength);
      return response;
    },
  });
  await model.connect(transport);
  return model;
}

/** The text of a tool's answer. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
