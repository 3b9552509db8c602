/** JSON with exact integers of any size and with bytes: `{"$": "123"}` stands for a BigInt, `{"$hex": "0aff"}` for bytes. */

export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => {
    if (typeof item === "bigint") return { $: String(item) };
    if (item instanceof Uint8Array) return { $hex: Buffer.from(item).toString("hex") };
    return item;
  });
}

export function fromJson<T>(text: string): T {
  // Most texts have none, and a function for each item takes several times as long.
  if (!/\{"\$(hex)?":/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, item) => {
    if (typeof item?.$ === "string") return BigInt(item.$);
    if (typeof item?.$hex === "string") return new Uint8Array(Buffer.from(item.$hex, "hex"));
    return item;
  });
}
