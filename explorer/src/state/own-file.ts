/** Files that pages write and read: JSON that names its form. */

/** What is wrong with a file, in one sentence. */
export class BadFile extends Error {}

export interface OwnForm {
  form: string;
  /** Characters of a file. */
  longest: number;
  /** The sentence on a longer one. */
  tooLarge: string;
  /** What a file of another form lacks, as in “holds no …”. */
  what: string;
}

export const formatOwn = ({ form }: Pick<OwnForm, "form">, content: object): string =>
  `${JSON.stringify({ form, version: 1, ...content }, null, 2)}\n`;

/**
 * The content of a file with a list of charts.
 *
 * @throws {BadFile} it is too large, no JSON, or of another form
 */
export function parseOwn(
  { form, longest, tooLarge, what }: OwnForm,
  text: string,
): { charts: unknown[] } & Record<string, unknown> {
  if (text.length > longest) throw new BadFile(tooLarge);
  let file: Record<string, unknown>;
  try {
    file = Object(JSON.parse(text));
  } catch {
    throw new BadFile("This file isn't JSON. Choose one that “Export” has written.");
  }
  if (file.form !== form || file.version !== 1 || !Array.isArray(file.charts)) {
    throw new BadFile(`This file holds no ${what}. Choose one that “Export” has written.`);
  }
  return { ...file, charts: file.charts };
}
