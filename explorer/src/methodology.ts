/** The page `/methodology` has its text in its file; the script adds what all pages have. */

import { connectAssetLink } from "./panels/chrome/asset-picker.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { part } from "./panels/dom.ts";

connectAssetLink(document.body);
connectThemeSwitch(part<HTMLButtonElement>(document.body, "theme"));
