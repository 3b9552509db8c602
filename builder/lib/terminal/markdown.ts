/** Escapes Markdown and HTML in a table's cell, and joins its lines. */
export function markdownCell(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_|[\]]/g, "\\$&");
}
