/** The switch between light and dark. Until it is used, the page follows the system's preference. */

import { writeItem } from "../../browser-storage.ts";

const STORAGE_ITEM = "soprano-theme";

/** The window's event after the button or the system has changed the theme. */
export const THEME_CHANGE = "themechange";

export function connectThemeSwitch(button: HTMLButtonElement): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const { dataset } = document.documentElement;
  const isDark = () => (dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const update = () => {
    button.setAttribute("aria-pressed", String(isDark()));
    dispatchEvent(new Event(THEME_CHANGE));
  };
  update();
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    if ((theme === "dark") === system.matches) {
      // The system's own preference: follow it again.
      delete dataset.theme;
      writeItem(STORAGE_ITEM, null);
    } else {
      dataset.theme = theme;
      writeItem(STORAGE_ITEM, theme);
    }
    update();
  });
  system.addEventListener("change", update);
  printLight(update);
}

/** Paper is light. The style sheet sees to that, but for the charts: they are pictures, drawn before. */
function printLight(update: () => void): void {
  const { dataset } = document.documentElement;
  let theme: string | undefined;
  addEventListener("beforeprint", () => {
    theme = dataset.theme;
    dataset.theme = "light";
    update();
  });
  addEventListener("afterprint", () => {
    if (theme === undefined) delete dataset.theme;
    else dataset.theme = theme;
    update();
  });
}
