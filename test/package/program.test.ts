/** Sources as they find their files in the package. */

import { expect, it } from "vitest";
import { withAddress } from "../../builder/package/program.ts";

it("a source keeps the address that it has in the project", () => {
  expect(withAddress("builder/engine/flows.ts", 'readFileSync(new URL("assembly/flows.wasm", import.meta.url))')).toBe(
    'readFileSync(new URL("assembly/flows.wasm", new URL("../builder/engine/flows.ts", import.meta.url).href))',
  );
  expect(withAddress("builder/cli.ts", "const place = import.meta.url; const other = import.meta.url;")).toBe(
    "const place = URL; const other = URL;".replaceAll("URL", 'new URL("../builder/cli.ts", import.meta.url).href'),
  );
  expect(withAddress("builder/cli.ts", 'import.meta.resolve("piscina")')).toBe('import.meta.resolve("piscina")');
});

it("a thread is the program of its name", () => {
  const start = (name: string) => `new URL("./${name}", import.meta.url).href`;
  expect(withAddress("builder/build/threads/thread-pool.ts", start("thread-task.ts"))).toBe(start("thread-task.js"));
  expect(() => withAddress("builder/cli.ts", start("other-task.ts"))).toThrow(
    "builder/cli.ts: add other-task.ts to ENTRIES of builder/package/program.ts.",
  );
});
