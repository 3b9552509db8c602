/** The paths of files. */

import { RESOLUTIONS } from "../../../data-schema/registry.ts";
import { DUCKDB_PARAMETERS } from "../../request/duckdb-query.ts";
import { describesTable } from "../table-metrics.ts";
import { ASSET, tableParameterSchema } from "./documented-parameters.ts";
import { headers, notModifiedResponse } from "./headers.ts";
import { problemResponse, problems } from "./problem-answers.ts";
import { type Json, reference } from "./schema.ts";

export const FILES_TAG = {
  name: "Files",
  description: "The published Parquet objects, for DuckDB, pandas and others.",
};

/** GET /v3/files: the list of an asset's files, and the files; and GET /v3/duckdb.sql. */
export function filePaths(): Json {
  const ofPath = (name: string, description: string, schema: Json, example: string) => ({
    name,
    in: "path",
    description,
    required: true,
    schema: { type: "string", ...schema },
    example,
  });
  const ofList = [
    "ETag",
    "Cache-Control",
    "X-Request-Id",
    "X-Soprano-As-Of",
    "X-Soprano-Build",
    "Server-Timing",
  ] as const;
  const ofFile = ["ETag", "Cache-Control", "X-Request-Id", "Server-Timing", "Accept-Ranges"] as const;
  const content = { "application/vnd.apache.parquet": { schema: reference("File") } };
  const sent = [...ofFile, "RateLimit-Policy", "Content-Disposition"] as const;
  const list = {
    operationId: "v3_files",
    tags: [FILES_TAG.name],
    summary: "Files of an asset",
    description: "Every Parquet object of the active build.",
    parameters: [ASSET],
    responses: {
      200: {
        description: "The files.",
        headers: headers(...ofList, "RateLimit-Policy"),
        content: { "application/json": { schema: reference("Files") } },
      },
      304: notModifiedResponse(...ofList, "RateLimit-Policy"),
      ...problems("keyed"),
      410: problemResponse(["removed-asset"]),
    },
  };
  const file = {
    operationId: "v3_file",
    tags: [FILES_TAG.name],
    summary: "One file, or a range of it",
    description: `A file never changes: a new build has new files. Files of earlier builds can be read until they are removed from the store.

The header Range takes one range of bytes; If-Range, If-Match and If-None-Match take the ETag.`,
    parameters: [
      ASSET,
      ofPath("resolution", "Resolution of the series.", { enum: RESOLUTIONS }, "day"),
      ofPath(
        "metric",
        "Name of the metric or distribution, the selector of an own cohort, or a method of lots.",
        { pattern: "^@?[a-z0-9_.-]+$" },
        "sopr",
      ),
      ofPath(
        "file",
        "Name of the file, as in the list of files.",
        { pattern: "^[0-9a-z-]+\\.[0-9a-f]{32}\\.parquet$" },
        "all.0123456789abcdef0123456789abcdef.parquet",
      ),
    ],
    responses: {
      200: { description: "The file.", headers: headers(...sent), content },
      206: {
        description: "The range of bytes that was asked for.",
        headers: headers(...sent, "Content-Range"),
        content,
      },
      304: notModifiedResponse(...ofFile, "RateLimit-Policy"),
      ...problems("file"),
    },
  };
  const script = {
    operationId: "v3_duckdb",
    tags: [FILES_TAG.name],
    summary: "The files as views of DuckDB",
    description: `A script that makes a view of each resolution: series_day, series_hour and so on, with the columns asset, metric, selector, t and v, and block at block resolution; a row is a point. It reads the files by HTTPS, with DuckDB's extension httpfs.

The script never holds a key: it makes DuckDB's secret from the variable soprano_key, which is set before. A new build has new files: ask for the script again then.`,
    parameters: DUCKDB_PARAMETERS.filter(describesTable).map(tableParameterSchema),
    responses: {
      200: {
        description: "The script.",
        headers: headers(...ofList, "Vary", "RateLimit-Policy", "Content-Disposition", "Content-Encoding"),
        content: { "application/sql": { schema: reference("DuckdbScript") } },
      },
      304: notModifiedResponse(...ofList, "Vary", "RateLimit-Policy"),
      ...problems("table"),
    },
  };
  return {
    "/v3/duckdb.sql": { get: script },
    "/v3/files/{asset}": { get: list },
    "/v3/files/{asset}/{resolution}/{metric}/{file}": { get: file },
  };
}
