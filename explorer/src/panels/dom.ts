/** Finds, makes and fills elements. */

type Child = Node | string | null | undefined | false;

const isShown = (child: Child) => child !== null && child !== undefined && child !== false;

/** A part of a panel: the element in its root that has this `data-part`. */
export function part<T extends HTMLElement = HTMLElement>(root: ParentNode, name: string): T {
  return root.querySelector<T>(`[data-part=${name}]`)!;
}

/** Whether an event is of an element that a selector matches, or of one in it. */
export const isWithin = ({ target }: Event, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;

/** Makes an element with attributes and, for names that start with `on`, event listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(isShown));
  return element;
}

/** Replaces an element's children. The focus moves to the new child with the same `data-focus`. */
export function fill(parent: Element, ...children: Child[]): void {
  const focused = parent.contains(document.activeElement)
    ? document.activeElement?.getAttribute("data-focus")
    : undefined;
  parent.replaceChildren(...children.filter(isShown));
  if (focused) parent.querySelector<HTMLElement>(`[data-focus=${CSS.escape(focused)}]`)?.focus({ preventScroll: true });
}

/** A mark in a colour, a custom property of the style sheet. */
export function swatch(color: string): HTMLElement {
  const mark = h("span", { class: "swatch", "aria-hidden": "true" });
  mark.style.background = `var(${color})`;
  return mark;
}

/** Marks one button of a group as pressed. */
export function setPressed(group: Element, value: string): void {
  for (const button of group.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === value));
  }
}

/** Tells screen readers what has changed. */
export function announce(text: string): void {
  part(document, "announcements").textContent = text;
}
