/**
 * Soprano in Google Sheets: =SOPRANO("ARIA", "mvrv", "-1y"). Paste this into Extensions → Apps Script, save, reload the
 * spreadsheet, and choose Soprano → Address and key.
 */

/** What a spreadsheet remembers, for all who may edit it. */
const SETTINGS = { url: "soprano_url", key: "soprano_key" };

/** Cells of an answer: Sheets gives a custom function 30 seconds. */
const MOST_CELLS = 200000;

/** Allowed values that a cell names. */
const MOST_ALLOWED = 12;

/**
 * Series of Soprano: a row a day, hour, week or month, and a column a series.
 *
 * @param {string} assets Symbols of assets, such as "ARIA" or "ARIA,DUET".
 * @param {string} metrics Metrics or named formulas, such as "sopr" or "price,mvrv".
 * @param {string} since From when on: "-1y", "-30d" or a date. Left out: from the first point.
 * @param {string} selectors Cohorts, exchanges or sizes, such as "users,lth", or "*" for all. Left out: each metric's own.
 * @param {string} resolution "day", "hour", "week" or "month". Left out: days.
 * @return A heading, and below it the rows.
 * @customfunction
 */
function SOPRANO(assets, metrics, since, selectors, resolution) {
  try {
    return tableOf(ask(queryOf(assets, metrics, since, selectors, resolution), settings()));
  } catch (error) {
    // A sentence in the cell says more than #ERROR! does.
    return `Soprano: ${error.sentence ?? `the server can't be reached (${error.message}).`}`;
  }
}

/** An error that is told in the cell as it is. */
const told = (sentence) => Object.assign(new Error(sentence), { sentence });

/** The parameters of the request, as pairs of name and value, without those that are left out. */
function queryOf(assets, metrics, since, selectors, resolution) {
  if (listOf(assets) === "") throw told('name the asset first: =SOPRANO("ARIA", "mvrv", "-1y").');
  if (listOf(metrics) === "") throw told('name the metric after the asset: =SOPRANO("ARIA", "mvrv", "-1y").');
  const given = {
    a: listOf(assets),
    m: listOf(metrics),
    s: timeOf(since),
    c: listOf(selectors),
    r: listOf(resolution),
    f: "csv",
  };
  return Object.entries(given).filter(([, value]) => value !== "");
}

/** A text, or the cells of a range, as a list with commas and without blanks. */
const listOf = (value) =>
  [value ?? ""]
    .flat(2)
    .map((cell) => String(cell).replace(/\s+/g, ""))
    .filter((text) => text !== "")
    .join(",");

/** The date in a cell is one of the spreadsheet's time zone, and its day is meant. */
const timeOf = (value) =>
  value instanceof Date
    ? Utilities.formatDate(value, SpreadsheetApp.getActive().getSpreadsheetTimeZone(), "yyyy-MM-dd")
    : listOf(value);

/** The address and the key that this spreadsheet remembers. */
function settings() {
  const kept = PropertiesService.getDocumentProperties();
  const url = kept.getProperty(SETTINGS.url);
  const key = kept.getProperty(SETTINGS.key);
  if (!url || !key) throw told("choose Soprano → Address and key in the menu first.");
  return { url, key };
}

/** The answer as text. */
function ask(query, { url, key }) {
  const parameters = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const options = { headers: { "X-Api-Key": key }, muteHttpExceptions: true };
  const response = UrlFetchApp.fetch(`${url}/v3/series?${parameters}`, options);
  const text = response.getContentText();
  if (response.getResponseCode() === 200) return text;
  throw told(sentenceOf(text, response.getResponseCode()));
}

/** What was wrong, and what to write instead. */
function sentenceOf(text, status) {
  const { detail, suggestion, allowed = [] } = problemOf(text);
  if (detail === undefined) return `the server answered ${status}: is its address that of a Soprano?`;
  if (suggestion !== undefined) return `${detail} Did you mean ${suggestion}?`;
  if (allowed.length === 0) return detail;
  return `${detail} Allowed: ${allowed.slice(0, MOST_ALLOWED).join(", ")}${allowed.length > MOST_ALLOWED ? ", …" : "."}`;
}

function problemOf(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** CSV → cells: times as dates, values as numbers, and what is missing as empty. */
function tableOf(text) {
  const [head, ...rows] = Utilities.parseCsv(text);
  const cells = rows.length * head.length;
  if (cells === 0) throw told("there is no row in this time.");
  if (cells > MOST_CELLS) throw told(`these are ${cells} cells: ask for less time, or for fewer series.`);
  const numbersOf = (values) => values.map((value) => (value === "" ? "" : Number(value)));
  return [head, ...rows.map(([time, ...values]) => [dateOf(time), ...numbersOf(values)])];
}

/** A date that shows the day and hour of UTC in any time zone, as Sheets shows dates in its own. */
function dateOf(text) {
  const [year, month, day, hour, minute, second] = text.split(/[-T:]/).map(Number);
  return new Date(year, month - 1, day, hour, minute, second);
}

/** Makes the menu when the spreadsheet is opened. */
function onOpen() {
  SpreadsheetApp.getUi()
    .createMenu("Soprano")
    .addItem("Address and key", "askForSettings")
    .addItem("Ask again", "askAgain")
    .addToUi();
}

/** Asks for the address and the key. They are kept in the spreadsheet: whoever may edit it can read them. */
function askForSettings() {
  const ui = SpreadsheetApp.getUi();
  const url = ui.prompt("The address of your Soprano, such as https://soprano.example", ui.ButtonSet.OK_CANCEL);
  if (url.getSelectedButton() !== ui.Button.OK) return;
  const key = ui.prompt("Its API key: give each spreadsheet its own", ui.ButtonSet.OK_CANCEL);
  if (key.getSelectedButton() !== ui.Button.OK) return;
  const kept = PropertiesService.getDocumentProperties();
  kept.setProperty(SETTINGS.url, url.getResponseText().trim().replace(/\/+$/, ""));
  kept.setProperty(SETTINGS.key, key.getResponseText().trim());
  askAgain();
}

/** Clears each formula and writes it anew: Sheets computes a function again only if its arguments change. */
function askAgain() {
  for (const sheet of SpreadsheetApp.getActive().getSheets()) {
    for (const cell of sheet.createTextFinder("SOPRANO(").matchFormulaText(true).findAll()) {
      const formula = cell.getFormula();
      cell.clearContent();
      SpreadsheetApp.flush();
      cell.setFormula(formula);
    }
  }
}
