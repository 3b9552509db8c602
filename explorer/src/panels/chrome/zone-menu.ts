/** The menu of time zones: UTC, or the reader's. The browser keeps the choice: a link shows everyone their own times. */

import { readItem, writeItem } from "../../browser-storage.ts";
import { type TimeZone, UTC } from "../../format/time.ts";
import type { Session } from "../../session.ts";
import { fill, h, part } from "../dom.ts";

const STORAGE_ITEM = "soprano-time-zone";
const LOCAL = "local";

/** The browser's. Some browsers call UTC by older names. */
export function localZone(): TimeZone {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return /^(Etc\/)?(UTC|UCT|GMT|Greenwich|Universal|Zulu)$/.test(timeZone) ? UTC : timeZone;
}

export const storedZone = (): TimeZone => (readItem(STORAGE_ITEM) === LOCAL ? localZone() : UTC);

export function chooseZone(session: Session, zone: TimeZone): void {
  if (zone === UTC) writeItem(STORAGE_ITEM, null);
  else writeItem(STORAGE_ITEM, LOCAL);
  session.setZone(zone);
}

export function connectZoneMenu(root: HTMLElement, session: Session): void {
  const menu = part<HTMLSelectElement>(root, "zone");
  const zones = [...new Set([UTC, localZone()])];
  fill(menu, ...zones.map((zone) => h("option", { value: zone }, zone.replaceAll("_", " "))));
  menu.disabled = zones.length === 1;
  menu.addEventListener("change", () => chooseZone(session, menu.value));
  session.watch(["zone"], ({ zone }) => {
    menu.value = zone;
  });
}
