import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { progressFor } from "../builder/progress.ts";

test("a bar sets nothing of the terminal that a sudden end would leave behind", () => {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80 });
  const progress = progressFor(stream as unknown as NodeJS.WriteStream, false);
  progress.step("read", 10);
  progress.note("a note");
  progress.step("write", 10);
  const text: string = stream.read();
  progress.end();
  for (const shown of ["read ", "a note\n", "write "]) expect(text).toContain(shown);
  // Cursor, line wrapping and all other modes of a terminal are set by this.
  expect(text).not.toContain("\u001b[?");
});
