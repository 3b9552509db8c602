/** The check *https* of `soprano probe`, by what a server answers at its two addresses. */

import { afterEach, expect, it, vi } from "vitest";
import { CHECKS } from "../../builder/probe/checks.ts";

const { run } = CHECKS.find(({ name }) => name === "https")!;
const SECURE = { "Strict-Transport-Security": "max-age=31536000" };
const REDIRECT = { status: 301, headers: { Location: "https://soprano.example/health" } };

/** The network: an answer by HTTPS, and one by plain HTTP, where nothing may listen. */
function answering(secure: ResponseInit, plain: ResponseInit | null) {
  vi.stubGlobal("fetch", async (url: string) => {
    const init = url.startsWith("https:") ? secure : plain;
    if (init === null) throw new TypeError("fetch failed");
    return new Response("{}", init);
  });
  return run({ origin: "https://soprano.example", requestMs: 1_000, signal: new AbortController().signal });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  ["redirects plain HTTP", REDIRECT],
  ["does not listen there", null],
])("passes where a server %s", async (_, plain) => {
  expect(await answering({ headers: SECURE }, plain)).toMatch(/plain HTTP is redirected/);
});

it.each([
  ["browsers are not told", {}, REDIRECT, /without Strict-Transport-Security/],
  ["browsers are told to forget", { "Strict-Transport-Security": "max-age=0" }, REDIRECT, /max-age=0/],
  ["plain HTTP is answered", SECURE, { status: 200 }, /without a redirect to HTTPS: turn on Always Use HTTPS/],
  ["plain HTTP stays plain", SECURE, { status: 301, headers: { Location: "http://other" } }, /without a redirect/],
])("fails where %s", async (_, headers, plain, sentence) => {
  await expect(answering({ headers }, plain)).rejects.toThrow(sentence);
});
