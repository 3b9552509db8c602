/** Whether the OpenAPI document declares an answer. test/worker/catalog/openapi.test.ts asks the same from within. */

import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { type Schema, Validator } from "@cfworker/json-schema";
import type { RawAnswer } from "./raw-http.ts";

interface Declared {
  headers: Record<string, { $ref: string }>;
  content?: Record<string, { schema: Schema }>;
}

/** The parts of the document that are used. */
export interface OpenApi {
  paths: Record<string, { get: { responses: Record<string, Declared | { $ref: string }> } }>;
  components: {
    responses: Record<string, Declared>;
    headers: Record<string, { required?: boolean }>;
    schemas: Record<string, Schema>;
  };
}

/** On every answer of the Worker. Source: docs/api.md#headers. */
const COMMON = { "access-control-allow-origin": "*", "x-content-type-options": "nosniff" };

const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  identity: (body) => body,
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};

export class Declarations {
  readonly #document: OpenApi;
  readonly #patterns: readonly (readonly [RegExp, Record<string, Declared | { $ref: string }>])[];
  readonly #validators = new Map<Schema, Validator>();

  constructor(document: OpenApi) {
    this.#document = document;
    this.#patterns = Object.entries(document.paths).map(([path, { get }]) => {
      const pattern = path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
      return [new RegExp(`^${pattern}/*$`), get.responses];
    });
  }

  /** @throws {Error} what the document does not say of the Worker's answer */
  check(method: string, path: string, answer: RawAnswer): void {
    const { status, headers, body } = answer;
    for (const [name, value] of Object.entries(COMMON)) {
      if (headers.get(name) !== value) throw new Error(`its ${name} is ${headers.get(name)}`);
    }
    if (status === 204 && method === "OPTIONS") return;
    const declared = this.#declared(path, status);
    if (declared === undefined) throw new Error(`${status} is not declared`);
    this.#checkHeaders(declared, headers);
    const mediaType = headers.get("content-type")?.split(";")[0];
    if (declared.content === undefined) {
      if (mediaType !== undefined || body.length > 0) throw new Error(`${status} has a body`);
      return;
    }
    const content = declared.content[mediaType ?? ""];
    if (content === undefined) throw new Error(`${status} is not declared as ${mediaType}`);
    if (method === "HEAD") return;
    const text = decoded(answer).toString();
    const value = mediaType!.endsWith("json") ? JSON.parse(text) : text;
    const { valid, errors } = this.#validator(content.schema).validate(value);
    if (!valid) throw new Error(`its body is not as declared: ${text.slice(0, 200)} ${JSON.stringify(errors)}`);
    if (status >= 400 && value.status !== status) throw new Error(`${status} says that it is ${value.status}`);
  }

  #checkHeaders(declared: Declared, headers: ReadonlyMap<string, string>): void {
    for (const [name, { required }] of Object.entries(this.#document.components.headers)) {
      const isThere = headers.has(name.toLowerCase());
      // The server in front may compress answers that the Worker does not compress.
      const isDeclared = name in declared.headers || name === "Content-Encoding";
      if (isThere && !isDeclared) throw new Error(`its header ${name} is not declared`);
      if (!isThere && isDeclared && required) throw new Error(`it lacks the header ${name}`);
    }
  }

  #declared(path: string, status: number): Declared | undefined {
    const [, responses] = this.#patterns.find(([pattern]) => pattern.test(path)) ?? this.#patterns[0]!;
    const isKnown = this.#patterns.some(([pattern]) => pattern.test(path));
    // Also requests for what there is not are limited.
    const found = (isKnown || status === 429 ? responses[status] : undefined) ?? responses.default;
    if (found === undefined || !("$ref" in found)) return found;
    return this.#document.components.responses[found.$ref.split("/").at(-1)!];
  }

  #validator(schema: Schema): Validator {
    const known = this.#validators.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify({ ...schema, $defs: this.#document.components.schemas });
    const made = new Validator(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")), "2020-12");
    this.#validators.set(schema, made);
    return made;
  }
}

/** The body without its compression. */
export function decoded({ headers, body }: RawAnswer): Buffer {
  const coding = headers.get("content-encoding") ?? "identity";
  const decode = DECODERS[coding];
  if (decode === undefined) throw new Error(`its Content-Encoding is ${coding}`);
  return decode(body);
}
