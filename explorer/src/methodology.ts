/** The page `/methodology`, and the one for addresses without a page, have their text in their files; the script adds what all pages have. */

import { connectAssetLink } from "./panels/chrome/asset-picker.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { part } from "./panels/dom.ts";

connectAssetLink(document.body);
connectThemeSwitch(part<HTMLButtonElement>(document.body, "theme"));
