import fc from "fast-check";
import { expect, it } from "vitest";
import { MARKS } from "../../../data-schema/chart-link.ts";
import { COLORS, formatStyle, PLAIN_STYLE, parseStyle, WIDTHS } from "../../../explorer/src/lines/line-style.ts";

it("is the same from its text", () => {
  const styles = fc.record({
    mark: fc.constantFrom(null, ...MARKS),
    color: fc.constantFrom(null, ...COLORS),
    width: fc.constantFrom(null, ...WIDTHS),
    isRight: fc.boolean(),
    isOff: fc.boolean(),
  });
  fc.assert(
    fc.property(styles, (style) => {
      expect(parseStyle(formatStyle(style))).toEqual(style);
    }),
  );
});

it.each([
  ["", PLAIN_STYLE],
  ["bars.c3.thick.right", { mark: "bars", color: 3, width: "thick", isRight: true, isOff: false }],
  ["off", { ...PLAIN_STYLE, isOff: true }],
  ["c7", undefined],
  ["left", undefined],
  ["bars.", undefined],
  ["constructor", undefined],
])("%s", (text, style) => expect(parseStyle(text)).toEqual(style));
