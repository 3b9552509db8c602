/** The chart as a picture of its own: title, panes with their legends, notes, source and link, in the page's theme. */

import uPlot from "uplot";
import type { Drawing } from "../chart/drawing/drawing.ts";
import { type Frame, frameOf, visibleInterval } from "../chart/frame.ts";
import { lookOf, plotOptions } from "../chart/options.ts";
import { yieldToBrowser } from "../yield-to-browser.ts";
import { PICTURE_WIDTH, type PictureContent } from "./content.ts";
import { flow, wrapText } from "./layout.ts";

/** Pixels of a picture at its plain size, whatever the window's. */
export const MARGIN = 28;
const LEGEND_ROW = 24;
const SWATCH = 18;

export interface TextStyle {
  size: number;
  weight: number;
  /** The distance from one line to the next. */
  leading: number;
  color: string;
}

export const STYLES = {
  title: { size: 22, weight: 640, leading: 28, color: "--ink" },
  subtitle: { size: 13, weight: 400, leading: 20, color: "--muted" },
  section: { size: 15, weight: 600, leading: 22, color: "--ink" },
  legend: { size: 13, weight: 550, leading: LEGEND_ROW, color: "--soft" },
  note: { size: 12, weight: 400, leading: 18, color: "--muted" },
  source: { size: 12, weight: 550, leading: 18, color: "--soft" },
} satisfies Record<string, TextStyle>;

/** Sizes of a picture in plain pixels. */
interface PictureSize {
  width: number;
  margin: number;
  title: TextStyle;
  /** Heights of the plot of a single pane, and of each of several. */
  plot: { single: number; several: number };
}

const ALONE: PictureSize = {
  width: PICTURE_WIDTH,
  margin: MARGIN,
  title: STYLES.title,
  plot: { single: 500, several: 270 },
};

/** Something to draw, with its height. */
export interface Block {
  height: number;
  draw(context: CanvasRenderingContext2D, top: number): void;
}

/** What a picture shows below the charts: a title, sentences, and what is drawn at a width. */
export interface PictureSection {
  title: string;
  text: string;
  scenes(width: number): PictureScene[];
}

interface PictureScene {
  height: number;
  /** @param paint the colours of custom properties, and the font's family */
  paint(context: CanvasRenderingContext2D, paint: { color(property: string): string; family: string }): void;
}

/**
 * Draws a picture.
 *
 * @param content texts that are empty take no room
 * @param scale pixels for each of the plain size
 * @returns null without points
 */
export async function drawPicture(
  content: PictureContent,
  scale: number,
  sections: readonly PictureSection[],
  { width: whole, margin, title, plot: plotHeight }: PictureSize = ALONE,
): Promise<HTMLCanvasElement | null> {
  const inner = whole - 2 * margin;
  const visible = visibleInterval(content.drawings, content.visible);
  if (visible === null) return null;
  const host = document.createElement("div");
  host.className = "picture-host";
  document.body.append(host);
  try {
    const look = lookOf(host);
    const { fontFamily } = getComputedStyle(host);
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d")!;
    const pen: Pen = { context, fontFamily, color: look.color };
    const write = (style: TextStyle) => choose(pen, style);
    const text = (words: string, style: TextStyle) => textBlock(words, style, pen, { left: margin, width: inner });
    const legend = (drawing: Drawing): Block => {
      // Areas in the order of the page's legend, from the lowest.
      const lines = [
        ...drawing.lines.filter(({ isArea }) => isArea).reverse(),
        ...drawing.lines.filter(({ isArea }) => !isArea),
      ];
      write(STYLES.legend);
      const widths = lines.map(({ title }) => SWATCH + context.measureText(title).width);
      const places = flow(widths, 24, inner);
      const draw = (_: CanvasRenderingContext2D, top: number) => {
        for (const [i, { title, color }] of lines.entries()) {
          const { row, x } = places[i]!;
          const middle = top + (row + 0.5) * LEGEND_ROW;
          context.fillStyle = look.color(color);
          context.fillRect(margin + x, middle - 2, SWATCH - 6, 4);
          write(STYLES.legend);
          context.fillText(title, margin + x + SWATCH, middle);
        }
      };
      return { height: ((places.at(-1)?.row ?? -1) + 1) * LEGEND_ROW, draw };
    };
    const { drawings } = content;
    const blocks: Block[] = [text(content.title, title), text(content.subtitle, STYLES.subtitle)];
    const frame = frameOf(drawings, visible);
    host.style.width = `${inner}px`;
    host.style.height = `${drawings.length === 1 ? plotHeight.single : plotHeight.several}px`;
    for (const [pane, drawing] of drawings.entries()) {
      // Four panes with 28 lines of 3,000 points would be one task of 0.2 s.
      await yieldToBrowser();
      const plot = await plotted(drawing, frame, pane === drawings.length - 1, host, scale, margin);
      blocks.push(space(10), legend(drawing), plot);
    }
    await yieldToBrowser();
    for (const section of sections) {
      blocks.push(space(16), text(section.title, STYLES.section), text(section.text, STYLES.note));
      for (const { height, paint } of section.scenes(inner)) {
        const draw = (context: CanvasRenderingContext2D, top: number) => {
          context.save();
          context.translate(margin, top);
          paint(context, { color: look.color, family: fontFamily });
          context.restore();
        };
        blocks.push(space(8), { height, draw });
      }
    }
    for (const note of content.notes) blocks.push(space(6), text(note, STYLES.note));
    blocks.push(space(8), text(content.source, STYLES.source), text(content.link, STYLES.note));
    const height = heightOf(blocks) + 2 * margin;
    canvas.width = whole * scale;
    canvas.height = height * scale;
    context.scale(scale, scale);
    context.fillStyle = look.color("--surface");
    context.fillRect(0, 0, whole, height);
    drawBlocks(blocks, context, margin);
    return canvas;
  } finally {
    host.remove();
  }
}

/** What texts are written with. */
export interface Pen {
  context: CanvasRenderingContext2D;
  fontFamily: string;
  /** The colour of a custom property. */
  color(property: string): string;
}

function choose({ context, fontFamily, color }: Pen, { weight, size, color: property }: TextStyle): void {
  context.font = `${weight} ${size}px ${fontFamily}`;
  context.fillStyle = color(property);
  context.textBaseline = "middle";
}

/** A text in lines that are no wider than its place. */
export function textBlock(
  words: string,
  style: TextStyle,
  pen: Pen,
  { left, width }: { left: number; width: number },
): Block {
  choose(pen, style);
  const lines = wrapText(words, width, (part) => pen.context.measureText(part).width);
  const draw = (context: CanvasRenderingContext2D, top: number) => {
    choose(pen, style);
    for (const [i, line] of lines.entries()) context.fillText(line, left, top + (i + 0.5) * style.leading);
  };
  return { height: lines.length * style.leading, draw };
}

export const space = (height: number): Block => ({ height, draw: () => {} });

export const heightOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { height }) => sum + height, 0);

/** Draws blocks below each other. */
export function drawBlocks(blocks: readonly Block[], context: CanvasRenderingContext2D, from: number): void {
  let top = from;
  for (const block of blocks) {
    block.draw(context, top);
    top += block.height;
  }
}

/** A pane's plot, drawn as on the page, but at the picture's scale. */
async function plotted(
  drawing: Drawing,
  frame: Frame,
  isLast: boolean,
  host: HTMLElement,
  scale: number,
  left: number,
): Promise<Block> {
  const options = plotOptions(drawing, frame, isLast, host);
  const { hooks } = options;
  const plot = await new Promise<uPlot>((resolve) => {
    options.hooks = {
      ...hooks,
      drawClear: [(plot) => magnify(plot, scale), ...(hooks?.drawClear ?? [])],
      draw: [...(hooks?.draw ?? []), resolve],
    };
    new uPlot(options, [drawing.t, ...drawing.columns] as unknown as uPlot.AlignedData, host);
  });
  const { width, height, ctx } = plot;
  plot.destroy();
  // The browser fills in the pixels now, not those of all panes when the picture is put together.
  const pixels = await createImageBitmap(ctx.canvas);
  return { height, draw: (context, top) => context.drawImage(pixels, left, top, width, height) };
}

/** Gives a plot's canvas so many pixels, whatever the screen's. Its drawing stays the same, in the screen's pixels. */
function magnify({ ctx, width, height }: uPlot, scale: number): void {
  ctx.canvas.width = width * scale;
  ctx.canvas.height = height * scale;
  ctx.scale(scale / uPlot.pxRatio, scale / uPlot.pxRatio);
}
