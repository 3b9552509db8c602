/** Colours of the style sheet in the theme that the page has. */

/** Takes a colour and nothing else: the style of an element with children would be computed for all of them. */
const probe = document.createElement("span");
probe.hidden = true;

/** The colour of a custom property. Read directly, the property would be the text `light-dark(…)`. */
export function resolvedColor(property: string): string {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${property})`;
  return getComputedStyle(probe).color;
}
