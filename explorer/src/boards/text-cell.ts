/** A text of a board: shown as its Markdown means, and written in its place. */

import { announce, fill, h } from "../panels/dom.ts";
import { type BoardText, LONGEST_TEXT } from "../state/board-in-link.ts";
import type { BoardCell } from "./cell.ts";
import { type Inline, type MarkdownBlock, parseMarkdown } from "./markdown.ts";

/** What a person does with a text of a board. */
export interface TextEvents {
  /** Replaces it by another one; an empty one removes it. */
  onText(text: string): void;
  onWidth(): void;
  /** Moves it by so many places. */
  onMove(by: number): void;
  onRemove(): void;
}

/** A text that is shown; a click on its pencil lets one change it. */
export function makeTextCell({ text, isWide }: BoardText, events: TextEvents): BoardCell {
  const action = (label: string, title: string, onclick: () => void) =>
    h("button", { type: "button", class: "quiet", title, "aria-label": title, onclick }, label);
  const actions = h(
    "fieldset",
    { class: "cell-actions", "aria-label": "Actions of the text" },
    action("✎", "Change the text", () => {
      fill(root, editor(text, { done: events.onText, cancel: show }));
      root.querySelector("textarea")?.focus();
    }),
    action("↔", isWide ? "As wide as a chart" : "As wide as the board", events.onWidth),
    action("←", "Move back", () => events.onMove(-1)),
    action("→", "Move on", () => events.onMove(1)),
    action("×", "Remove from the board", events.onRemove),
  );
  const root = h("article", { class: `card cell text-cell${isWide ? " wide" : ""}`, "aria-label": "Text" });
  const show = () => fill(root, actions, h("div", { class: "markdown" }, ...parseMarkdown(text).map(blockElement)));
  show();
  return { root, session: null, plots: null, load: async () => {}, resize: () => {}, remove: () => root.remove() };
}

/** A place to write a text that the board doesn't have yet. */
export function textDraft(done: (text: string) => void): HTMLElement {
  const root = h("article", { class: "card cell text-cell wide", "aria-label": "New text" });
  const leave = (text: string) => {
    root.remove();
    if (text !== "") done(text);
  };
  root.append(editor("", { done: leave, cancel: () => root.remove() }));
  return root;
}

/** What is written is taken once the focus leaves it: nothing is lost. */
function editor(text: string, { done, cancel }: { done(text: string): void; cancel(): void }): HTMLElement {
  let isOver = false;
  const end = (run: () => void) => {
    if (isOver) return;
    isOver = true;
    run();
  };
  const field = h("textarea", {
    maxlength: LONGEST_TEXT,
    rows: Math.min(16, Math.max(5, text.split("\n").length + 1)),
    "aria-label": "Text",
    placeholder: "## A heading\nWhat the charts say. **Bold**, *italic*, [a link](https://example.org), and - lists.",
  });
  field.value = text;
  const take = () => {
    const written = field.value.trim();
    end(() => {
      if (written === text) return cancel();
      done(written);
      announce(written === "" ? "Text removed." : "Text kept.");
    });
  };
  const form = h(
    "form",
    {
      class: "text-editor",
      onsubmit: (event: Event) => {
        event.preventDefault();
        take();
      },
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === "Escape") end(cancel);
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) take();
      },
      onfocusout: ({ relatedTarget }: FocusEvent) => {
        if (!form.contains(relatedTarget as Node | null)) take();
      },
    },
    field,
    h(
      "div",
      { class: "actions" },
      h("span", { class: "hint" }, "Markdown"),
      h("span", { class: "push" }),
      h("button", { type: "button", onclick: () => end(cancel) }, "Cancel"),
      h("button", { type: "submit", class: "primary" }, "Done"),
    ),
  );
  return form;
}

const TAGS = { bullets: "ul", numbers: "ol", quote: "blockquote", paragraph: "p" } as const;
/** The page has one heading of the first rank, the board's name. */
const HEADINGS = { 1: "h2", 2: "h3", 3: "h4" } as const;

function blockElement(block: MarkdownBlock): HTMLElement {
  if (block.kind === "rule") return h("hr");
  if (block.kind === "heading") return h(HEADINGS[block.level], {}, ...block.of.map(inlineNode));
  const { kind, lines } = block;
  const isList = kind === "bullets" || kind === "numbers";
  const content = lines.flatMap((line, i): (Node | string)[] => {
    const own = line.map(inlineNode);
    if (isList) return [h("li", {}, ...own)];
    return i === 0 ? own : [h("br"), ...own];
  });
  return h(TAGS[kind], {}, ...content);
}

function inlineNode(piece: Inline): Node | string {
  if ("text" in piece) return piece.kind === "code" ? h("code", {}, piece.text) : piece.text;
  const own = piece.of.map(inlineNode);
  if (piece.kind !== "link") return h(piece.kind, {}, ...own);
  const away = piece.href.startsWith("/") ? {} : { target: "_blank", rel: "noopener noreferrer" };
  return h("a", { href: piece.href, ...away }, ...own);
}
