/** What a calendar may say, and the sentence about each fault. */

import { expect, it } from "vitest";
import { eventsInOrder, parseCalendar } from "../../builder/input/calendar.ts";

const parse = (...rows: string[]) => parseCalendar("events.csv", ["date,title,link", ...rows].join("\n"));
const DAY = Date.UTC(2025, 2, 1) / 1000;

it("has days and times, texts in quotation marks, and links that may be missing", () => {
  expect(
    parse(
      "2025-03-01,Listing,https://example.org/a?b=c",
      '2025-03-01T12:30:00Z,"Unlock, ""cliff""",',
      "",
      "2025-03-01T12:30:00+02:00, Upgrade 2 ",
    ),
  ).toEqual([
    { t: DAY, title: "Listing", link: "https://example.org/a?b=c" },
    { t: DAY + 12.5 * 3600, title: 'Unlock, "cliff"' },
    { t: DAY + 10.5 * 3600, title: "Upgrade 2" },
  ]);
  expect(parseCalendar("events.csv", "\uFEFFdate,title\r\n2025-03-01,Listing\r\n")).toEqual([
    { t: DAY, title: "Listing" },
  ]);
  expect(parse()).toEqual([]);
});

const CELLS =
  'it has not the cells date,title,link; write a text with commas or quotation marks in quotation marks, and its own ones twice, such as "Listing, ""spot"""';
const faults: [row: string, sentence: string][] = [
  ["2025-03-01", `events.csv, row 3: ${CELLS}.`],
  ["2025-03-01,Listing, spot,https://example.org", `events.csv, row 3: ${CELLS}.`],
  ['2025-03-01,Listing "spot",', `events.csv, row 3: ${CELLS}.`],
  ["1740787200,Listing,", 'column date: "1740787200" is no date'],
  ["2025-02-30,Listing,", 'column date: "2025-02-30" is not a valid date'],
  [",Listing,", "column date: "],
  ["2025-03-01, ,", "column title: "],
  [`2025-03-01,${"x".repeat(201)},`, "is longer"],
  ["2025-03-01,a\u202eb,", "has a control character or a direction override"],
  ["2025-03-01,Listing,http://example.org", 'column link: "http://example.org" does not begin with https://'],
  ["2025-03-01,Listing,javascript:alert(1)", "does not begin with https://"],
  ["2025-03-01,Listing,https://example.org/ a", "column link: "],
  ["2025-03-01,Listing,https://", "column link: "],
  [`2025-03-01,Listing,https://example.org/${"a".repeat(500)}`, "is longer"],
];

it.each(faults)("refuses %s", (row, sentence) => {
  const read = () => parse("2025-03-01,Right,", row);
  expect(read).toThrow(sentence);
  expect(read).toThrow(/^events\.csv, row 3[:,]/);
});

it("refuses another header", () => {
  expect(() => parseCalendar("events.csv", "day,title\n")).toThrow(
    "events.csv, row 1: the header is not date,title,link; correct it.",
  );
});

it("is in the order of time, of one time in that of rows, and has up to 500 events", () => {
  const event = (t: number, title: string) => ({ t, title });
  expect(eventsInOrder("ASSET.json", [event(2, "b"), event(1, "c"), event(2, "a")])).toEqual([
    event(1, "c"),
    event(2, "b"),
    event(2, "a"),
  ]);
  const many = Array.from({ length: 501 }, (_, t) => event(t, "x"));
  expect(eventsInOrder("ASSET.json", many.slice(1))).toHaveLength(500);
  expect(() => eventsInOrder("ASSET.json", many)).toThrow(
    'ASSET.json: "calendar" has 501 events, and may have 500; leave some out.',
  );
});
