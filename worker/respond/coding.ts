/** Which content coding a client wants (RFC 9110 §12.5.3). */

/** Whether a client takes gzip, and likes nothing less than an answer without a coding. */
export function prefersGzip(request: Request): boolean {
  // Cloudflare replaces the header that reaches a Worker, and keeps the client's here; empty if it sent none.
  const original = request.cf?.clientAcceptEncoding as string | undefined;
  const weights = new Map(weighted(original ?? request.headers.get("Accept-Encoding") ?? ""));
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0;
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0);
}

/** The codings of Accept-Encoding, each with its weight from 0 to 1; NaN if that is not a number. */
function weighted(header: string): [coding: string, weight: number][] {
  return header
    .toLowerCase()
    .split(",")
    .map((element) => {
      const [coding = "", ...parameters] = element.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [coding, weight === undefined ? 1 : Number(weight.slice("q=".length))];
    });
}
