import * as AbiEvent from "ox/AbiEvent";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import { describe, expect, it } from "vitest";
import { EVENT_SHAPES } from "../../../builder/fetch/transfers/event-shapes.ts";
import { EVENT_KINDS } from "../../../builder/input/asset/source.ts";

const shapes = EVENT_KINDS.flatMap((kind) => EVENT_SHAPES[kind].map((shape) => ({ kind, ...shape })));

describe.each(shapes)("$signature of $kind", ({ signature, topic0, forms }) => {
  it("has the Keccak-256 of its signature as topic 0", () => {
    expect(topic0).toBe(Hash.keccak256(Hex.fromString(signature)));
    expect(topic0).toBe(AbiEvent.getSelector(`event ${signature}`));
  });

  it("has forms that read each parameter at most once, from what such a log has", () => {
    for (const [topics, form] of Object.entries(forms)) {
      if (typeof form === "string") continue;
      const parameters = signature.split(",").length;
      expect(Number(topics) - 1 + form.words).toBe(parameters);
      const fields = [form.from, form.to, form.value].filter((field) => typeof field === "object");
      expect(new Set(fields.map((field) => JSON.stringify(field))).size).toBe(parameters);
      for (const field of fields) {
        if ("topic" in field) expect(field.topic).toBeLessThan(Number(topics));
        else expect(field.word).toBeLessThan(form.words);
      }
    }
  });
});
