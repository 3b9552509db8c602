import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { progressFor } from "../../../builder/lib/terminal/progress.ts";

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

test("a bar shows what goes on beside its step, until the next one", async () => {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80 });
  const progress = progressFor(stream as unknown as NodeJS.WriteStream, false);
  let text = "";
  stream.on("data", (part) => (text += part));
  progress.step("series", 10);
  progress.detail("3 of 9 objects put");
  await vi.waitFor(() => expect(text).toContain("· 3 of 9 objects put"));
  text = "";
  progress.step("publish", 10);
  await vi.waitFor(() => expect(text).toContain("publish"));
  progress.end();
  expect(text.slice(text.indexOf("publish"))).not.toContain("objects");
});

test.each([true, false])("a note can't command the terminal: %s", (isTTY) => {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY, columns: 80 });
  progressFor(stream as unknown as NodeJS.WriteStream, false).note("a\u001b[2Jb\u202e");
  expect(stream.read()).toBe("a\\u{1b}[2Jb\\u{202e}\n");
});
