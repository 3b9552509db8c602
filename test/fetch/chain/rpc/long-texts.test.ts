/** Errors of many megabytes: what is done with them is counted in characters that patterns have seen. */

import { expect, it, onTestFinished } from "vitest";
import { refusal } from "../../../../builder/fetch/chain/logs/portal-stream.ts";
import { readAnswer, readBatchAnswer } from "../../../../builder/fetch/chain/rpc/answer.ts";
import type { HttpAnswer } from "../../../../builder/fetch/chain/rpc/exchange.ts";
import { NodeError } from "../../../../builder/fetch/chain/rpc/failures.ts";
import { redactor } from "../../../../builder/fetch/chain/rpc/redact.ts";

const SECRET = "S3cr3tK3y0123456789abcdef";
const redact = redactor([new URL(`https://user:pw@node.example.com/v2/${SECRET}?key=sh0rtK3y`)]);
const HUGE = 5_000_000;

/** Characters of texts that regular expressions are given meanwhile. */
function charactersSeen(run: () => void): number {
  let seen = 0;
  const { exec } = RegExp.prototype;
  onTestFinished(() => {
    RegExp.prototype.exec = exec;
  });
  const texts = new Set<string>();
  RegExp.prototype.exec = function counted(text) {
    if (!texts.has(text)) seen += text.length;
    texts.add(text);
    return exec.call(this, text);
  };
  run();
  RegExp.prototype.exec = exec;
  return seen;
}

const answer = (body: string, status = 200): HttpAnswer => ({ status, headers: {}, body: Buffer.from(body) });
const errorOf = (error: unknown) => answer(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));

const deep = (levels: number) => `${'{"error":'.repeat(levels)}"block range"${"}".repeat(levels)}`;

it.each<[string, HttpAnswer]>([
  ["a message", errorOf({ code: -32005, message: `limit exceeded ${"x ".repeat(HUGE / 2)}` })],
  ["one word", errorOf({ code: -32005, message: "x".repeat(HUGE) })],
  ["data beside a message", errorOf({ message: "a".repeat(HUGE), data: `b${"a".repeat(HUGE / 2)}` })],
  ["white space", errorOf({ message: " ".repeat(HUGE) })],
  ["addresses of pages", errorOf({ message: "https://a@b.example/".repeat(HUGE / 20) })],
  ["no JSON-RPC", answer("limit exceeded, ".repeat(HUGE / 16), 400)],
  ["errors within errors", answer(`{"id":1,"error":${deep(100_000)}}`)],
])("%s: only the beginning is looked at", (_, huge) => {
  let error: unknown;
  const seen = charactersSeen(() => {
    try {
      readAnswer(huge, 1, redact);
    } catch (caught) {
      error = caught;
    }
  });
  expect(error).toBeInstanceOf(NodeError);
  expect((error as NodeError).message.length).toBeLessThan(250);
  expect(seen).toBeLessThan(20_000);
  expect(() => readBatchAnswer(huge, 1, 2, redact)).toThrow(NodeError);
});

it("what the portal says, whatever it is", () => {
  const said = (body: string) => refusal({ status: 500, headers: {}, chunks: nothing() }, body, redact).message;
  expect(said(JSON.stringify({ error: { message: `No.${" x".repeat(HUGE)}` } })).length).toBeLessThan(250);
  expect(said('{"error":{"message":{"a":1},"code":"full"}}')).toBe("full (status 500)");
});

it("a secret that the cut has left in part is removed, however little of it", () => {
  const basic = Buffer.from("user:pw").toString("base64");
  const secrets = [SECRET, "sh0rtK3y", basic].map((secret) => ({ secret, least: 1 }));
  for (const { secret, least } of [
    ...secrets,
    { secret: "https://other:pass@b.example/c", least: "https://o".length },
  ]) {
    for (let left = least; left <= secret.length; left += 1) {
      // URLs become their hosts, so that the end of what is looked at is shown.
      const before = `${"https://b.example/".padEnd(130, "x")} `.repeat(4).slice(0, 499 - left);
      const shown = redact(`${before} ${secret} ${"y ".repeat(HUGE)}`);
      expect(shown).toMatch(/^(b\.example ?|x|…)+ ?…$/);
    }
  }
});

async function* nothing() {}
