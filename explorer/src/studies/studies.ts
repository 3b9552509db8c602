/** What can be computed from a chart's lines, loaded once somebody asks for it; and how it is painted. */

import type { Study } from "../state/study.ts";
import type { Finding, StudyInput, StudyTable } from "./finding.ts";
import type { Scene, Shape } from "./scene.ts";
import { showCycles } from "./show-cycles.ts";
import { showHistogram } from "./show-histogram.ts";
import { showScatter } from "./show-scatter.ts";
import { showSeasons } from "./show-seasons.ts";

type Show = { [K in Study["kind"]]: (input: StudyInput, study: Extract<Study, { kind: K }>) => Finding };

const SHOW: Show = {
  cycles: (input, { since }) => showCycles(input, since),
  seasons: showSeasons,
  scatter: showScatter,
  histogram: showHistogram,
};

export function findingOf(input: StudyInput): Finding {
  return (SHOW[input.study.kind] as (input: StudyInput, study: Study) => Finding)(input, input.study);
}

/** What paints: the colours of custom properties, and a font's family. */
export interface Paint {
  color(property: string): string;
  family: string;
}

export function paintScene(context: CanvasRenderingContext2D, { shapes }: Scene, paint: Paint): void {
  context.font = `11px ${paint.family}`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const shape of shapes) paintShape(context, shape, paint);
}

function paintShape(context: CanvasRenderingContext2D, shape: Shape, { color }: Paint): void {
  if (shape.kind === "box") {
    context.globalAlpha = shape.alpha;
    context.fillStyle = color(shape.color);
    context.fillRect(shape.x, shape.y, shape.width, shape.height);
    context.globalAlpha = 1;
  } else if (shape.kind === "text") {
    context.textAlign = shape.align;
    context.fillStyle = color(shape.color);
    context.fillText(shape.text, shape.x, shape.y);
    context.textAlign = "left";
  } else if (shape.kind === "line") {
    context.beginPath();
    for (let i = 0; i < shape.points.length; i += 2) context.lineTo(shape.points[i]!, shape.points[i + 1]!);
    context.strokeStyle = color(shape.color);
    context.lineWidth = shape.width;
    context.stroke();
  } else {
    for (let i = 0; i < shape.points.length; i += 2) {
      context.beginPath();
      context.arc(shape.points[i]!, shape.points[i + 1]!, shape.radius, 0, 2 * Math.PI);
      context.fillStyle = color(shape.colors[i / 2]!);
      context.fill();
    }
  }
}

const ROW = 20;

/** A table as shapes, for pictures. */
export function tableScene({ head, rows }: StudyTable, width: number): Scene {
  const first = Math.max(90, ...rows.map(({ name }) => 26 + 6.4 * name.length));
  // Few columns stay together, where they can be read.
  const step = Math.min(110, (width - first) / Math.max(1, head.length - 1));
  const end = (column: number) => first + step * (column + 1) - 4;
  const shapes: Shape[] = head
    .slice(1)
    .map((text, i) => ({ kind: "text", x: end(i), y: ROW / 2, text, color: "--muted", align: "right" }));
  for (const [i, { name, color, cells }] of rows.entries()) {
    const top = ROW * (i + 1);
    if (color) shapes.push({ kind: "box", x: 0, y: top + ROW / 2 - 2, width: 12, height: 4, color, alpha: 1 });
    shapes.push({ kind: "text", x: color ? 18 : 0, y: top + ROW / 2, text: name, color: "--soft", align: "left" });
    for (const [column, { text, shade, isPartial }] of cells.entries()) {
      if (shade && !isPartial) {
        const box = { x: end(column) - step + 5, y: top, width: step - 1, height: ROW - 1 };
        shapes.push({
          kind: "box",
          ...box,
          color: SHADES[shade > 0 ? "up" : "down"],
          alpha: MOST_SHADE * Math.abs(shade),
        });
      }
      const ink = isPartial ? "--muted" : "--ink";
      shapes.push({ kind: "text", x: end(column), y: top + ROW / 2, text, color: ink, align: "right" });
    }
  }
  return { height: ROW * (rows.length + 1), shapes };
}

/** The colours behind cells, and how much of them the furthest cell has. */
export const SHADES = { up: "--good", down: "--series-2" } as const;
export const MOST_SHADE = 0.4;
