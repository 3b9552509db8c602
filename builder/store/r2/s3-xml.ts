/** The XML of S3's answers: elements without attributes, comments or CDATA. */

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Whether a document has come to the end of its root. */
export function isWhole(xml: string, root: string): boolean {
  return new RegExp(`(</${root}>|<${root}[^<>]*/>)\\s*$`).test(xml);
}

/** The content of every element of a name. */
export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, content = ""]) => content);
}

/** The text of the first element of a name; undefined when there is none. */
export function elementText(xml: string, name: string): string | undefined {
  return xml
    .match(new RegExp(`<${name}>([^<]*)</${name}>`))?.[1]
    ?.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal, hex, named) =>
      named ? (ENTITIES[named] ?? entity) : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
    );
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
