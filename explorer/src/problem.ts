/** What can go wrong, in the words of the API's problem documents (RFC 9457). */

export class Problem extends Error {
  override name = "Problem";
  /** Last segment of the type, such as `unknown-key`; `unreachable` and `unreadable` are the page's own. */
  readonly type: string;
  readonly title: string;
  readonly suggestion: string | undefined;

  constructor(type: string, title: string, detail: string, suggestion?: string) {
    super(detail);
    this.type = type;
    this.title = title;
    this.suggestion = suggestion;
  }

  /** Whether another key would help. */
  get isOfKey(): boolean {
    return /(^|-)key$/.test(this.type);
  }
}

/** The problem that an answer with an error status tells of. */
export async function problemOf(response: Response): Promise<Problem> {
  try {
    const { type, title, detail, suggestion } = (await response.json()) as Record<string, unknown>;
    if (typeof type === "string" && typeof title === "string") {
      const after = response.headers.get("Retry-After");
      const when = after && !/again/.test(String(detail)) ? `Try again in ${after} seconds.` : "";
      const text = [detail, when].filter((part) => typeof part === "string" && part);
      return new Problem(
        type.slice(type.lastIndexOf("/") + 1),
        title,
        text.join(" "),
        typeof suggestion === "string" ? suggestion : undefined,
      );
    }
  } catch {
    // No problem document: told below.
  }
  return new Problem(
    "unreadable",
    `The service answered ${response.status}`,
    "Its answer is none that this page knows.",
  );
}

export const unreachable = () =>
  new Problem(
    "unreachable",
    "No connection",
    "The service can't be reached. See whether you are online and it runs, then try again.",
  );
