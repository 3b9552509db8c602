/** Cards of links. */

import { expect, it } from "vitest";
import { cardOf } from "../../../worker/chart-link/card.ts";

const NONE = { title: null, description: null, path: "/" };

it.each([
  ["", NONE],
  ["?", NONE],
  ["?a=shell", { title: "SHELL: on-chain metrics", description: null, path: "/?a=SHELL" }],
  [
    "?a=SHELL&y=sopr:users&y2=supply:*age:share",
    {
      title: "SHELL: SOPR and supply by age",
      description: expect.stringMatching(/^Spent output profit ratio: /),
      path: "/?a=SHELL&y=sopr%3Ausers&y2=supply%3A*age%3Ashare",
    },
  ],
  [
    "?y==mvrv&price=log&smooth=7&r=week&range=1y",
    {
      title: "MVRV",
      description: "Computed from market capitalisation and realised capitalisation.",
      path: "/?y=%3Dmvrv&r=week&range=1y&price=log&smooth=7",
    },
  ],
  [
    "?a=SHELL&y=sopr&y=supply&y=volume&y=price&y2=market_cap",
    expect.objectContaining({ title: "SHELL: SOPR, supply, on-chain volume and more" }),
  ],
  ["?a=SHELL&y=sopr&y=sopr:users", expect.objectContaining({ title: "SHELL: SOPR" })],
  ["?a=SHELL&y=sopr:users", expect.objectContaining({ title: "SHELL: SOPR, Users" })],
  ["?a=SHELL&y=supply:$0-100&y2==mvrv", expect.objectContaining({ title: "SHELL: Supply and MVRV" })],
  // A raw plus sign is a space in a query.
  ["?y=supply:$10M+", expect.objectContaining({ path: "/?y=supply%3A%2410M%2B" })],
  [
    "?a=A&y=sopr&s=2025-03-01&u=2025-03-02T09:30&z=2025-03-01,2025-03-02",
    expect.objectContaining({
      path: "/?a=A&y=sopr%3Atotal&s=2025-03-01&u=2025-03-02T09%3A30&z=2025-03-01%2C2025-03-02",
    }),
  ],
  [
    "?a=A&y=price&heat=cost_basis&colors=log&smooth=45",
    expect.objectContaining({
      title: "A: Price and cost basis distribution",
      path: "/?a=A&y=price&smooth=45&heat=cost_basis&colors=log",
    }),
  ],
  ["?a=A&y=price&heat=cost&smooth=366", { title: "A: Price", description: expect.anything(), path: "/?a=A&y=price" }],
  // Notes are anybody's words.
  ["?a=A&y=price&note=2025-03-01,,Free+coins", { title: "A: Price", description: expect.anything(), path: null }],
  ["?a=A&y=price&zone2=1~2~red~Free+coins", expect.objectContaining({ title: "A: Price", path: null })],
  ["?a=A&y==price/2&names=Free+coins", expect.objectContaining({ title: "A: price/2", path: null })],
  ["?a=A&y=price&alert=price>1", expect.objectContaining({ path: null })],
  // The explorer may be able to read what the Worker can't: then the address that was asked is the chart's.
  ["?a=SHELL&y=no_metric", { title: "SHELL: on-chain metrics", description: null, path: null }],
  ["?a=SHELL&y=sopr&y=no_metric", expect.objectContaining({ title: "SHELL: SOPR", path: null })],
])("%s", (search, card) => {
  expect(cardOf(search)).toEqual(card);
});

const KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
const DIGITS = "12345678-1234-1234-1234-123456789012";

const places = [
  "api_key",
  "key",
  "a",
  "y",
  "y2",
  "r",
  "range",
  "s",
  "u",
  "z",
  "scale",
  "price2",
  "index",
  "smooth3",
  "heat",
  "note",
  "level",
  "zone",
  "names",
  "alert",
  KEY,
];
const texts = (secret: string) => [
  secret,
  `=${secret}`,
  `=sopr-${secret}`,
  `sopr:${secret}`,
  `${secret}.sopr`,
  `supply:*${secret}`,
];

it.each([KEY, KEY.toUpperCase(), DIGITS, '"><script>alert(1)</script>', "<!--", "https://evil.example"])(
  "nothing of %s is repeated, wherever it is",
  (secret) => {
    for (const place of places) {
      for (const text of texts(secret)) {
        const query = new URLSearchParams([
          ["a", "SHELL"],
          ["y", "sopr"],
          [place, text],
        ]);
        const said = decodeURIComponent(JSON.stringify([cardOf(`?${query}`), cardOf(`?${[...query].reverse()}`)]));
        expect(said.toLowerCase(), `${place}=${text}`).not.toContain(secret.slice(0, 8).toLowerCase());
      }
    }
  },
);

it.each(["?y=%ff%fe", "?a=%00", "?y=%", "?%=%&&==", `?y=${"sopr&y=".repeat(20_000)}`, `?a=${"A".repeat(100_000)}`])(
  "%.20s… has the card of the page",
  (search) => {
    expect(cardOf(search)).toMatchObject({ title: null, description: null });
  },
);

it.each(["", "=", "supply:", "supply:*"])("a link full of unknown names has the card of the page: %s…", (form) => {
  const lines = ["y", "y2", "y3", "y4"].flatMap((name) => Array.from({ length: 6 }, () => name));
  const long = "abcdefghij".repeat(6);
  expect(cardOf(`?${lines.map((name) => `${name}=${form}${long}`).join("&")}`)).toMatchObject({
    title: null,
    description: null,
  });
});
