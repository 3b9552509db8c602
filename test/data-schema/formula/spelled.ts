/** Formulas as trees, and all the ways to spell one. */

/** A tree without the places of its parts. */
export type Shape =
  | { kind: "number"; value: number }
  | { kind: "text"; text: string }
  | { kind: "name"; asset: string | null; name: string; selector: string | null }
  | { kind: "negate"; of: Shape }
  | { kind: "binary"; operator: string; left: Shape; right: Shape }
  | { kind: "comparison"; comparison: string; left: Shape; right: Shape }
  | { kind: "call"; name: string; of: Shape[] };

const IN_PRINT: Record<string, string> = { "-": "−", "*": "×", "/": "÷", "<=": "≤", ">=": "≥" };
const BINDS: Record<string, number> = { "+": 1, "-": 1, "*": 2, "/": 2 };
const BARE_ASSET = /^(?!\d+$)\w+(?:\.\w+)*$/;
const BARE_SELECTOR = /^(?:users|lth|<1d|1m-3m|\$0-100|\$10M\+|@team|@a-b|gate\.io)$/;

/** Prints a tree: each free choice is one of `choose(n)` ways. */
export function print(shape: Shape, choose: (ways: number) => number): string {
  const blank = () => ["", " ", "\t ", ""][choose(4)]!;
  const sign = (of: string) => (choose(4) === 0 ? (IN_PRINT[of] ?? of) : of);
  const quote = (of: string) => (of.includes('"') || (!of.includes("'") && choose(2)) ? `'${of}'` : `"${of}"`);
  const bare = (of: string, pattern: RegExp) => (pattern.test(of) && choose(4) > 0 ? of : quote(of));
  // A minus after the bare name of an own cohort would be read as part of it.
  const apart = (of: string) => (/@[\w-]+$/.test(of) ? " " : blank());

  /** @param binds what stands around it binds so much: 0 nothing, 3 a sign */
  function write(shape: Shape, binds: number): string {
    const own = shape.kind === "binary" ? BINDS[shape.operator]! : 3;
    const written = writeBare(shape);
    return own < binds || (shape.kind !== "comparison" && choose(8) === 0)
      ? `(${blank()}${written}${blank()})`
      : written;
  }

  function writeBare(shape: Shape): string {
    switch (shape.kind) {
      case "number":
        return String(shape.value).replace("e+", choose(2) ? "e+" : "E");
      case "text":
        return quote(shape.text);
      case "name": {
        const asset = shape.asset === null ? "" : `${bare(shape.asset, BARE_ASSET)}.`;
        return `${asset}${shape.name}${shape.selector === null ? "" : `:${bare(shape.selector, BARE_SELECTOR)}`}`;
      }
      case "negate":
        return `${sign("-")}${blank()}${write(shape.of, 3)}`;
      case "binary": {
        const left = write(shape.left, BINDS[shape.operator]!);
        return `${left}${apart(left)}${sign(shape.operator)}${blank()}${write(shape.right, BINDS[shape.operator]! + 1)}`;
      }
      case "comparison":
        return `${write(shape.left, 0)}${blank()}${sign(shape.comparison)}${blank()}${write(shape.right, 0)}`;
      case "call": {
        const of = shape.of.map((argument) => `${blank()}${write(argument, 0)}${blank()}`);
        return `${shape.name}${blank()}(${of.length === 0 ? blank() : of.join(",")})`;
      }
    }
  }
  return `${blank()}${write(shape, 0)}${blank()}`;
}
