/** The ways to share a chart, as a table: for the dialog and for the command palette. */

import { PICTURE_WIDTH, pictureContent } from "../../picture/content.ts";
import type { Page } from "../../session.ts";
import { formatAddress } from "../../state/address.ts";
import { chartTitle } from "../../state/chart-title.ts";
import { embedCode } from "../../state/embed-code.ts";
import { copyText } from "../copy-text.ts";
import { chartFileName, saveFile } from "../save-file.ts";
import { pinnedText } from "../tables/pins.ts";
import { studySections } from "../tables/study-input.ts";

export interface ShareWay {
  /** Part of the dialog that it belongs to. */
  part: "link" | "picture" | "embed";
  title: string;
  /** The label of its button in the dialog. */
  label: string;
  /** Other words for it. */
  words: string;
  /**
   * Does it.
   *
   * @param footnote what stands below the chart
   * @returns a sentence that says what has been done
   * @throws {Refusal} the browser refuses
   */
  run(page: Page, footnote: string): Promise<string>;
}

/** One sentence: what didn't work, and what does. */
export class Refusal extends Error {}

export const chartLink = ({ chart }: Pick<Page, "chart">) => `${location.origin}/${formatAddress(chart)}`;

export const chartEmbedCode = ({ chart, traces }: Pick<Page, "chart" | "traces">) =>
  embedCode(chart, `${chart.asset}: ${chartTitle(chart, traces)}`, location.origin);

export const SHARE_WAYS: readonly ShareWay[] = [
  {
    part: "link",
    title: "Copy a link to this chart",
    label: "Copy link",
    words: "share url address",
    run: (page) => copied(chartLink(page), "Link copied."),
  },
  ...[1, 2].flatMap((scale): ShareWay[] => {
    const size = `${PICTURE_WIDTH * scale} pixels`;
    const words = `share image png screenshot ${scale}x`;
    return [
      {
        part: "picture",
        title: `Copy a picture of this chart, ${size} wide`,
        label: `Copy ${scale}×`,
        words,
        run: (page, footnote) => copyPicture(page, footnote, scale),
      },
      {
        part: "picture",
        title: `Download a picture of this chart, ${size} wide`,
        label: `Download ${scale}×`,
        words: `${words} save export`,
        run: (page, footnote) => savePicture(page, footnote, scale),
      },
    ];
  }),
  {
    part: "embed",
    title: "Copy the code that embeds this chart",
    label: "Copy code",
    words: "share iframe html website",
    run: (page) => copied(chartEmbedCode(page), "Code copied."),
  },
];

async function copied(text: string, done: string): Promise<string> {
  if (await copyText(text)) return done;
  throw new Refusal("The browser doesn't allow copying: select the text and copy it yourself.");
}

async function copyPicture(page: Page, footnote: string, scale: number): Promise<string> {
  const picture = pictureOf(page, footnote, scale);
  // Safari takes only a promise: by the time that the picture is drawn, the click is too long ago.
  const copying = async () => navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
  try {
    await Promise.all([picture, copying()]);
    return "Picture copied.";
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("The browser doesn't allow copying pictures: download it instead.");
  }
}

async function savePicture(page: Page, footnote: string, scale: number): Promise<string> {
  saveFile(await pictureOf(page, footnote, scale), chartFileName(page, "png"));
  return "Picture downloaded.";
}

async function pictureOf(page: Page, footnote: string, scale: number): Promise<Blob> {
  const notes = [pinnedText(page), footnote].filter((text) => text !== "");
  const content = pictureContent(page, notes, location.origin);
  const [{ drawPicture }, sections] = await Promise.all([
    import("../../picture/picture.ts"),
    studySections(page),
  ]).catch(() => {
    throw new Refusal("The script that draws pictures can't be loaded: reload the page.");
  });
  const canvas = await drawPicture(content, scale, sections);
  if (canvas === null) throw new Refusal("There is nothing to draw: the chart has no points.");
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new Refusal("The browser can't draw a picture of this size.")),
    ),
  );
}
