/**
 * Signatures of requests: version 4, of headers, without the body. Computed at once: WebCrypto would take longer for them than
 * a request takes for all the rest. Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */

import { createHmac, hash } from "node:crypto";

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface ToSign {
  method: string;
  /** Its path and query are encoded already. */
  url: URL;
  headers: Readonly<Record<string, string>>;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/** Headers that proxies may change. */
const UNSIGNED: ReadonlySet<string> = new Set(["content-length", "content-type", "range"]);

/** @returns the headers of a request at a time, its own and those of its signature */
export function s3Signer({ accessKeyId, secretAccessKey, sessionToken }: S3Credentials, region = "auto") {
  // Keys are those of a day.
  let last: { day: string; key: Buffer } = { day: "", key: Buffer.alloc(0) };
  const keyOf = (day: string, scope: readonly string[]) => {
    if (last.day !== day) last = { day, key: scope.reduce(hmac, Buffer.from(`AWS4${secretAccessKey}`)) };
    return last.key;
  };
  return ({ method, url, headers }: ToSign, now: Date): Record<string, string> => {
    const time = now.toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
    const day = time.slice(0, 8);
    const scope = [day, region, "s3", "aws4_request"];
    const all = {
      "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      "x-amz-date": time,
      ...(sessionToken && { "x-amz-security-token": sessionToken }),
    };
    const signed = Object.entries({ host: url.host, ...all })
      .filter(([name]) => !UNSIGNED.has(name))
      .sort(byName);
    const names = signed.map(([name]) => name).join(";");
    const request = [
      method,
      url.pathname.split("/").map(decodeURIComponent).map(encoded).join("/"),
      [...url.searchParams]
        .sort(byName)
        .map((pair) => pair.map(encoded).join("="))
        .join("&"),
      ...signed.map(([name, value]) => `${name}:${value.trim().replaceAll(/\s+/g, " ")}`),
      "",
      names,
      all["x-amz-content-sha256"],
    ].join("\n");
    const toSign = [ALGORITHM, time, scope.join("/"), hash("sha256", request)].join("\n");
    const signature = hmac(keyOf(day, scope), toSign).toString("hex");
    const credential = [accessKeyId, ...scope].join("/");
    const authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...all, authorization };
  };
}

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : a > b ? 1 : 0);

/** Encoded as RFC 3986 has it, which leaves fewer characters alone than JavaScript does. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
