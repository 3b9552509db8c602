/** Every example runs, against what it needs: the token is built and served, the clients and the query read it. */

import { execFile, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../builder/build/run/build.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { exportBuild } from "../../builder/published/export/export.ts";
import { type Server, serve } from "../../builder/serve/serve.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";
import { createClient } from "../../clients/typescript/src/client.ts";
import { dashboardOf } from "../../examples/grafana/make.ts";
import { findPython, PYTHON_CLIENT } from "../clients/pythons.ts";
import { snippetsOf } from "./snippets.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));
const PYTHON = findPython();
const JQ = spawnSync("jq", ["--version"]).status === 0;

describe("examples", () => {
  const folder = mkdtempSync(join(tmpdir(), "soprano-examples-"));
  const exported = join(folder, "exported");
  let server: Server;
  let key = "";
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const persist = join(folder, "state");
    const state = await openLocalState(persist);
    await build(join(EXAMPLES, "token", "asset.json"), state.objects, { threads: 1, progress: silentProgress() });
    ({ key } = await createKey(state.keys, { name: "examples" }));
    await exportBuild(state.objects, "TINY", { out: exported }, silentProgress());
    await state.close();
    server = await serve({ port: 0, persist });
    env = { ...process.env, ...PYTHON_CLIENT, SOPRANO_URL: server.url, SOPRANO_KEY: key };
  });

  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("token: its series are those of the worked example", async () => {
    const ask = async (query: string) =>
      (await fetch(`${server.url}/v1/metrics/${query}&a=TINY&s=2024-01-02`, {
        headers: { "X-Api-Key": key },
      }).then((response) => response.json())) as { v: number }[];
    for (const [query, value] of [
      ["volume?", 260],
      ["moved_coins_cost_basis?", 322],
      ["sopr?", 520 / 322],
      ["realised_profit?", 198],
      ["cex_inflow?c=all", 150],
      ["cex_inflow?c=other", 100],
      ["supply?", 1100],
      ["realised_cap?", 1398],
      ["unrealised_profit?", 802],
      ["market_cap?c=users", 1400],
      ["sc_volume_locked?", 50],
    ] as const) {
      expect(await ask(query), query).toEqual([{ t: "2024-01-02T00:00:00", v: value }]);
    }
  });

  it.skipIf(!PYTHON)("the client in Python reads it (needs Python)", async () => {
    const program = 'import soprano; print(soprano.series("TINY", "volume")["series"][0]["v"])';
    const { stdout } = await promisify(execFile)(PYTHON!, ["-c", program], { env });
    expect(stdout.trim()).toBe("[300, 260]");
  });

  it("the client in TypeScript reads it", async () => {
    const { data } = await createClient({ url: server.url, key }).series({ a: "TINY", m: "supply", c: "$100-1k" });
    expect(data?.series[0]?.v).toEqual([800, 100]);
  });

  it("mvrv.sql", async () => {
    const database = await DuckDBInstance.create(":memory:");
    const connection = await database.connect();
    await connection.run(`SET VARIABLE folder = '${exported}'`);
    const statements = await connection.extractStatements(readFileSync(join(EXAMPLES, "mvrv.sql"), "utf8"));
    let rows: unknown;
    for (let index = 0; index < statements.count; index++) {
      const statement = await statements.prepare(index);
      rows = (await statement.runAndReadAll()).getRowsJson();
    }
    connection.closeSync();
    database.closeSync();
    expect(rows).toEqual([
      ["2024-01-01", 1000, 1000, 1],
      ["2024-01-02", 2200, 1398, 2200 / 1398],
    ]);
  });

  it("observable: the loader prints a file, and the page finds its columns", async () => {
    const loader = join(EXAMPLES, "observable", "src", "data", "supply.parquet.ts");
    const load = promisify(execFile)(process.execPath, [loader], {
      env: { ...env, SOPRANO_ASSET: "TINY" },
      encoding: "buffer",
    });
    const supply = tableFromIPC(readParquet(new Uint8Array((await load).stdout)).intoIPCStream());
    const page = readFileSync(join(EXAMPLES, "observable", "src", "index.md"), "utf8");
    const [attachment, code, plot] = snippetsOf("index.md", page).map((snippet) => snippet.code);
    expect(attachment).toContain('FileAttachment("data/supply.parquet").parquet()');
    expect(plot).toContain('x: "t", y: "supply", fill: "age"');
    const points = new Function("supply", `${code}; return points;`)(supply);
    const young = points.filter(({ age }: { age: string }) => age === "<1d");
    const v1 = await fetch(`${server.url}/v1/metrics/supply?a=TINY&c=%3C1d`, { headers: { "X-Api-Key": key } });
    const expected = (await v1.json()) as { t: string; v: number }[];
    expect(young).toEqual(expected.map(({ t, v }) => ({ t: new Date(`${t}Z`), age: "<1d", supply: v })));
    expect(young).toHaveLength(2);
    const failing = promisify(execFile)(process.execPath, [loader], { env: { ...env, SOPRANO_ASSET: "TINI" } });
    await expect(failing).rejects.toThrow(/Unsupported asset/);
  });

  it("Google Sheets: the formula's answer is CSV that every locale reads alike", async () => {
    const using = readFileSync(join(EXAMPLES, "..", "docs", "using.md"), "utf8");
    const [, formula] = using.match(/=IMPORTDATA\("([^"]+)", ",", "en_US"\)/)!;
    const url = formula!
      .replace("https://soprano.example", server.url)
      .replace("api_key=…", `api_key=${key}`)
      .replaceAll("ARIA", "TINY");
    const response = await fetch(url);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/csv; charset=utf-8"]);
    const [head, ...rows] = (await response.text()).trimEnd().split("\n");
    expect(head).toBe("t,TINY:price:total,TINY:sopr:total");
    expect(rows).toEqual([`${1_704_067_200},1,1`, `${1_704_153_600},2,${520 / 322}`]);
  });

  describe("grafana/dashboard.json", () => {
    const dashboard: Dashboard = JSON.parse(readFileSync(join(EXAMPLES, "grafana", "dashboard.json"), "utf8"));
    const variables = dashboard.templating.list;
    const panels = dashboard.panels.flatMap((one) => (one.type === "row" ? [] : [one]));
    const chosen: Record<string, string> = {
      asset: "TINY",
      "__from:date:seconds": "1704067200",
      "__to:date:seconds": "1704153600",
    };

    it("is what make.ts makes of today's boards", () => {
      const made = dashboardOf(join(EXAMPLES, "..", "boards"));
      expect(dashboard, "run: node examples/grafana/make.ts").toEqual(JSON.parse(made));
      // The board of lots is left out.
      const boards = globSync("*.json", { cwd: join(EXAMPLES, "..", "boards"), exclude: ["which-cost-basis.json"] });
      expect(dashboard.panels.filter(({ type }) => type === "row")).toHaveLength(boards.length);
    });

    it("is a dashboard whose variables exist, and that holds no key", () => {
      const names = ["datasource", ...Object.keys(chosen)];
      const used = JSON.stringify(panels).matchAll(/\$\{([^}]+)\}/g);
      expect([...new Set(Array.from(used, ([, name]) => name))].toSorted()).toEqual(names.toSorted());
      expect(variables.map(({ name }) => name)).toEqual(["datasource", "asset"]);
      expect(panels.map(({ datasource }) => datasource.uid)).toEqual(panels.map(() => `$\{datasource}`));
      expect(JSON.stringify(dashboard)).not.toMatch(/api_key|X-Api-Key|Authorization/i);
    });

    it("has each panel once, at a place of its own, and overrides of series that there are", () => {
      expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
      const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
      for (const { title, targets, fieldConfig } of panels) {
        const series = targets.flatMap(({ columns }) => columns.map(({ text }) => text));
        for (const { matcher } of fieldConfig.overrides) expect(series, title).toContain(matcher.options);
      }
    });

    it
      .skipIf(!JQ)
      .each([
        ...variables.flatMap(({ name, query }) =>
          typeof query === "string" ? [] : [[name, query.infinityQuery] as const],
        ),
        ...panels.flatMap(({ title, targets }) => targets.map((target) => [title, target] as const)),
      ])("%s: the answer has the columns, and they have their types (needs jq)", async (_, target) => {
      const url = new URL(target.url, server.url);
      for (const { key, value } of target.url_options.params) {
        url.searchParams.append(
          key,
          // Averages of seven days have no value in a history of two.
          value.replaceAll(/\$\{([^}]+)\}/g, (_, name) => chosen[name]!).replaceAll(", 7)", ", 2)"),
        );
      }
      const response = await fetch(url, { headers: { "X-Api-Key": key } });
      expect(response.status, await response.clone().text()).toBe(200);
      const text = await response.text();
      const { stdout } = spawnSync("jq", ["-c", target.root_selector], { input: text });
      const rows: Record<string, unknown>[] = JSON.parse(String(stdout));
      // Nobody has made a loss with TINY: parts of a family that are 0 throughout have no rows.
      const { series = [{ v: [1] }] } = JSON.parse(text) as { series?: { v: (number | null)[] }[] };
      const isIdle = target.columns.some((one) => one.selector === "part") && series.every(({ v }) => !v.some(Boolean));
      expect(rows.length > 0, text).toBe(!isIdle);
      for (const { selector, type } of target.columns) {
        const values = rows.map((row) => row[selector]).filter((value) => value !== null);
        expect(values.map((value) => typeof value)).toEqual(values.map(() => TYPES[type]));
        if (type === "timestamp_epoch_s") expect([...values].toSorted()).toEqual(values);
      }
    });
  });
});

/** What Infinity makes of the types of columns. */
const TYPES: Record<string, string> = { string: "string", number: "number", timestamp_epoch_s: "number" };

interface Target {
  url: string;
  url_options: { params: { key: string; value: string }[] };
  root_selector: string;
  columns: { selector: string; text: string; type: string }[];
}

interface Place {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
}

interface Panel extends Place {
  type: "timeseries";
  datasource: { uid: string };
  fieldConfig: { overrides: { matcher: { options: string } }[] };
  targets: Target[];
}

interface Dashboard {
  templating: { list: { name: string; query: string | { infinityQuery: Target } }[] };
  panels: (Panel | (Place & { type: "row" }))[];
}
