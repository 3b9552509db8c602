/**
 * examples/notebook runs: by Jupyter where that is there, and else cell by cell in a plain Python. Where matplotlib is
 * missing, a stand-in counts what would be drawn.
 */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { findPython, PYTHON_CLIENT } from "../clients/pythons.ts";
import { newFolder } from "../folders.ts";
import { EXAMPLES, type ServedToken, serveToken } from "./served.ts";

const PATH = join(EXAMPLES, "notebook", "valuation.ipynb");

/** Source: the notebook format 4, https://nbformat.readthedocs.io. */
const notebookSchema = v.object({
  nbformat: v.literal(4),
  nbformat_minor: v.number(),
  metadata: v.looseObject({ kernelspec: v.looseObject({ name: v.literal("python3") }) }),
  cells: v.array(
    v.variant("cell_type", [
      v.strictObject({ cell_type: v.literal("markdown"), metadata: v.object({}), source: v.array(v.string()) }),
      v.strictObject({
        cell_type: v.literal("code"),
        metadata: v.object({}),
        source: v.array(v.string()),
        // Outputs would be of somebody's data.
        outputs: v.tuple([]),
        execution_count: v.null(),
      }),
    ]),
  ),
});

const { cells } = v.parse(notebookSchema, JSON.parse(readFileSync(PATH, "utf8")));
const programs = cells.flatMap(({ cell_type, source }) => (cell_type === "code" ? [source.join("")] : []));

const hasMatplotlib = findPython("pandas, matplotlib") !== undefined;
const PYTHON = findPython(hasMatplotlib ? "pandas, matplotlib" : "pandas");
const JUPYTER = findPython(`nbclient, ipykernel, pandas${hasMatplotlib ? ", matplotlib" : ""}`);

describe("examples/notebook", () => {
  let server: ServedToken;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const out = join(newFolder(), "token");
    const { assetPath } = await simulate({ out, seed: 3, transfers: 5_000, days: 300, symbol: "SIM" });
    server = await serveToken(assetPath);
    const standIns = fileURLToPath(new URL("stand-ins", import.meta.url));
    const paths = [PYTHON_CLIENT.PYTHONPATH, ...(hasMatplotlib ? [] : [standIns])];
    const asked = { SOPRANO_URL: server.url, SOPRANO_KEY: server.key, SOPRANO_ASSET: "SIM" };
    env = { ...process.env, ...PYTHON_CLIENT, ...asked, PYTHONPATH: paths.join(":") };
  });
  afterAll(() => server?.close());

  it("says before each program what it shows", () => {
    expect(programs.length).toBeGreaterThan(4);
    expect(cells[0]!.cell_type).toBe("markdown");
    expect(cells.map(({ source }) => source.join("")).join()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
  });

  it.skipIf(!PYTHON)("runs, cell by cell (needs Python with pandas)", async () => {
    const run = promisify(execFile);
    const last = programs.at(-1)!;
    const program = [...programs.slice(0, -1), `print((${last}))`].join("\n");
    const { stdout, stderr } = await run(PYTHON!, ["-c", program], { env: { ...env, MPLBACKEND: "Agg" } });
    // Market and realised cap, MVRV; eleven ages; two terms.
    if (!hasMatplotlib) expect(stderr).toBe("3 lines\n14 lines\n16 lines\n");
    expect(stdout).toMatch(/^\(\{'SIM': '[0-9a-f]{16}'\}, \{'SIM': /);
  });

  it.skipIf(!JUPYTER)("runs in Jupyter (needs nbclient and ipykernel)", async () => {
    const program = `import nbclient, nbformat, sys
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook).execute()
nbformat.write(notebook, sys.stdout)`;
    const { stdout } = await promisify(execFile)(JUPYTER!, ["-c", program, PATH], { env, maxBuffer: 1 << 26 });
    const outputs = JSON.parse(stdout).cells.flatMap((cell: { outputs?: { data?: object }[] }) => cell.outputs ?? []);
    const pictures = outputs.filter(({ data = {} }: { data?: object }) => "image/png" in data);
    if (hasMatplotlib) expect(pictures).toHaveLength(3);
    expect(outputs.at(-1)).toMatchObject({ output_type: "execute_result" });
  });
});
