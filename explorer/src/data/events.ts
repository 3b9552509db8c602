/** What has happened to an asset by its operator's calendar: GET /v3/assets/<asset>/events. Source: docs/api.md#events. */

import { DAY_SECONDS } from "../../../data-schema/text.ts";
import type { Ask } from "../api/load.ts";
import { Problem } from "../api/problem.ts";
import { queryValue } from "../api/request.ts";
import { bucketTime, dateText, parseTime, type TimeZone } from "../format/time.ts";

export interface AssetEvent {
  asset: string;
  /** Unix seconds; of a day its midnight, UTC. */
  t: number;
  title: string;
  /** Null: there is no page about it. */
  link: string | null;
}

export interface ServedEvents {
  asset: string;
  events: { t: string; title: string; link: string | null }[];
}

/** The events of an answer; a link leads to nothing but a page. */
export const eventsOf = ({ asset, events }: ServedEvents): AssetEvent[] =>
  events.map(({ t, title, link }) => ({
    asset,
    t: parseTime(t),
    title,
    link: link !== null && /^https:\/\//.test(link) ? link : null,
  }));

/** `1 Mar 2025`; an event that isn't at midnight has its time, too. */
export const eventTime = (time: number, zone: TimeZone): string =>
  time % DAY_SECONDS === 0 ? dateText(time) : bucketTime(time, "hour", zone);

/** What is told of an event, in a line. */
export const eventText = ({ t, title }: AssetEvent, zone: TimeZone): string => `${eventTime(t, zone)}: ${title}`;

/** Asks for each asset's calendar once. */
export class EventLog {
  readonly #ask: Ask;
  readonly #asked = new Map<string, Promise<readonly AssetEvent[]>>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Never fails: what can't be had is asked for again the next time. */
  of(symbol: string): Promise<readonly AssetEvent[]> {
    const asked =
      this.#asked.get(symbol) ??
      this.#ask<ServedEvents>(`/v3/assets/${queryValue(symbol)}/events`).then((answer) => {
        if (!(answer instanceof Problem)) return eventsOf(answer);
        this.#asked.delete(symbol);
        return [];
      });
    this.#asked.set(symbol, asked);
    return asked;
  }
}

/** Events that share a mark. */
export interface EventGroup {
  /** Pixels from the left. */
  x: number;
  events: readonly AssetEvent[];
}

/**
 * The marks of events, from the left: those whose places are nearer than a mark is wide share that of the first.
 *
 * @param events ascending
 * @param placeOf pixels from the left
 * @param width of what is visible; events beyond it have no mark
 */
export function grouped(
  events: readonly AssetEvent[],
  placeOf: (time: number) => number,
  { width, markWidth }: { width: number; markWidth: number },
): EventGroup[] {
  const groups: { x: number; events: AssetEvent[] }[] = [];
  for (const event of events) {
    const x = placeOf(event.t);
    if (!(x >= 0 && x <= width)) continue;
    const last = groups.at(-1);
    if (last && x - last.x < markWidth) last.events.push(event);
    else groups.push({ x, events: [event] });
  }
  return groups;
}
