/** The headers of answers, and the answer that has nothing else. */

const header = (description: string, required = true) => ({ description, required, schema: { type: "string" } });

export const HEADERS = {
  ETag: header(
    "Entity tag: send it back as If-None-Match. It is weak for CSV if the client accepts gzip, otherwise strong.",
  ),
  Vary: header("Accept-Encoding, for CSV.", false),
  "Content-Encoding": header("gzip, for CSV, if the client accepts it and the series is not too long.", false),
  "Cache-Control": header("Who may keep the answer, and how long."),
  "X-Request-Id": header("Identifies this request: please quote it when you report a fault."),
  "X-Soprano-As-Of": header("The time up to which the data is complete, ISO 8601: all earlier events are counted."),
  "X-Soprano-Build": header(
    "The id of the build that the answer comes from; with several assets, their ids separated by commas, in the order of the request.",
  ),
  "X-Soprano-Renamed": header(
    "The assets that the request names by a symbol that they had before, such as DOG=DOGE. The answer has the present ones.",
    false,
  ),
  Location: header("The path that answers in its place."),
  Link: header("A link to the description of the metric."),
  "Server-Timing": header("What the server spent its time waiting for, in milliseconds."),
  "RateLimit-Policy": header("How many requests a minute the key's plan allows, or one address without a key.", false),
  "Content-Disposition": header("The name under which to save a CSV answer or a stored file.", false),
  "Accept-Ranges": header("Always bytes: a file can be read in ranges."),
  "Content-Range": header(
    "The first and last byte sent and the length of the file; only the length, if the range is beyond its end.",
  ),
  "WWW-Authenticate": header("How to authenticate with an API key."),
  "Retry-After": header("Seconds to wait."),
  Allow: header("The methods that the path takes, after a request with another one.", false),
};

export type HeaderName = keyof typeof HEADERS;

/** Some of the headers, by their names. */
export const headers = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** 304, with these headers. */
export const notModifiedResponse = (...names: HeaderName[]) => ({
  description: "Not modified: the copy that your ETag names is still current.",
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
  "X-Soprano-Renamed",
  "Link",
  "Server-Timing",
] as const;
