/** Escapes text for HTML. */

const ENTITIES: Record<string, string> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };

/** Its result may stand in the text of an element, and in an attribute in double quotes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&"<>]/g, (sign) => ENTITIES[sign]!);
