/** What the studies of a chart are computed from, on the page and in pictures; and the script that computes them. */

import { shownScale } from "../../chart/drawing/natural-look.ts";
import type { PictureSection } from "../../picture/picture.ts";
import { type Page, visibleRows } from "../../session.ts";
import type { StudyInput } from "../../studies/finding.ts";

export type Studies = typeof import("../../studies/studies.ts");

/** What computes and draws studies, which few charts need. @throws {TypeError} it can't be loaded */
export const loadStudies = () => import("../../studies/studies.ts");

/** The studies of a chart, by pane; none while nothing is loaded. */
export function studyInputs(page: Page): { pane: number; input: StudyInput }[] {
  const { chart, traces, data } = page;
  return chart.panes.flatMap(({ study }, pane) => {
    if (study === null) return [];
    const own = [...traces.keys()].filter((i) => {
      const { pane: of, part, style } = traces[i]!;
      return of === pane && part?.isDrawn !== false && !style.isOff && data.table.columns[i] !== undefined;
    });
    const lines = own.filter((i) => traces[i]!.line !== null);
    // The price beside a single line is what that is compared with.
    const wanted = study.kind === "scatter" && lines.length < 2 ? own : lines;
    const curves = wanted.map((i) => {
      const { name, unit, color } = traces[i]!;
      return { name, unit, color, values: data.table.columns[i]! };
    });
    const isLog = shownScale(page, pane) === "log";
    const input = { study, curves, t: data.table.t, ...visibleRows(page), resolution: chart.resolution, isLog };
    return [{ pane, input }];
  });
}

/** What a picture of the chart shows below it. */
export async function studySections(page: Page): Promise<PictureSection[]> {
  const inputs = studyInputs(page);
  if (inputs.length === 0) return [];
  const { findingOf, paintScene, tableScene } = await loadStudies();
  return inputs.map(({ input }) => {
    const { title, sentences, draw, table } = findingOf(input);
    return {
      title,
      text: sentences.filter((sentence) => sentence !== "").join(" "),
      scenes: (width) =>
        [draw?.(width), table && tableScene(table, width)].flatMap((scene) =>
          scene ? { height: scene.height, paint: (context, paint) => paintScene(context, scene, paint) } : [],
        ),
    };
  });
}
