import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startMiniflare } from "./start-miniflare.ts";

/** workerd closes connections that have been idle for 15 s. */
const TOO_LONG_MS = 15_300;

const OPTIONS = {
  modules: true as const,
  compatibilityDate: "2026-11-01",
  r2Buckets: { BUCKET: "soprano" },
  handleStructuredLogs: () => {},
  script: `let broken = 0;
    const PATHS = {
      "/": () => new Response("answered"),
      "/broken": () => new Response(String(broken)),
      "/breaks"() {
        broken++;
        const { readable, writable } = new TransformStream();
        const writer = writable.getWriter();
        writer.write(new TextEncoder().encode("begins"));
        setTimeout(() => writer.abort(new Error("on purpose")), 50);
        return new Response(readable);
      },
    };
    export default { fetch: (request) => PATHS[new URL(request.url).pathname]() };`,
};

const plain = new Miniflare(convertV4MiniflareOptions(OPTIONS));
const patient = startMiniflare(OPTIONS);
const ask = async (server: Miniflare, path = "/") => (await server.dispatchFetch(`http://localhost${path}`)).text();

beforeAll(() => Promise.all([plain.ready, patient.ready]));
afterAll(() => Promise.all([plain.dispose(), patient.dispose()]));

it("answers after its process was blocked for so long that all connections are closed", async () => {
  const bucket = await patient.getR2Bucket("BUCKET");
  const askAll = () => Promise.all([ask(patient), ask(patient), bucket.put("a", "1")]);
  await Promise.all([ask(plain), askAll()]);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TOO_LONG_MS);
  const outcomes = await Promise.allSettled([ask(plain), askAll()]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { cause: { code: "UND_ERR_SOCKET" } } },
    { status: "fulfilled", value: ["answered", "answered", { key: "a" }] },
  ]);
});

it("asks once for an answer that breaks off", async () => {
  await expect(ask(patient, "/breaks")).rejects.toThrow();
  expect(await ask(patient, "/broken")).toBe("1");
});
