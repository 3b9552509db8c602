/** A little help with the document. */

type Child = Node | string | null | false;

/** An element of the page that is known to be there. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** A new element: properties, `on…` listeners, and attributes for names with a dash, `role` and the like. */
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
  element.append(...children.filter((child): child is Node | string => child !== null && child !== false));
  return element;
}

/** Replaces what an element holds; the focus stays on the child of the same `data-focus`. */
export function fill(parent: Element, ...children: Child[]): void {
  const focused = parent.contains(document.activeElement)
    ? document.activeElement?.getAttribute("data-focus")
    : undefined;
  parent.replaceChildren(...children.filter((child): child is Node | string => child !== null && child !== false));
  if (focused) parent.querySelector<HTMLElement>(`[data-focus=${CSS.escape(focused)}]`)?.focus({ preventScroll: true });
}

/** Marks one button of a group as the one that is pressed. */
export function press(group: Element, value: string): void {
  for (const button of group.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === value));
  }
}
