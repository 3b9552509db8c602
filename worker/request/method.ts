/** Methods of requests. OPTIONS is answered before. */

import { Problem } from "../problems/problem.ts";

/** @throws {Problem} 405 the method is neither GET nor HEAD */
export function onlyRead({ method }: Request): void {
  if (method === "GET" || method === "HEAD") return;
  throw new Problem("method-not-allowed", "This API can only be read.", { allowed: ["GET", "HEAD", "OPTIONS"] });
}

/** @throws {Problem} 405 the method is not POST */
export function onlyPost({ method }: Request): void {
  if (method === "POST") return;
  const allowed = ["POST", "OPTIONS"];
  const detail = "The Model Context Protocol takes POST here: there are no sessions and no streams of its own.";
  throw new Problem("method-not-allowed", detail, { allowed }, undefined, { Allow: allowed.join(", ") });
}
