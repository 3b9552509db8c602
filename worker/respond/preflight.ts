/** The answers to CORS preflights. */

import { FILES_PATH } from "../request/file-path.ts";
import { COMMON } from "./respond.ts";

const MCP_PATHS = ["/mcp", "/mcp/"];

const READ = { methods: "GET, HEAD, OPTIONS", headers: "Authorization, X-Api-Key, If-None-Match" };

/** What a page of another origin may send: requests that read, files in ranges, and messages of the Model Context Protocol. */
const PREFLIGHTS = {
  read: READ,
  file: { ...READ, headers: `${READ.headers}, If-Match, If-Range, Range` },
  mcp: {
    methods: "POST, OPTIONS",
    headers: "Authorization, X-Api-Key, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name",
  },
};

/** The answer to the preflight of a path. */
export function preflight(path: string): Response {
  const { methods, headers } = PREFLIGHTS[kindOf(path)];
  return new Response(null, {
    status: 204,
    headers: {
      ...COMMON,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": headers,
      "Access-Control-Max-Age": "86400",
    },
  });
}

function kindOf(path: string): keyof typeof PREFLIGHTS {
  if (MCP_PATHS.includes(path)) return "mcp";
  return path.startsWith(FILES_PATH) ? "file" : "read";
}
