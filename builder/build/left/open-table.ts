import { type Layout, TableFile } from "../../lib/fixed-width-table.ts";
import type { StageFolder } from "../folder/folder.ts";

/**
 * A table that another task has left.
 *
 * @param pick the row groups that will be read; all if left out
 * @throws {Error} the file is missing or damaged
 */
export async function openLeftTable<L extends Layout>(
  folder: StageFolder,
  name: string,
  layout: L,
  pick: (file: TableFile<L>) => Iterable<number> = ({ groups }) => Array(groups).keys(),
): Promise<TableFile<L>> {
  const table = await folder.table(name);
  const file = new TableFile(table.path, layout);
  await table.fetch(pick(file));
  return file;
}
