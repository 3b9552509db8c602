/** What a tool answers, and how much of it a model can take. */

import { firstIndex } from "../../data-schema/search.ts";

/** A tool's answer, twice: as values for programs, and as text for clients that show a model text alone. */
export interface ToolAnswer {
  structuredContent: Record<string, unknown>;
  text: string;
  /** Values of series that it has, for the log; none if left out. */
  points?: number;
}

/** Bytes of an answer as JSON: with what the protocol adds, 20,000 at most. */
export const ANSWER_BYTES = 19_000;

const encoder = new TextEncoder();

/** The result of a tool, as the protocol has it. */
export function resultOf({ structuredContent, text }: ToolAnswer) {
  return { content: [{ type: "text" as const, text }], structuredContent };
}

export const bytesOf = (answer: ToolAnswer): number => encoder.encode(JSON.stringify(resultOf(answer))).length;

/** The answer whose text is its values as JSON. */
export const asJson = (structuredContent: Record<string, unknown>): ToolAnswer => ({
  structuredContent,
  text: JSON.stringify(structuredContent),
});

/** The largest number, up to `most`, with which an answer is no longer than `bytes`; 0 if none is that short. */
export const largestThatFits = (most: number, bytes: number, make: (count: number) => ToolAnswer): number =>
  firstIndex(most, (index) => bytesOf(make(index + 1)) > bytes);
