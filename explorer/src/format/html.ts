/** Text within HTML. */

const ENTITIES: Record<string, string> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };

/** For the text of an element, and for an attribute in double quotes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&"<>]/g, (sign) => ENTITIES[sign]!);
