/** Suggestions for misspelt names. */

/** The name with the fewest edits from a text, if they are few: a third of its letters at most. */
function nearest(text: string, names: Iterable<string>): string | undefined {
  const wanted = text.toLowerCase();
  let best: string | undefined;
  let fewest = Math.floor(Math.max(3, wanted.length) / 3) + 1;
  for (const name of names) {
    const edits = distance(wanted, name.toLowerCase());
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
}

/** A sentence to append to an error; empty without a near name. */
export function suggestion(text: string, names: Iterable<string>): string {
  const name = nearest(text, names);
  return name === undefined ? "" : ` Did you mean ${name}?`;
}

/** Insertions, removals, replacements and swaps of neighbouring letters (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const edits = [row[j]! + (a[i] === b[j] ? 0 : 1), row[j + 1]! + 1, next[j]! + 1];
      if (i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]) edits.push(before[j - 1]! + 1);
      next.push(Math.min(...edits));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
