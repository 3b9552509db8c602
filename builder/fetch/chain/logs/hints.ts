/** What the text of a refusal says about the blocks that a node takes. A hint: providers also suggest ranges that fail. */

const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d{1,9})([km])?`;

const SUGGESTED_RANGE = /\[\s*(0x[0-9a-f]{1,12})\s*,\s*(0x[0-9a-f]{1,12})\s*\]/i;

const PATTERNS = [
  new RegExp(
    String.raw`(?:up to|limit(?:ed)? (?:of|to|is)|maximum (?:of|is set to|is)|max(?:imum)? (?:block )?range(?: is| of|:)?|at most|exceeds? (?:the )?(?:limit|max(?:imum)?)(?: block range)?(?: of)?|(?:more|larger|greater|wider) than)\s*(?:a |an |the )?${NUMBER}(?![\d.]*\s*(?:results|logs|events|mb|kb|bytes|seconds|requests))`,
    "i",
  ),
  new RegExp(`${NUMBER}[- ]blocks? (?:range|limit|maximum)`, "i"),
];

const UNITS: Record<string, number> = { k: 1000, m: 1_000_000 };

/** @returns blocks of a page; undefined if the text says nothing that can be used */
export function suggestedBlocks(text: string): number | undefined {
  const range = SUGGESTED_RANGE.exec(text);
  if (range) {
    const blocks = Number(range[2]) - Number(range[1]) + 1;
    if (blocks >= 1) return blocks;
  }
  return statedBlocks(text);
}

/** The blocks that a refusal says a node takes at most, whatever their logs; undefined if it says nothing of the kind. */
export function statedBlocks(text: string): number | undefined {
  for (const pattern of PATTERNS) {
    const match = pattern.exec(text);
    if (!match) continue;
    const blocks = Number(match[1]!.replaceAll(",", "")) * (UNITS[match[2]?.toLowerCase() ?? ""] ?? 1);
    if (blocks >= 1) return blocks;
  }
  return undefined;
}
