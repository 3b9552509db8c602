/** Failures, described in the same terms as the API's problem documents (RFC 9457). */

export class Problem extends Error {
  override name = "Problem";
  /** Last segment of the problem type, such as `unknown-key`; the page itself adds `unreachable` and `unreadable`. */
  readonly type: string;
  readonly title: string;
  readonly suggestion: string | undefined;

  constructor(type: string, title: string, detail: string, suggestion?: string) {
    super(detail);
    this.type = type;
    this.title = title;
    this.suggestion = suggestion;
  }

  /** Whether a different API key could solve the problem. */
  get isAboutKey(): boolean {
    return /(^|-)key$/.test(this.type);
  }

  /** The detail, with the suggestion if there is one. */
  get advice(): string {
    return this.suggestion ? `${this.message} Did you mean ${this.suggestion}?` : this.message;
  }
}

/** An error as a problem; errors that aren't problems are unexpected. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem("unreadable", "Unexpected error", String(error));
}

/** Reads the problem document of a response with an error status. */
export async function readProblem(response: Response): Promise<Problem> {
  try {
    const said: Record<string, unknown> = Object(await response.json());
    const { type, title, detail, suggestion } = said;
    if (typeof type === "string" && typeof title === "string") {
      const after = response.headers.get("Retry-After");
      const when = after && !/again/.test(String(detail)) ? `Try again in ${after} seconds.` : "";
      const text = [detail, when].filter((part) => typeof part === "string" && part);
      const name = type.slice(type.lastIndexOf("/") + 1);
      return new Problem(name, title, text.join(" "), typeof suggestion === "string" ? suggestion : undefined);
    }
  } catch {
    // The body isn't JSON: report the status instead.
  }
  const detail = "The response has a format that this page can't read.";
  return new Problem("unreadable", `The service returned status ${response.status}`, detail);
}
