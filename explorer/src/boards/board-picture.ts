/** A board as one picture: its name, its charts and texts in their grid, and where it is from; in the page's theme. */

import { lookOf } from "../chart/options.ts";
import { part } from "../panels/dom.ts";
import { studySections } from "../panels/tables/study-input.ts";
import { PICTURE_WIDTH, pictureContent } from "../picture/content.ts";
import { placeTiles } from "../picture/layout.ts";
import {
  type Block,
  drawBlocks,
  drawPicture,
  heightOf,
  MARGIN,
  type Pen,
  STYLES,
  space,
  type TextStyle,
  textBlock,
} from "../picture/picture.ts";
import { type Board, type BoardItem, type Height, isBoardText } from "../state/board-in-link.ts";
import type { BoardCell } from "./cell.ts";
import { parseMarkdown, plainText } from "./markdown.ts";

export interface PicturedBoard {
  board: Board;
  /** A cell for each of the board's items, which is loaded. */
  cells: readonly BoardCell[];
  title: string;
  /** Where it is from, and its link. */
  text: string;
  link: string;
}

const GAP = 16;
/** Plain pixels of a column, by how many there are. */
const COLUMN_WIDTHS = { 1: PICTURE_WIDTH - 2 * MARGIN, 2: 680, 3: 560, 4: 480 } as const;
const PLOT_HEIGHTS: Record<Height, number> = { low: 170, medium: 260, tall: 410 };
const CELL_MARGIN = 14;
/** Characters of a link that a picture shows: nobody types a longer one. */
const LONGEST_SHOWN = 400;

const CELL_TITLE: TextStyle = { ...STYLES.title, size: 15, leading: 22 };
const BODY: TextStyle = { size: 14, weight: 400, leading: 21, color: "--ink" };
const HEADINGS: Record<1 | 2 | 3, TextStyle> = {
  1: { ...BODY, size: 20, weight: 640, leading: 28 },
  2: { ...BODY, size: 16, weight: 600, leading: 24 },
  3: { ...BODY, weight: 600 },
};

/** An item of the grid. */
interface Tile {
  isWide: boolean;
  block: Block;
}

/**
 * Draws a board.
 *
 * @param scale pixels for each of the plain size
 * @returns null for a size that the browser can't draw
 */
export async function boardPicture(
  { board, cells, title, text, link }: PicturedBoard,
  scale: number,
): Promise<Blob | null> {
  const column = COLUMN_WIDTHS[board.columns];
  const inner = board.columns * column + (board.columns - 1) * GAP;
  const whole = inner + 2 * MARGIN;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d")!;
  const { color } = lookOf(document.body);
  const pen: Pen = { context, fontFamily: getComputedStyle(document.body).fontFamily, color };
  const wide = { left: MARGIN, width: inner };
  const tiles: Tile[] = [];
  for (const [i, item] of board.charts.entries()) {
    const isWide = isBoardText(item) && item.isWide;
    const width = isWide ? inner : column;
    tiles.push({ isWide, block: await tileOf(item, cells[i]!, width, pen, scale) });
  }
  const { places, height } = placeTiles(
    tiles.map(({ isWide, block }) => ({ isWide, height: block.height })),
    board.columns,
    GAP,
  );
  const grid: Block = {
    height,
    draw: (context, top) => {
      for (const [i, { block }] of tiles.entries()) {
        const place = places[i]!;
        context.save();
        context.translate(MARGIN + place.column * (column + GAP), top + place.top);
        block.draw(context, 0);
        context.restore();
      }
    },
  };
  const shown = link.length > LONGEST_SHOWN ? `${link.slice(0, LONGEST_SHOWN)}…` : link;
  const blocks = [
    textBlock(title, STYLES.title, pen, wide),
    textBlock(board.text, STYLES.subtitle, pen, wide),
    space(14),
    grid,
    space(14),
    textBlock(text, STYLES.source, pen, wide),
    textBlock(shown, STYLES.note, pen, wide),
  ];
  const total = heightOf(blocks) + 2 * MARGIN;
  canvas.width = whole * scale;
  canvas.height = total * scale;
  context.scale(scale, scale);
  context.fillStyle = color("--page");
  context.fillRect(0, 0, whole, total);
  drawBlocks(blocks, context, MARGIN);
  return new Promise((resolve) => canvas.toBlob(resolve));
}

async function tileOf(
  item: BoardItem,
  { root, session }: BoardCell,
  width: number,
  pen: Pen,
  scale: number,
): Promise<Block> {
  if (isBoardText(item)) return onCard(textBlocks(item.text, width, pen), width, pen);
  const title = part(root, "open").textContent ?? "";
  const plot = { single: PLOT_HEIGHTS[item.height], several: PLOT_HEIGHTS[item.height] };
  const notes = [part(root, "footnote").textContent ?? ""].filter(Boolean);
  const content = session && {
    ...pictureContent(session.page, notes, location.origin),
    title,
    subtitle: "",
    source: "",
    link: "",
  };
  const size = { width, margin: CELL_MARGIN, title: CELL_TITLE, plot };
  const picture = content && (await drawPicture(content, scale, await studySections(session.page), size));
  if (picture === null) {
    const place = { left: CELL_MARGIN, width: width - 2 * CELL_MARGIN };
    const said = part(root, "notice").textContent || "No points.";
    return onCard([textBlock(title, CELL_TITLE, pen, place), textBlock(said, STYLES.note, pen, place)], width, pen);
  }
  const height = picture.height / scale;
  return { height, draw: (context, top) => context.drawImage(picture, 0, top, width, height) };
}

/** Blocks on a surface of their own. */
function onCard(blocks: readonly Block[], width: number, { color }: Pen): Block {
  const height = heightOf(blocks) + 2 * CELL_MARGIN;
  return {
    height,
    draw: (context, top) => {
      context.fillStyle = color("--surface");
      context.fillRect(0, top, width, height);
      drawBlocks(blocks, context, top + CELL_MARGIN);
    },
  };
}

/** A text without what only the page can show of it. */
function textBlocks(text: string, width: number, pen: Pen): Block[] {
  const write = (words: string, style: TextStyle, indent = 0) =>
    textBlock(words, style, pen, { left: CELL_MARGIN + indent, width: width - 2 * CELL_MARGIN - indent });
  return parseMarkdown(text).flatMap((block, i): Block[] => {
    const before = i === 0 ? [] : [space(8)];
    if (block.kind === "rule") return [...before, space(8)];
    if (block.kind === "heading") return [...before, write(plainText(block.of), HEADINGS[block.level])];
    const { kind, lines } = block;
    const sign = (place: number) => (kind === "bullets" ? "•  " : kind === "numbers" ? `${place + 1}.  ` : "");
    const indent = kind === "quote" ? 14 : 0;
    return [...before, ...lines.map((line, place) => write(sign(place) + plainText(line), BODY, indent))];
  });
}
