/** The dialog that shares the chart: as a link, as a picture, and in other pages. */

import type { Page, Session } from "../../session.ts";
import { announce, h, part } from "../dom.ts";
import { chartEmbedCode, chartLink, Refusal, SHARE_WAYS, type ShareWay } from "./share-ways.ts";

/** @param canEmbed whether there is a public key, which a chart in another page needs */
export function connectShareDialog(root: HTMLElement, session: Session, canEmbed: boolean): void {
  const dialog = part<HTMLDialogElement>(root, "share-dialog");
  const button = part<HTMLButtonElement>(root, "share");
  const status = part(dialog, "status");
  /** Whether something is under way: a second press until then is the first one's, as is the second click of two. */
  let isBusy = false;
  for (const way of SHARE_WAYS) {
    const onclick = async ({ detail }: MouseEvent) => {
      if (isBusy || detail > 1) return;
      isBusy = true;
      const { text, isDone } = await tell(way, session, root).finally(() => {
        isBusy = false;
      });
      status.textContent = text;
      status.classList.toggle("error-text", !isDone);
    };
    const own = h("button", { type: "button", title: way.title, onclick }, way.label);
    part(dialog, way.part).append(own);
  }
  part(dialog, "embed-part").hidden = !canEmbed;
  part(dialog, "no-embed").hidden = canEmbed;
  button.addEventListener("click", () => {
    status.textContent = "";
    part<HTMLInputElement>(dialog, "url").value = chartLink(session.page);
    part<HTMLTextAreaElement>(dialog, "code").value = chartEmbedCode(session.page);
    dialog.showModal();
  });
  for (const field of dialog.querySelectorAll<HTMLInputElement>("input, textarea")) {
    field.addEventListener("focus", () => field.select());
  }
  session.watch(["data"], ({ data }) => {
    for (const one of part(dialog, "picture").querySelectorAll("button")) one.disabled = data.table.t.length === 0;
  });
  button.disabled = false;
}

/** Whether there is what a way needs: points for a picture, and a public key for another page. */
export function canShare(way: ShareWay, { data }: Pick<Page, "data">, root: HTMLElement): boolean {
  if (way.part === "picture") return data.table.t.length > 0;
  return way.part === "link" || !part(root, "embed-part").hidden;
}

/** Shares without the dialog. What doesn't work is said below the chart. */
export async function shareNow(way: ShareWay, session: Session, root: HTMLElement): Promise<void> {
  const { text, isDone } = await tell(way, session, root);
  if (isDone) announce(text);
  else session.note(text);
}

async function tell(way: ShareWay, session: Session, root: HTMLElement): Promise<{ text: string; isDone: boolean }> {
  try {
    const footnote = part(root, "footnote").textContent ?? "";
    return { text: await way.run(session.page, footnote), isDone: true };
  } catch (error) {
    if (error instanceof Refusal) return { text: error.message, isDone: false };
    throw error;
  }
}
