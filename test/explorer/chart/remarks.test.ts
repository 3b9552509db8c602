/** Where the texts of notes are drawn, on a canvas that writes down what is drawn on it. */

import fc from "fast-check";
import uPlot from "uplot";
import { describe, expect, it } from "vitest";
import { drawRemarks } from "../../../explorer/src/chart/drawing/remarks.ts";

// A browser says how many pixels of the screen one of the page has.
Object.assign(uPlot, { pxRatio: 1 });

/** Pixels of a character, and of the plot within its canvas. */
const CHARACTER = 7;
const PLOT = { left: 60, top: 10, width: 400, height: 200 };

/** The boxes of the texts, as a canvas draws them that axes have left right-aligned. */
function drawnTexts(remarks: { from: number; to: number | null; text: string }[]) {
  const boxes: { text: string; from: number; to: number; background: [from: number, to: number] }[] = [];
  let background: [number, number] = [0, 0];
  const widthOf = (text: string) => CHARACTER * text.length;
  const ctx = {
    textAlign: "right",
    measureText: (text: string) => ({ width: widthOf(text) }),
    fillRect: (x: number, _y: number, width: number) => {
      background = [x, x + width];
    },
    fillText(text: string, x: number) {
      const from = { left: x, right: x - widthOf(text), center: x - widthOf(text) / 2 }[this.textAlign]!;
      boxes.push({ text, from, to: from + widthOf(text), background });
    },
    ...Object.fromEntries(
      ["save", "restore", "beginPath", "rect", "clip", "moveTo", "lineTo", "stroke"].map((name) => [name, () => {}]),
    ),
  };
  const plot = { ctx, bbox: PLOT, valToPos: (time: number) => PLOT.left + time };
  drawRemarks(plot as never, remarks, { font: "11px sans-serif", color: () => "" });
  return boxes;
}

describe("the text of a note", () => {
  it("begins at its time, in full", () => {
    expect(drawnTexts([{ from: 100, to: null, text: "Launch day" }])).toEqual([
      { text: "Launch day", from: 165, to: 235, background: [160, 240] },
    ]);
  });

  it("is shortened where the plot has no room for it", () => {
    const [box] = drawnTexts([
      { from: 0, to: null, text: "A text of sixty characters or more, which a phone can't show." },
    ]);
    expect(box!.text).toBe("A text of sixty characters or more, which a phone can'…");
  });

  it("lies within the plot and its background, wherever the note is", () => {
    const remark = fc.record({
      from: fc.integer({ min: -50, max: 450 }),
      to: fc.constant(null),
      text: fc.string({ minLength: 1, maxLength: 100 }),
    });
    fc.assert(
      fc.property(fc.array(remark, { maxLength: 6 }), (remarks) => {
        for (const { from, to, background } of drawnTexts(remarks)) {
          expect(from).toBeGreaterThanOrEqual(PLOT.left);
          expect(to).toBeLessThanOrEqual(PLOT.left + PLOT.width);
          expect([from, to]).toEqual([background[0] + 5, background[1] - 5]);
        }
      }),
    );
  });
});
