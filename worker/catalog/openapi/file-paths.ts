/** The paths of files. */

import { RESOLUTIONS } from "../../../data-schema/registry.ts";
import { ASSET } from "./documented-parameters.ts";
import { headers, notModifiedResponse } from "./headers.ts";
import { problems } from "./problem-answers.ts";
import { type Json, reference } from "./schema.ts";

export const FILES_TAG = {
  name: "Files",
  description: "The published Parquet objects, for DuckDB, pandas and others.",
};

/** GET /v3/files: the list of an asset's files, and the files. */
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
        "Name of the metric or distribution, or the selector of an own cohort.",
        { pattern: "^@?[a-z0-9_-]+$" },
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
  return {
    "/v3/files/{asset}": { get: list },
    "/v3/files/{asset}/{resolution}/{metric}/{file}": { get: file },
  };
}
