/** The static files: size, names, and the headers that they are served with. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetRouting } from "../../builder/store/wrangler.ts";
import { buildExplorer } from "../../explorer/build.ts";
import { compressedSize, isCard, loadedFiles } from "./loaded-files.ts";

let folder: string;
let server: Miniflare;
let url: URL;

beforeAll(async () => {
  folder = await buildExplorer();
  server = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: `export default {
        fetch(request, { ASSETS }) {
          const isPage = /^\\/(boards\\/.*)?$/.test(new URL(request.url).pathname);
          return isPage ? ASSETS.fetch(request) : new Response("from the Worker", { status: 404 });
        },
      }`,
      compatibilityDate: "2026-11-01",
      assets: { directory: folder, ...(await assetRouting()) },
    }),
  );
  url = await server.ready;
});
afterAll(() => server.dispose());

const get = (path: string) => fetch(`${url.origin}/${path.replace(/^\//, "")}`, { redirect: "manual" });

const loadedBy = (page: string) => loadedFiles(folder, page);

it("the explorer has at most 190 kB, its script 125 kB", async () => {
  const files = (await loadedBy("index.html")).filter((name) => !isCard(name));
  const total = await compressedSize(folder, files);
  console.log(`the explorer: ${(total / 1000).toFixed(1)} kB gzip in ${files.length} files`);
  const names = new Set(files.map((name) => name.replace(/-[^-]+(?=\.\w+$)/, "")));
  expect([...names].toSorted()).toEqual([
    "index.html",
    "static/icon.svg",
    "static/inter-latin-wght-normal.woff2",
    // What the script shares with the parts of it that are loaded later: the page asks for all of them at once.
    "static/main-chunk.js",
    "static/main.js",
    "static/style.css",
    "static/theme.js",
  ]);
  expect(total).toBeLessThan(190_000);
  const script = files.filter((name) => /^static\/main-/.test(name));
  const page = await readFile(join(folder, "index.html"), "utf8");
  for (const name of script) expect(page).toContain(`"/${name}"`);
  const bytes = await compressedSize(folder, script);
  console.log(`its script: ${(bytes / 1000).toFixed(1)} kB`);
  expect(bytes).toBeLessThan(125_000);
});

it("what computes studies, loaded once somebody asks for one, has at most 12 kB", async () => {
  const all = await loadedFiles(folder, "index.html", true);
  const later = all.filter((name) => name.startsWith("static/main-studies-"));
  expect(later).toHaveLength(1);
  expect(await compressedSize(folder, later)).toBeLessThan(12_000);
});

it("the picture on cards is of the size that the page says, with at most 60 kB", async () => {
  const picture = await readFile(join(folder, (await loadedBy("index.html")).find(isCard)!));
  const page = await readFile(join(folder, "index.html"), "utf8");
  // The header of a PNG file.
  for (const [name, offset] of [
    ["width", 16],
    ["height", 20],
  ] as const) {
    expect(page).toContain(`<meta property="og:image:${name}" content="${picture.readUInt32BE(offset)}">`);
  }
  expect(picture.length).toBeLessThan(60_000);
});

it("an embedded chart has at most 128 kB, and none of the explorer's dialogs", async () => {
  const files = await loadedBy("embed.html");
  const total = await compressedSize(folder, files);
  console.log(`an embedded chart: ${(total / 1000).toFixed(1)} kB gzip in ${files.length} files`);
  expect(total).toBeLessThan(128_000);
  const text = (await Promise.all(files.map((name) => readFile(join(folder, name), "latin1")))).join();
  for (const unwanted of ["showModal", "soprano-key", "localStorage"]) expect(text).not.toContain(unwanted);
});

it("the table of assets, with the language of formulas, has at most 95 kB", async () => {
  const files = await loadedBy("assets.html");
  const total = await compressedSize(folder, files);
  console.log(`the table of assets: ${(total / 1000).toFixed(1)} kB gzip in ${files.length} files`);
  expect(total).toBeLessThan(95_000);
});

it("the page of holders has at most 75 kB", async () => {
  const files = await loadedBy("holders.html");
  const total = await compressedSize(folder, files);
  console.log(`the page of holders: ${(total / 1000).toFixed(1)} kB gzip in ${files.length} files`);
  expect(total).toBeLessThan(75_000);
});

it("the status has at most 60 kB", async () => {
  const files = await loadedBy("status.html");
  const total = await compressedSize(folder, files);
  console.log(`the status: ${(total / 1000).toFixed(1)} kB gzip in ${files.length} files`);
  expect(total).toBeLessThan(60_000);
});

it("a board has at most 150 kB", async () => {
  const files = await loadedBy("boards/valuation.html");
  expect(files.toSorted().slice(1)).toEqual((await loadedBy("boards.html")).toSorted().slice(1));
  const total = await compressedSize(folder, files);
  console.log(`a board: ${(total / 1000).toFixed(1)} kB gzip in ${files.length} files`);
  expect(total).toBeLessThan(150_000);
});

it("the methodology has at most 80 kB without its pictures", async () => {
  const files = (await loadedBy("methodology.html")).filter((name) => !name.endsWith(".png"));
  expect(await compressedSize(folder, files)).toBeLessThan(80_000);
});

it("/docs shows nothing in place of a key but YOUR_API_KEY", async () => {
  const [script] = (await readdir(join(folder, "static"))).filter((name) => /^scalar-.*\.js$/.test(name));
  const text = await readFile(join(folder, "static", script!), "utf8");
  // Scalar's own: a name, and a joke in base64.
  expect(text).not.toMatch(/YOUR_SECRET_TOKEN|QUxMIFlPVVIg/);
  expect(text).toContain("YOUR_API_KEY");
});

it("a build leaves no unused files", async () => {
  const pages = [
    "index.html",
    "embed.html",
    "assets.html",
    "holders.html",
    "status.html",
    "boards.html",
    "docs.html",
    "methodology.html",
    "not-found.html",
  ];
  const used = new Set((await Promise.all(pages.map((page) => loadedFiles(folder, page, true)))).flat());
  const there = (await readdir(join(folder, "static"))).map((name) => `static/${name}`);
  expect(there.filter((name) => !used.has(name))).toEqual([]);
});

describe("headers", () => {
  const isScript = (name: string) => name.endsWith(".js");
  const STRICT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "connect-src": "'self'",
    "frame-ancestors": "'none'",
  };
  const policy = async (path: string) => {
    const text = (await get(path)).headers.get("content-security-policy")!;
    return Object.fromEntries(text.split("; ").map((part) => part.split(/ (.*)/, 2)));
  };

  it.each(["/", "/assets", "/holders", "/status", "/boards", "/boards/valuation", "/methodology"])(
    "restrict %s to its own files and its own Worker",
    async (page) => {
      expect(await policy(page)).toMatchObject({ ...STRICT, "style-src": "'self'" });
      expect(JSON.stringify(await policy(page))).not.toMatch(/unsafe|https?:|\*/);
    },
  );

  it("let any page frame an embedded chart, and only that", async () => {
    expect(await policy("/embed")).toEqual({ ...(await policy("/")), "frame-ancestors": "*" });
    const others = [
      "/",
      "/assets",
      "/status",
      "/docs",
      "/methodology",
      "/static/none.js",
      (await loadedBy("embed.html")).find(isScript)!,
    ];
    for (const path of others) expect(await policy(path), path).toMatchObject({ "frame-ancestors": "'none'" });
    for (const path of [...others, "/embed"]) expect((await get(path)).headers.get("x-frame-options"), path).toBeNull();
  });

  it("also allow inline styles for the API reference", async () => {
    expect(await policy("/docs")).toMatchObject({ ...STRICT, "style-src": "'self' 'unsafe-inline'" });
  });

  it("make browsers keep assets, and revalidate pages", async () => {
    const style = (await loadedBy("index.html")).find((name) => name.endsWith(".css"));
    expect((await get(style!)).headers.get("cache-control")).toContain("immutable");
    expect((await get("/")).headers.get("cache-control")).toContain("must-revalidate");
  });
});

it("requests for anything else reach the Worker", async () => {
  const other = ["/v1/metrics", "/health", "/src/main.ts", "/_headers", "/docs/x", "/v1/metrics/%"];
  const aliases = [
    "/index.html",
    "/docs.html",
    "/docs/",
    "//",
    "//docs",
    "/%64ocs",
    "/index",
    "/docs/index.html",
    "/methodology/",
    "/assets/",
    "/assets.html",
    "/holders/",
    "/holders.html",
    "/holders/0x0",
    "/status/",
    "/status.html",
    "/embed/",
    "/embed.html",
    "/%65mbed",
  ];
  for (const path of [...other, ...aliases]) {
    expect(await (await get(`${path}?api_key=secret`)).text(), path).toBe("from the Worker");
  }
});

it("a file that does not exist is a 404", async () => {
  expect((await get("/static/none.js")).status).toBe(404);
});
