/** The pages `/holders`, an asset's addresses in a table, and `/holders/<address>`, one address in all assets. */

import { connectAddress } from "./holders/address-page.ts";
import { connectList } from "./holders/list-page.ts";
import { Reader } from "./holders/reader.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { copyText } from "./panels/copy-text.ts";
import { KeyDialog } from "./panels/dialogs/key-dialog.ts";
import { announce, part } from "./panels/dom.ts";
import { addressIn, holdingsPath } from "./search/find-address.ts";

const root = document.body;
const keyDialog = new KeyDialog(part<HTMLDialogElement>(root, "key-dialog"), part(root, "key"));
connectThemeSwitch(part<HTMLButtonElement>(root, "theme"));

const search = part<HTMLInputElement>(root, "search");
part(root, "find").addEventListener("submit", (event) => {
  event.preventDefault();
  const address = addressIn(search.value);
  const isWrong = address === null;
  part(root, "find-error").textContent = isWrong ? "An address is 0x and 40 digits of 0 to 9 and a to f." : "";
  search.setAttribute("aria-invalid", String(isWrong));
  if (!isWrong) location.assign(holdingsPath(address));
});

root.addEventListener("click", async ({ target }) => {
  const button = (target as Element).closest<HTMLButtonElement>(".copy-address");
  if (button === null) return;
  const isDone = await copyText(button.value);
  announce(isDone ? "Address copied." : "The browser doesn't let this page copy.");
  button.textContent = isDone ? "Copied" : "Not copied";
  setTimeout(() => {
    button.textContent = "";
  }, 1_500);
});

const reader = new Reader(keyDialog);
const address = addressIn(location.pathname);
const show = address === null ? connectList(root, reader) : connectAddress(root, reader, address);
addEventListener("popstate", () => void show());
keyDialog.onChange = () => {
  reader.clear();
  void show();
};
void show();
