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

/** @returns how often each action found all that it presses */
export async function pressAll(page: Page, actions: Actions, count: number, seed = 1): Promise<Map<string, number>> {
  const done = await page.evaluate<[string, number][], [Actions, number, number]>(
    async ([actions, count, seed]) => {
      let state = seed;
      // A linear congruential generator.
      const random = (below: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const turn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const wait = async (selector: string) => {
        for (const until = performance.now() + 4_000; performance.now() < until; ) {
          const found = [...document.querySelectorAll<HTMLInputElement & HTMLSelectElement>(selector)];
          const usable = found.findLast((one) => !one.matches(":disabled") && one.checkVisibility());
          if (usable) return usable;
          await turn();
        }
        return null;
      };
      const key = (target: EventTarget, name: string) => {
        const isControl = name.startsWith("Ctrl ");
        const options = { key: name.replace("Ctrl ", ""), ctrlKey: isControl, bubbles: true, cancelable: true };
        return target.dispatchEvent(new KeyboardEvent("keydown", options));
      };
      const act = async ([kind, selector, text = ""]: readonly string[]) => {
        const target = await wait(selector!);
        if (target === null) return false;
        if (kind === "press") target.click();
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
      const done = new Map(names.map((name) => [name, 0]));
      for (let i = 0; i < count; i++) {
        // Each once, and then any.
        const name = i < names.length ? names[i]! : names[random(names.length)]!;
        let isWhole = true;
        for (const step of actions[name]!) isWhole = (await act(step)) && isWhole;
        if (isWhole) done.set(name, done.get(name)! + 1);
      }
      return [...done];
    },
    [actions, count, seed],
  );
  return new Map(done);
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
