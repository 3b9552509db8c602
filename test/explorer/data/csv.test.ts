import { expect, it } from "vitest";
import { toCsv } from "../../../explorer/src/data/csv.ts";

it("a CSV file has a line for each time, and an empty cell where there is no point", () => {
  const columns = [Float64Array.of(1.5, Number.NaN), Float64Array.of(1e21, 2)];
  const table = { t: Float64Array.of(86_400, 172_800), columns };
  expect(toCsv(table, ["sopr $0-100", 'a "b", c'], 0, 2)).toBe(
    't,sopr $0-100,"a ""b"", c"\n1970-01-02T00:00:00,1.5,1e+21\n1970-01-03T00:00:00,,2\n',
  );
});
