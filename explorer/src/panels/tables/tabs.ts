/** Tabs, of which one panel is shown. Left and right move between them. */

import { part } from "../dom.ts";

/**
 * @param root holds the list of tabs; the value of each is the part that it shows
 * @param onShow is called once another panel is there
 */
export function connectTabs(root: HTMLElement, onShow: () => void): void {
  const tabs = [...part(root, "below-tabs").querySelectorAll("button")];
  const choose = (chosen: HTMLButtonElement) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      part(root, tab.value).hidden = tab !== chosen;
    }
    onShow();
  };
  for (const [place, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (!step) return;
      const next = tabs.at((place + step) % tabs.length)!;
      choose(next);
      next.focus();
    });
  }
}
