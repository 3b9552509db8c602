import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Isolate, Memory } from "../../worker/isolate.ts";

it("drops what was used least recently", () => {
  const memory = new Memory<string>(10, (value) => value.length);
  memory.set("a", "12");
  memory.set("b", "12");
  expect(memory.get("a")).toBe("12");
  memory.set("c", "12");
  expect([memory.get("a"), memory.get("b"), memory.get("c")]).toEqual(["12", undefined, "12"]);
});

it("does not store what exceeds its limit, and drops nothing for it", () => {
  const memory = new Memory<string>(10, (value) => value.length);
  memory.set("a", "12");
  memory.set("b", "x".repeat(9));
  expect([memory.get("a"), memory.get("b"), memory.bytes]).toEqual(["12", undefined, 4]);
});

it("never exceeds its limit, and holds the values that were set last", () => {
  const step = fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.option(fc.nat(40)));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const memory = new Memory<number>(100, (value) => value);
      const last = new Map<string, number>();
      for (const [key, value] of steps) {
        if (value === null) memory.delete(key);
        else memory.set(key, value);
        last.delete(key);
        if (value !== null) last.set(key, value);
        expect(memory.bytes).toBeLessThanOrEqual(100);
        const held = [...last].filter(([known]) => memory.get(known) !== undefined);
        for (const [known, expected] of held) expect(memory.get(known)).toBe(expected);
        expect(memory.bytes).toBe(held.reduce((sum, [, bytes]) => sum + bytes + 2, 0));
      }
    }),
  );
});

it("all caches of an isolate stay below 26 MB", () => {
  const isolate = new Isolate();
  const megabyte = new Float64Array(1 << 16);
  for (let i = 0; i < 64; i++) isolate.slices.set(String(i), { t: megabyte, v: megabyte });
  const limits = [isolate.keys, isolate.manifests, isolate.footers, isolate.slices, isolate.documents];
  expect(isolate.slices.bytes).toBeGreaterThan(10 << 20);
  expect(limits.reduce((sum, memory) => sum + memory.limit, 0)).toBeLessThan(26e6);
});
