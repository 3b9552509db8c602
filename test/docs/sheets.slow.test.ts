/** examples/sheets: the Apps Script runs here, on what stands in for Google's services, against a real server. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES, type ServedToken, serveToken } from "./served.ts";

const SCRIPT = readFileSync(join(EXAMPLES, "sheets", "soprano.gs"), "utf8");

type Cell = string | number | Date;
type Answer = string | Cell[][];

interface Fetched {
  status: number;
  text: string;
}

/** A spreadsheet: what it remembers, the cells with formulas, and what was done to them. */
class Sheet {
  readonly kept = new Map<string, string>();
  readonly done: string[] = [];
  readonly menu: [string, string][] = [];
  /** Answers of the prompts to come; null for Cancel. */
  prompts: (string | null)[] = [];
  /** Apps Script waits for an answer; here it is fetched first, and the function called again. */
  readonly #answers = new Map<string, Fetched>();
  readonly sent: { url: string; options: { headers: Record<string, string> } }[] = [];
  readonly #globals: Record<string, (...args: unknown[]) => unknown>;

  constructor() {
    const { kept, done, menu, sent } = this;
    const cell = {
      getFormula: () => '=SOPRANO("TINY", "sopr")',
      clearContent: () => done.push("clear"),
      setFormula: (formula: string) => done.push(formula),
    };
    const finder = { matchFormulaText: () => finder, findAll: () => [cell] };
    const spreadsheet = {
      getSpreadsheetTimeZone: () => "Asia/Seoul",
      getSheets: () => [{ createTextFinder: () => finder }],
    };
    const entry = {
      addItem: (title: string, name: string) => {
        menu.push([title, name]);
        return entry;
      },
      addToUi: () => done.push("menu"),
    };
    const prompt = () => {
      const text = this.prompts.shift();
      return { getSelectedButton: () => (text === null ? "CANCEL" : "OK"), getResponseText: () => text };
    };
    const ui = { createMenu: () => entry, prompt, Button: { OK: "OK" }, ButtonSet: { OK_CANCEL: 0 } };
    this.#globals = createContext({
      Date,
      UrlFetchApp: {
        fetch: (url: string, options: { headers: Record<string, string> }) => {
          sent.push({ url, options });
          const answer = this.#answers.get(url);
          if (answer === undefined) throw new Error(`Address unavailable: ${url}`);
          return { getResponseCode: () => answer.status, getContentText: () => answer.text };
        },
      },
      Utilities: {
        // None of the fields here has quotes.
        parseCsv: (text: string) =>
          text
            .trimEnd()
            .split("\n")
            .map((line) => line.split(",")),
        formatDate: (date: Date, timeZone: string) => new Intl.DateTimeFormat("sv-SE", { timeZone }).format(date),
      },
      PropertiesService: {
        getDocumentProperties: () => ({
          getProperty: (name: string) => kept.get(name) ?? null,
          setProperty: (name: string, value: string) => kept.set(name, value),
        }),
      },
      SpreadsheetApp: { getActive: () => spreadsheet, getUi: () => ui, flush: () => done.push("flush") },
    });
    runInContext(SCRIPT, this.#globals);
  }

  run(name: string, ...args: unknown[]): unknown {
    return this.#globals[name]!(...args);
  }

  /** What the cell shows. */
  async soprano(...args: unknown[]): Promise<Answer> {
    const from = this.sent.length;
    this.run("SOPRANO", ...args);
    const asked = this.sent[from];
    if (asked !== undefined && URL.canParse(asked.url)) {
      const response = await fetch(asked.url, { headers: asked.options.headers }).catch(() => null);
      if (response) this.answer(asked.url, { status: response.status, text: await response.text() });
    }
    // The arrays are those of another realm.
    const shown = this.run("SOPRANO", ...args) as Answer;
    return typeof shown === "string" ? shown : Array.from(shown, (row) => Array.from(row));
  }

  answer(url: string, fetched: Fetched): void {
    this.#answers.set(url, fetched);
  }
}

let server: ServedToken;

beforeAll(async () => {
  server = await serveToken();
});
afterAll(() => server?.close());

function connected(): Sheet {
  const sheet = new Sheet();
  sheet.prompts = [` ${server.url}/ `, server.key];
  sheet.run("askForSettings");
  return sheet;
}

const DAYS = [new Date(2024, 0, 1), new Date(2024, 0, 2)];

describe("=SOPRANO", () => {
  it("fills cells with dates and numbers, under the names of the series", async () => {
    expect(await connected().soprano("TINY", "volume,sopr")).toEqual([
      ["t", "TINY:volume:total", "TINY:sopr:total"],
      [DAYS[0], 300, 1],
      [DAYS[1], 260, 520 / 322],
    ]);
    expect(await connected().soprano("TINY", "mvrv", "-1y")).toEqual([
      ["t", "TINY:mvrv:total"],
      [DAYS[0], 1],
      [DAYS[1], 2200 / 1398],
    ]);
  });

  it("takes cells, ranges and dates as arguments, and leaves out what is empty", async () => {
    const sheet = connected();
    // The day of a cell is that of the spreadsheet's time zone, Seoul.
    const since = new Date("2024-01-01T15:30:00Z");
    expect(await sheet.soprano([["TINY"]], [["volume"], ["price"], [""]], since, "", undefined)).toEqual([
      ["t", "TINY:volume:total", "TINY:price:total"],
      [DAYS[1], 260, 2],
    ]);
    expect(new URL(sheet.sent[0]!.url).search).toBe("?a=TINY&m=volume%2Cprice&s=2024-01-02&f=csv");
    expect(await sheet.soprano("TINY", "supply", "2024-01-02", "$100-1k, total", "day")).toEqual([
      ["t", "TINY:supply:$100-1k", "TINY:supply:total"],
      [DAYS[1], 100, 1100],
    ]);
  });

  it("leaves cells empty where a series has no point", async () => {
    const [head, ...rows] = (await connected().soprano("TINY", "sopr_loss,price")) as Cell[][];
    expect(head).toEqual(["t", "TINY:sopr_loss:total", "TINY:price:total"]);
    expect(rows.map((row) => row[1])).toContain("");
  });

  it("sends the key as a header, never in the address", async () => {
    const sheet = connected();
    await sheet.soprano("TINY", "sopr");
    expect(sheet.sent[0]!.options.headers).toEqual({ "X-Api-Key": server.key });
    expect(sheet.sent.map(({ url }) => url).join()).not.toContain(server.key);
  });

  it.each([
    [[], 'Soprano: name the asset first: =SOPRANO("ARIA", "mvrv", "-1y").'],
    [["TINY", ""], 'Soprano: name the metric after the asset: =SOPRANO("ARIA", "mvrv", "-1y").'],
    [["TINI", "sopr"], "Soprano: There are no metrics of this asset. Did you mean TINY?"],
    [["TINY", "sopr", "-30"], "Soprano: s is a span without its unit. Did you mean -30d?"],
    [["TINY", "sopr", "", "", "days"], "Soprano: r does not take this value. Did you mean day?"],
    [
      ["TINY", "sopr", "", "", "quarter"],
      "Soprano: r does not take this value. Allowed: day, hour, block, week, month.",
    ],
    [["TINY", "sopr", "2030-01-01"], "Soprano: there is no row in this time."],
  ])("says in the cell what is wrong: %j", async (args, sentence) => {
    expect(await connected().soprano(...args)).toBe(sentence);
  });

  it("says so if there is no key, no server, or something else", async () => {
    const sheet = new Sheet();
    expect(await sheet.soprano("TINY", "sopr")).toBe("Soprano: choose Soprano → Address and key in the menu first.");
    sheet.kept.set("soprano_url", server.url).set("soprano_key", "00000000-0000-4000-8000-000000000001");
    expect(await sheet.soprano("TINY", "sopr")).toBe("Soprano: There is no such API key.");
    const address = "https://elsewhere.invalid/v3/series?a=TINY&m=sopr&f=csv";
    sheet.kept.set("soprano_url", "https://elsewhere.invalid");
    expect(await sheet.soprano("TINY", "sopr")).toBe(
      `Soprano: the server can't be reached (Address unavailable: ${address}).`,
    );
    for (const text of ["<html>", "null", "[]"]) {
      sheet.answer(address, { status: 404, text });
      expect(sheet.run("SOPRANO", "TINY", "sopr")).toBe(
        "Soprano: the server answered 404: is its address that of a Soprano?",
      );
    }
  });
});

describe("the menu", () => {
  it("names functions that there are", () => {
    const sheet = new Sheet();
    sheet.run("onOpen");
    expect(sheet.menu).toEqual([
      ["Address and key", "askForSettings"],
      ["Ask again", "askAgain"],
    ]);
    for (const [, name] of sheet.menu) expect(SCRIPT).toContain(`function ${name}()`);
  });

  it("remembers address and key, without blanks and the last slash, and asks again", () => {
    const sheet = connected();
    expect(Object.fromEntries(sheet.kept)).toEqual({ soprano_url: server.url, soprano_key: server.key });
    expect(sheet.done).toEqual(["clear", "flush", '=SOPRANO("TINY", "sopr")']);
  });

  it.each([[[null]], [["https://soprano.example", null]]])("remembers nothing if it is cancelled: %j", (prompts) => {
    const sheet = new Sheet();
    sheet.prompts = [...prompts];
    sheet.run("askForSettings");
    expect([...sheet.kept, ...sheet.done]).toEqual([]);
  });
});

describe("the function of Power Query", () => {
  const text = readFileSync(join(EXAMPLES, "sheets", "soprano.pq"), "utf8");

  it("asks for what GET /v3/series takes, and never has a key of its own", async () => {
    const [, given] = text.match(/Given = \[([^\]]+)\]/)!;
    const names = given!.split(",").map((pair) => pair.split("=")[0]!.trim());
    expect(names).toEqual(["a", "m", "s", "c", "r", "f"]);
    const query = new URLSearchParams({ a: "TINY", m: "sopr_loss,price", s: "-1y", c: "total", r: "day", f: "csv" });
    const response = await fetch(`${server.url}/v3/series?${query}`, { headers: { "X-Api-Key": server.key } });
    expect([response.status, (await response.text()).split("\n")[0]]).toEqual([
      200,
      "t,TINY:sopr_loss:total,TINY:price:total",
    ]);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
  });

  it("takes the statuses of all problems that a series may have as answers with a sentence", async () => {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<string, { get: { responses: Record<string, unknown> } }>;
    };
    const statuses = Object.keys(document.paths["/v3/series"]!.get.responses).filter((status) => /^[45]/.test(status));
    const [, handled] = text.match(/ManualStatusHandling = \{([\d, ]+)\}/)!;
    expect(handled!.split(", ").sort()).toEqual(statuses.sort());
  });
});
