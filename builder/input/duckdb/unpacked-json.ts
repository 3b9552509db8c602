/** Records of answers of APIs, unpacked into a temporary file as one list, which DuckDB reads piece by piece. */

import { createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure, writeProblem } from "../../lib/failure.ts";
import { type TemporaryFolder, temporaryFolder } from "../../lib/files/temporary-folder.ts";
import { foreignText } from "../../lib/foreign-text.ts";
import { contentOf } from "../files/compressed.ts";
import type { InputFile } from "../files/files.ts";
import { withItsDatabase } from "./database.ts";
import { JsonDamage, joinLists, type ListRange, outlines } from "./json-lists.ts";
import { apiError, type Envelope, envelopeOf, listAt, listsAt } from "./json-records.ts";

/** The largest value that is read, in bytes, without the lists of an answer: DuckDB's own limit. */
export const MOST_VALUE = 1 << 24;

const shownText = (text: string) => JSON.stringify(foreignText(text.length > 200 ? `${text.slice(0, 199)}…` : text));

/**
 * The envelope of a file's first value.
 *
 * @throws {Failure} the value is an error of an API, or has several lists of records
 */
export function checkedEnvelope({ name }: InputFile, first: unknown): Envelope | undefined {
  const error = apiError(first);
  if (error !== undefined) {
    throw new Failure(`${name} is no data, but an error of an API, ${shownText(error)}; request it again.`);
  }
  const envelope = envelopeOf(first);
  if (envelope && listsAt(first, envelope) > 1) {
    throw new Failure(`${name} has several lists of records at ${envelope.path}; keep the one that is meant.`);
  }
  return envelope;
}

export const lacksList = ({ name }: InputFile, value: number, { path }: Envelope): Failure =>
  new Failure(`${name}, value ${value}: has no list of records at ${path}; request it again.`);

/**
 * Where the records of a file of answers are.
 *
 * @returns undefined if its values are records themselves, or have their lists side by side
 * @throws {Failure} the file is not JSON, or not all of its values have their list where the first has it
 */
export async function recordLists(file: InputFile): Promise<ListRange[] | undefined> {
  let envelope: Envelope | undefined;
  const found: ListRange[] = [];
  let values = 0;
  try {
    for await (const { value, lists } of outlines(contentOf(file), MOST_VALUE)) {
      values++;
      envelope ??= checkedEnvelope(file, value);
      if (!envelope) return undefined;
      const list = listAt(value, envelope);
      if (list === undefined) throw lacksList(file, values, envelope);
      found.push(lists[list]!);
    }
  } catch (error) {
    throw error instanceof JsonDamage ? new Failure(`${file.name}${DAMAGES[error.what](error.value)}`) : error;
  }
  return found;
}

const DAMAGES: Record<JsonDamage["what"], (value: number) => string> = {
  malformed: (value) => `, value ${value}: is not well-formed JSON; correct it, or export the file again.`,
  cut: () => " ends in the middle of its list; export or download it again.",
  long: () => ` has a value of more than ${MOST_VALUE} bytes; write one record a line.`,
};

/** The unpacked files of a database, which last as long as it does. */
interface Unpacked {
  folder: TemporaryFolder;
  paths: Map<InputFile, string>;
}

const ofDatabase = new WeakMap<DuckDBConnection, Unpacked>();

/**
 * Writes the records of a file as one list, once a database.
 *
 * @returns the path
 * @throws {Failure} the folder for temporary files can't be written
 */
export async function unpacked(
  connection: DuckDBConnection,
  file: InputFile,
  lists: readonly ListRange[],
): Promise<string> {
  try {
    const { folder, paths } = ofDatabase.get(connection) ?? forDatabase(connection);
    const known = paths.get(file);
    if (known !== undefined) return known;
    const path = join(folder.path, `${paths.size}.json`);
    await pipeline(joinLists(contentOf(file), lists), createWriteStream(path));
    paths.set(file, path);
    return path;
  } catch (error) {
    const problem = writeProblem(error);
    throw problem === undefined
      ? error
      : new Failure(
          `${file.name} can't be unpacked in ${tmpdir()} (${problem}), or choose another folder with TMPDIR.`,
        );
  }
}

function forDatabase(connection: DuckDBConnection): Unpacked {
  const folder = temporaryFolder(tmpdir(), "soprano-json");
  const made = { folder, paths: new Map<InputFile, string>() };
  ofDatabase.set(connection, made);
  withItsDatabase(connection, folder.remove);
  return made;
}
