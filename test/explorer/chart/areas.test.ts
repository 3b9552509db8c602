import { describe, expect, it } from "vitest";
import { areaAt, edgesAt } from "../../../explorer/src/chart/overlays/areas.ts";

describe("areas on each other", () => {
  // Three areas from the uppermost, as upper edges, with a line among the columns; in the second row the middle one has no point.
  const columns = [
    [10, 9],
    [5, 5],
    [6, null],
    [2, 4],
  ];
  const areas = [0, 2, 3];

  it.each([
    [0, 0, [6, 10]],
    [1, 0, [2, 6]],
    [2, 0, [0, 2]],
    [0, 1, [4, 9]],
    [1, 1, null],
  ])("area %i in row %i lies between its edges", (place, row, edges) => {
    expect(edgesAt({ columns }, areas, place, row)).toEqual(edges);
  });

  it.each([
    [0, 0, 2],
    [0, 1.9, 2],
    [0, 2, 1],
    [0, 8, 0],
    [0, 10, -1],
    [1, 5, 0],
    [0, -1, -1],
    [2, 1, -1],
  ])("in row %i, %d is in area %i", (row, value, place) => {
    expect(areaAt({ columns }, areas, row, value)).toBe(place);
  });
});
