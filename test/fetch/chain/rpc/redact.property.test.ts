import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeLogs } from "../../../../builder/fetch/chain/logs/node-logs.ts";
import type { Nodes } from "../../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { redactor } from "../../../../builder/fetch/chain/rpc/redact.ts";
import { tries } from "../../../effort.ts";
import { EAGER } from "../patience.ts";
import { send, startServer } from "../rpc-server.ts";

/** What keys are made of; longer than any word of a message that could hold it by chance. */
const key = fc
  .array(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789-_~%!$+"), { minLength: 10, maxLength: 60 })
  .map((characters) => characters.join("").replace(/%/g, "%41"));

describe("texts of nodes", () => {
  it.each([
    "S3cr3tK3y012",
    "S3cr3tK3y…",
    "3tK3y0123456789abcdef",
    "S3cr3tK3y012\n3456789abcdef",
    "S3cr3tK3y012\u200b3456789abcdef",
  ])("lose a key that is cut short or broken: %j", (quoted) => {
    const redact = redactor([new URL("https://node.example.com/v2/S3cr3tK3y0123456789abcdef")]);
    expect(redact(`the key ${quoted} is unknown`)).toMatch(/^the key [… \u200b�]+ is unknown$/);
  });

  it("lose every part of a URL but its host", () => {
    const texts = [
      (parts: string[]) => parts.join(" "),
      (parts: string[]) => `bad: ${parts.join(", ")}!`,
      (parts: string[]) => parts.map(encodeURIComponent).join(" and "),
      (parts: string[]) => parts.join(" ").toUpperCase(),
    ];
    fc.assert(
      fc.property(key, key, key, key, fc.constantFrom(...texts), (path, query, user, password, say) => {
        const url = new URL(
          `https://${user}:${password}@node.example.com:8545/v2/${path}/rpc?key=${query}&x=1#${path}`,
        );
        const basic = Buffer.from(`${decodeURIComponent(user)}:${decodeURIComponent(password)}`).toString("base64");
        const shown = redactor([url])(say([url.href, path, query, user, password, basic])).toLowerCase();
        for (const secret of [path, query, user, password, basic, decodeURIComponent(path)]) {
          expect(shown).not.toContain(secret.toLowerCase());
        }
      }),
    );
  });

  it("keep their meaning, on one line, and not for ever", () => {
    const redact = redactor([new URL("https://node.example.com/v2/0123456789abcdef")]);
    expect(redact("range 1000 exceeds\nlimit of 100")).toBe("range 1000 exceeds limit of 100");
    expect(redact("see https://user:pw@docs.example.com/errors?x=1 for more")).toBe("see docs.example.com for more");
    expect(redact("\u001b[31mred\u202e")).toBe("\\u{1b}[31mred\\u{202e}");
    expect(redact("word ".repeat(1000))).toHaveLength(200);
  });
});

describe("keys", () => {
  it("appear in no message, stack, cause, notice or inspected object", async () => {
    // Echoes all that it knows of the request, in every way that it can fail.
    const echoes = ["401", "403", "429", "500", "html", "error", "redirect", "text", "null"];
    await fc.assert(
      fc.asyncProperty(key, key, key, key, fc.constantFrom(...echoes), async (path, query, user, password, way) => {
        const base = await startServer(
          ({ method }) => ({ result: method === "eth_chainId" ? "0x1" : "0xffff" }),
          (body, response, request) => {
            if (!Array.isArray(body) && ["eth_chainId", "eth_blockNumber"].includes(body.method)) return false;
            const all = `${request.url} ${decodeURIComponent(request.url!)} ${request.headers.authorization} http://${request.headers.host}${request.url}`;
            if (way === "html") return send(response, 200, `<html>${all}</html>`);
            if (way === "redirect")
              return send(response, 302, all, { location: `https://other.example.com${request.url}` });
            if (way === "text") return send(response, 200, all);
            if (way === "null") return send(response, 200, JSON.stringify({ id: all, result: null }));
            if (way !== "error") return send(response, Number(way), all, { "retry-after": "9999" });
            const { id } = Array.isArray(body) ? body[0]! : body;
            return send(response, 200, JSON.stringify({ id, error: { code: -32000, message: all, data: all } }));
          },
        );
        const { host } = new URL(base);
        const url = `http://${user}:${password}@${host}/v2/${path}?key=${query}`;
        const notices: string[] = [];
        const nodes: Nodes = await openNodes([url], {
          patience: { ...EAGER, longestWaitMs: 5, hopelessAfterMs: 50 },
          onNotice: (text) => notices.push(text),
        });
        const failures = await Promise.allSettled([
          nodes.ask("eth_call", []),
          nodes.askAll([
            { method: "eth_call", params: [] },
            { method: "eth_call", params: [] },
          ]),
          nodeLogs(nodes).read(
            { address: "0x00", topics: [] },
            [{ from: 0, to: 9 }],
            (logs) => logs,
            async () => {},
          ),
        ]);
        const texts = failures.map((failure) => {
          expect(failure.status).toBe("rejected");
          const { reason } = failure as PromiseRejectedResult;
          expect((reason as Error).name).toBe("NodeFailure");
          expect((reason as Error).message).toContain(host);
          return inspect(reason, { depth: 20, showHidden: true });
        });
        const shown = [
          ...texts,
          ...notices,
          inspect(nodes, { depth: 20, showHidden: true }),
          JSON.stringify(nodes),
        ].join("\n");
        nodes.close();
        for (const secret of [path, query, user, password, decodeURIComponent(path)])
          expect(shown).not.toContain(secret);
      }),
      { numRuns: tries(24) },
    );
  });

  it("appear in no message about the URL itself", async () => {
    for (const url of [
      "ftp://node.example.com/SECRET-KEY",
      "https://[SECRET-KEY",
      "SECRET-KEY",
      "https://",
      "http://SECRET KEY/",
    ]) {
      const failure = await openNodes([url]).catch((error: Error) => error);
      expect(failure).toMatchObject({
        name: "Failure",
        message: expect.stringMatching(/^The URL of the node is not valid: write it as/),
      });
      expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain("SECRET");
    }
  });
});
