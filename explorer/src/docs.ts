/** The API reference: Scalar over /openapi.json. It loads nothing from other hosts: no fonts, no proxy, no telemetry. */

import { connectAssetLink } from "./panels/chrome/asset-picker.ts";
import { connectThemeSwitch, THEME_CHANGE } from "./panels/chrome/theme-switch.ts";
import { part } from "./panels/dom.ts";

interface Scalar {
  createApiReference(target: string, configuration: object): void;
}

connectAssetLink(document.body);

/** Scalar's theme is a class of the body. Its own switch is not shown: the bar has that of all pages. */
const isDark = () => part(document, "theme").getAttribute("aria-pressed") === "true";
addEventListener(THEME_CHANGE, () => {
  document.body.classList.toggle("dark-mode", isDark());
  document.body.classList.toggle("light-mode", !isDark());
});
connectThemeSwitch(part<HTMLButtonElement>(document.body, "theme"));
(globalThis as unknown as { Scalar: Scalar }).Scalar.createApiReference("#docs", {
  url: "/openapi.json",
  theme: "default",
  layout: "modern",
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: "",
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "json",
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  forceDarkModeState: isDark() ? "dark" : "light",
  hideDarkModeToggle: true,
  metaData: { title: "Soprano API" },
});

/** Attributes for the keyboard and for screen readers that Scalar's elements lack, or have wrong. */
const REPAIRS: { elements: string; attribute: string; value: (old: string) => string }[] = [
  { elements: "button.scalar-code-copy", attribute: "aria-label", value: () => "Copy" },
  // It never says whether its list is open, as a combobox has to.
  { elements: ".code-input-lite__editor", attribute: "role", value: () => "textbox" },
  { elements: ".code-input-lite__editor", attribute: "aria-label", value: () => "Name of the header" },
  { elements: "ul.endpoints", attribute: "tabindex", value: () => "0" },
  // Each operation has one: too many landmarks of one name.
  { elements: ".response-card", attribute: "role", value: () => "group" },
  // On a narrow page its text is hidden.
  { elements: "a[href^='/methodology#']", attribute: "aria-label", value: () => "How it is computed" },
  // A name has to contain the button's text.
  {
    elements: ".show-more",
    attribute: "aria-label",
    value: (old) => old.replace(/^Show all (.*) endpoints$/, "Show More: $1"),
  },
];

function repair(): void {
  for (const { elements, attribute, value } of REPAIRS) {
    for (const element of document.querySelectorAll(elements)) {
      element.setAttribute(attribute, value(element.getAttribute(attribute) ?? ""));
    }
  }
}

new MutationObserver(repair).observe(document.body, { childList: true, subtree: true });
