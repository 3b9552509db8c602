/**
 * Presses what a page has, in random order, and measures what stays in its memory. The actions run inside the page: hundreds of
 * them take seconds.
 */

import type { Page } from "playwright-core";

/**
 * What a person does with one element: a press of the last that a selector finds, a key there, a text that is typed, or
 * an option of a menu. What isn't there, or can't be used, is left out.
 */
type Step = ["press" | "choose", selector: string] | ["key" | "type" | "enter", selector: string, text: string];

/** What is done in one go, by its name. */
export type Actions = Readonly<Record<string, readonly Step[]>>;

const PRESS_ALL = `async (actions, count, seed) => {
  let state = seed;
  // A linear congruential generator.
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const turn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const found = async (selector, patience) => {
    for (const until = performance.now() + patience; performance.now() < until; ) {
      const all = [...document.querySelectorAll(selector)];
      const usable = all.findLast((one) => !one.matches(":disabled") && one.checkVisibility());
      if (usable) return usable;
      await turn();
    }
    return null;
  };
  const key = (target, name) => {
    const options = { key: name.replace("Ctrl ", ""), ctrlKey: name.startsWith("Ctrl "), bubbles: true, cancelable: true };
    return target.dispatchEvent(new KeyboardEvent("keydown", options));
  };
  const act = async ([kind, selector, text], patience) => {
    const target = await found(selector, patience);
    if (target === null) return false;
    if (kind === "press") target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    if (kind === "key") {
      target.focus();
      // A dialog's own key, which only browsers press.
      if (key(target, text) && text === "Escape") target.closest("dialog")?.close();
    }
    if (kind === "choose") {
      target.selectedIndex = random(target.options.length);
      target.dispatchEvent(new Event("change", { bubbles: true }));
    }
    if (kind === "type" || kind === "enter") {
      target.focus();
      target.value = text;
      for (const name of ["input", "change"]) target.dispatchEvent(new Event(name, { bubbles: true }));
      if (kind === "enter" && key(target, "Enter")) target.form?.requestSubmit();
    }
    await turn();
    return true;
  };
  const names = Object.keys(actions);
  const done = Object.fromEntries(names.map((name) => [name, 0]));
  for (let i = 0; i < count; i++) {
    // Each once, as soon as it is loaded; and then any, which may be left out.
    const isFirst = i < names.length;
    const name = isFirst ? names[i] : names[random(names.length)];
    let isWhole = true;
    for (const step of actions[name]) isWhole = (await act(step, isFirst ? 15_000 : 1_000)) && isWhole;
    if (isWhole) done[name]++;
  }
  return names.filter((name) => done[name] === 0);
}`;

/** @returns the actions that never found all that they press */
export function pressAll(page: Page, actions: Actions, count: number, seed = 1): Promise<string[]> {
  return page.evaluate<string[]>(`(${PRESS_ALL})(${JSON.stringify(actions)}, ${count}, ${seed})`);
}

/** Nodes and listeners in memory, after what nobody refers to is gone. */
export async function inMemory(page: Page): Promise<{ nodes: number; listeners: number }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const value = (name: string) => metrics.find((one) => one.name === name)!.value;
  await devtools.detach();
  return { nodes: value("Nodes"), listeners: value("JSEventListeners") };
}
