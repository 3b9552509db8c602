/** The dialog that shares the chart: as a link, as a picture, and in other pages. */

import type { Page, Session } from "../session.ts";
import { announce, byId, h } from "./dom.ts";
import { chartEmbedCode, chartLink, Refusal, SHARE_WAYS, type ShareWay } from "./share-ways.ts";

/** @param canEmbed whether there is a public key, which a chart in another page needs */
export function connectShareDialog(session: Session, canEmbed: boolean): void {
  const dialog = byId<HTMLDialogElement>("share-dialog");
  const status = byId("share-status");
  const button = byId<HTMLButtonElement>("share");
  for (const way of SHARE_WAYS) {
    const onclick = () =>
      void tell(way, session).then(({ text, isDone }) => {
        status.textContent = text;
        status.classList.toggle("error-text", !isDone);
      });
    const own = h("button", { type: "button", title: way.title, onclick }, way.label);
    byId(`share-${way.part}`).append(own);
  }
  byId("embed-part").hidden = !canEmbed;
  byId("no-embed").hidden = canEmbed;
  button.addEventListener("click", () => {
    status.textContent = "";
    byId<HTMLInputElement>("share-url").value = chartLink(session.page);
    byId<HTMLTextAreaElement>("share-code").value = chartEmbedCode(session.page);
    dialog.showModal();
  });
  for (const field of dialog.querySelectorAll<HTMLInputElement>("input, textarea")) {
    field.addEventListener("focus", () => field.select());
  }
  session.watch(["data"], ({ data }) => {
    for (const one of byId("share-picture").querySelectorAll("button")) one.disabled = data.table.t.length === 0;
  });
  button.disabled = false;
}

/** Whether there is what a way needs: points for a picture, and a public key for another page. */
export function canShare({ part }: ShareWay, { data }: Pick<Page, "data">): boolean {
  if (part === "picture") return data.table.t.length > 0;
  return part === "link" || !byId("embed-part").hidden;
}

/** Shares without the dialog. What doesn't work is said below the chart. */
export async function shareNow(way: ShareWay, session: Session): Promise<void> {
  const { text, isDone } = await tell(way, session);
  if (isDone) announce(text);
  else session.note(text);
}

async function tell(way: ShareWay, session: Session): Promise<{ text: string; isDone: boolean }> {
  try {
    return { text: await way.run(session.page), isDone: true };
  } catch (error) {
    if (error instanceof Refusal) return { text: error.message, isDone: false };
    throw error;
  }
}
