/** Every example runs, against what it needs: the token is built and served, the clients and the query read it. */

import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../builder/pipeline/build.ts";
import { type Server, serve } from "../../builder/serve/serve.ts";
import { createKey } from "../../builder/store/api-keys.ts";
import { openLocalState } from "../../builder/store/local.ts";
import { silentProgress } from "../../builder/terminal/progress.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));
const PYTHON = ["python3", "python"].find((name) => spawnSync(name, ["--version"]).status === 0);
if (!PYTHON) console.warn("examples/client.py is not tested: this machine has no Python.");

describe("examples", () => {
  const folder = mkdtempSync(join(tmpdir(), "soprano-examples-"));
  const bucket = join(folder, "bucket");
  let server: Server;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const persist = join(folder, "state");
    const state = await openLocalState(persist);
    await build(join(EXAMPLES, "token", "asset.json"), state.objects, { threads: 1, progress: silentProgress() });
    const { key } = await createKey(state.keys, { name: "examples" });
    for (const name of (await state.objects.list("")).keys()) {
      mkdirSync(dirname(join(bucket, name)), { recursive: true });
      writeFileSync(join(bucket, name), (await state.objects.get(name))!.bytes);
    }
    await state.close();
    server = await serve({ port: 0, persist });
    env = { ...process.env, SOPRANO_URL: server.url, SOPRANO_KEY: key };
  });

  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(program, args, { cwd: EXAMPLES, env })).stdout.trimEnd().split("\n");

  it("token: its series are those of the worked example", async () => {
    const ask = async (query: string) =>
      (await fetch(`${server.url}/v1/metrics/${query}&a=TINY&s=2024-01-02`, {
        headers: { "X-Api-Key": env.SOPRANO_KEY! },
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

  it.skipIf(!PYTHON)("client.py (needs Python)", async () => {
    expect(await run(PYTHON!, "client.py", "TINY", "volume")).toEqual([
      "2024-01-01T00:00:00+00:00 300.0",
      "2024-01-02T00:00:00+00:00 260.0",
    ]);
    await expect(run(PYTHON!, "client.py", "TINY", "volum")).rejects.toThrow(/Unknown metric/);
  });

  it("client.ts", async () => {
    expect(await run(process.execPath, "client.ts", "TINY", "supply", "c=$100-1k")).toEqual([
      "2024-01-01T00:00:00.000Z 800",
      "2024-01-02T00:00:00.000Z 100",
    ]);
    await expect(run(process.execPath, "client.ts", "TINY", "volum")).rejects.toThrow(/Unknown metric/);
  });

  it("mvrv.sql", async () => {
    const database = await DuckDBInstance.create(":memory:");
    const connection = await database.connect();
    await connection.run(`SET VARIABLE bucket = '${bucket}'; SET VARIABLE symbol = 'TINY'`);
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
});
