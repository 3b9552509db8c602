/** Errors that the server answers, as problem documents (RFC 9457). */

import type { components } from "./openapi.ts";
import type { Send } from "./transport.ts";

type Schemas = components["schemas"];
type Documented = { [Name in keyof Schemas]: Name extends `Problem.${string}` ? Schemas[Name] : never }[keyof Schemas];

/** An answer from in front of the Worker, which is no problem document of its own. */
interface Unexplained {
  type: "about:blank";
  title: string;
  status: number;
  detail: string;
  parameter?: string;
  allowed?: string[];
  suggestion?: string;
}

/** Go by `type`; `detail` is for people. */
export type Problem = Documented | Unexplained;

const PROBLEM_TYPE = "application/problem+json";

/** Answers each error with a problem document, whoever it comes from. */
export function explaining(send: Send): Send {
  return async (request) => {
    const response = await send(request);
    const mediaType = response.headers.get("Content-Type") ?? "";
    if (response.ok || mediaType.startsWith(PROBLEM_TYPE)) return response;
    await response.body?.cancel();
    const { status, statusText } = response;
    const problem: Unexplained = {
      type: "about:blank",
      title: statusText || `HTTP ${status}`,
      status,
      detail: `Something in front of Soprano answered with status ${status}. Check the URL of the client.`,
    };
    return new Response(JSON.stringify(problem), { status, headers: { "Content-Type": PROBLEM_TYPE } });
  };
}
