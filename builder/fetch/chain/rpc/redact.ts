/** Texts of others, made fit to show: short, printable and without any part of a URL beyond its host. */

import { excerptOf, foreignText, LONGEST_FOREIGN } from "../../../lib/foreign-text.ts";

const LONGEST = 200;
const REMOVED = "…";

/** A part this short is only removed where it stands alone: it is no secret, but `1` or `v2` are parts of numbers and words. */
const SHORT = 4;

/** What begins or ends like a secret of this length may be a part of it: providers quote keys cut short. */
const LONG = 16;
const EDGE = 8;
const REST = "[\\p{L}\\p{N}_.~%-]{0,80}";
const edgesOf = (part: string) =>
  part.length < LONG || part.includes("/")
    ? []
    : [escaped(part.slice(0, EDGE)) + REST, REST + escaped(part.slice(-EDGE))];

const ANY_URL = /\b([a-z][a-z0-9+.-]{1,20}):\/\/([^\s/?#"'<>\\@]*@)?([^\s/?#"'<>\\]*)[^\s"'<>]*/gi;

/** Escapes a text for a pattern. With the flag u, only these characters may be escaped. */
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Each spelling of a part: as it is, without percent-encoding, and with it. */
function spellings(part: string): string[] {
  const all = [part, encodeURIComponent(part)];
  try {
    all.push(decodeURIComponent(part));
  } catch {
    // Not encoded.
  }
  return all;
}

/** What of a URL may be a secret. */
function secretsOf({ pathname, search, username, password, hash }: URL): string[] {
  const query = [...new URLSearchParams(search)].flat();
  const user = decodeURIComponentOr(username);
  const credentials = `${user}:${decodeURIComponentOr(password)}`;
  const basic = credentials === ":" ? "" : Buffer.from(credentials).toString("base64");
  return [
    `${pathname}${search}`,
    pathname.slice(1),
    ...pathname.split("/"),
    search.slice(1),
    ...query,
    ...search.slice(1).split(/[&=]/),
    username,
    password,
    basic,
    hash.slice(1),
  ];
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const BEGUN_URL = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]*$/i;

/** A text that was cut, without the URL or the part of a secret at its end. */
function withoutBegun(text: string, secrets: Iterable<string>): string {
  const cut = text.replace(BEGUN_URL, "").toLowerCase();
  const begun = Array.from(secrets, (secret) => {
    const lower = secret.toLowerCase();
    let length = Math.min(lower.length, cut.length);
    while (!cut.endsWith(lower.slice(0, length))) length -= 1;
    return length;
  });
  return `${text.slice(0, cut.length - Math.max(0, ...begun))}${REMOVED}`;
}

/**
 * @param urls those of all nodes: a provider may quote a URL that is not its own
 * @param secrets values of headers
 * @returns what makes a text of a node fit to show: at most 200 characters
 */
export function redactor(urls: readonly URL[], secrets: readonly string[] = []): (text: string) => string {
  // Each word of a header such as `Bearer KEY` may be quoted alone.
  const words = secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]);
  const parts = new Set([...urls.flatMap(secretsOf), ...words].flatMap(spellings));
  // Longer parts first: a shorter one may be inside.
  const patterns = [...parts]
    .filter((part) => part !== "" && part !== "/")
    .sort((a, b) => b.length - a.length)
    .map((part) => (part.length < SHORT ? `(?<![\\p{L}\\p{N}])${escaped(part)}(?![\\p{L}\\p{N}])` : escaped(part)));
  patterns.push(...[...parts].flatMap(edgesOf));
  const pattern = patterns.length > 0 ? new RegExp(patterns.join("|"), "giu") : undefined;
  return (text) => {
    const excerpt = excerptOf(text);
    const whole = text.length > LONGEST_FOREIGN ? withoutBegun(excerpt, parts) : excerpt;
    const withoutSecrets = pattern ? whole.replace(pattern, REMOVED) : whole;
    const line = foreignText(withoutSecrets.replace(ANY_URL, "$3"));
    return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
  };
}
