/** What has happened to an asset by its operator's calendar: unlocks, listings, upgrades. Source: docs/building.md#events. */

import * as v from "valibot";
import { time } from "./fields.ts";
import type { RecordColumn } from "./holders/holder-columns.ts";

/** Events that an asset may have: all are in every manifest. */
export const MOST_EVENTS = 500;

/** The longest title and link, in UTF-16 units. */
export const LONGEST_TITLE = 200;
export const LONGEST_LINK = 500;

/** Where a link leads: nothing but a page. */
export const LINK_PATTERN = /^https:\/\/[^\s"'<>\\^`{|}]+$/;

const event = v.strictObject({
  /** Unix seconds; of a day its midnight, UTC. */
  t: time,
  title: v.pipe(v.string(), v.nonEmpty(), v.maxLength(LONGEST_TITLE)),
  link: v.exactOptional(v.pipe(v.string(), v.maxLength(LONGEST_LINK), v.regex(LINK_PATTERN))),
});
export type CalendarEvent = v.InferOutput<typeof event>;

/** What a manifest says of them, in the order of time. */
export const eventsSchema = v.pipe(v.array(event), v.minLength(1), v.maxLength(MOST_EVENTS));

/** What is told of an event. */
export const EVENT_COLUMNS = [
  { name: "t", type: "time", description: "When it happened; of a day its midnight, UTC." },
  { name: "title", type: "text", description: "What happened." },
  { name: "link", type: "text", nullable: true, description: "A page about it." },
] as const satisfies readonly RecordColumn[];
