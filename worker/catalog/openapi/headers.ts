/** The headers of answers, and the answer that has nothing else. */

const header = (description: string, required = true) => ({ description, required, schema: { type: "string" } });

export const HEADERS = {
  ETag: header("Entity tag; send it back as If-None-Match. Weak for CSV if the client takes gzip, otherwise strong."),
  Vary: header("Accept-Encoding, for CSV.", false),
  "Content-Encoding": header("gzip, for CSV if the client takes it and the series is not too long.", false),
  "Cache-Control": header("Who may keep the answer, and how long."),
  "X-Request-Id": header("Name it when you report a fault."),
  "X-Soprano-As-Of": header("Events before this time are in, ISO 8601."),
  "X-Soprano-Build": header(
    "The build that the answer comes from; of several assets, a list in the request's order, separated by commas.",
  ),
  Link: header("Where the metric is described."),
  "Server-Timing": header("What the server waited for, in milliseconds."),
  "RateLimit-Policy": header("What the key's plan, or one address, may send in a minute.", false),
  "Content-Disposition": header("A file name for CSV, and of a stored file.", false),
  "Accept-Ranges": header("bytes: a file can be read in ranges."),
  "Content-Range": header("Which bytes of how many; of how many, if there are none in the range."),
  "WWW-Authenticate": header("How to give a key."),
  "Retry-After": header("Seconds to wait."),
  Allow: header("The methods there are, where another one was used.", false),
};

export type HeaderName = keyof typeof HEADERS;

/** Some of the headers, by their names. */
export const headers = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** 304, with these headers. */
export const notModifiedResponse = (...names: HeaderName[]) => ({
  description: "What you have is still right.",
  headers: headers(...names),
});

/** The headers of an answer with series. */
export const DESCRIBED = [
  "ETag",
  "Vary",
  "Cache-Control",
  "X-Request-Id",
  "X-Soprano-As-Of",
  "X-Soprano-Build",
  "Link",
  "Server-Timing",
] as const;
