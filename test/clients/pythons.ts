/** The Python of this machine, for tests of the client and of the pages. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a process needs to import clients/python/soprano. */
export const PYTHON_CLIENT = {
  PYTHONPATH: fileURLToPath(new URL("../../clients/python", import.meta.url)),
  PYTHONDONTWRITEBYTECODE: "1",
};

/** The first Python that has these modules, separated by commas; undefined if there is none. */
export function findPython(modules = "sys"): string | undefined {
  return ["python3", "/usr/bin/python3", "python"].find((python) => {
    const env = { ...process.env, ...PYTHON_CLIENT };
    return spawnSync(python, ["-c", `import ${modules}`], { env }).status === 0;
  });
}
