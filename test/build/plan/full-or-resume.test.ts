/** What a build decides, by digests and counts: no files, no store. */

import { describe, expect, it } from "vitest";
import { type Previous, type Published, readPrevious } from "../../../builder/build/checkpoint/previous.ts";
import { digestPrices } from "../../../builder/build/checkpoint/provenance.ts";
import { type BuildPlan, isPublished, planBuild } from "../../../builder/build/plan/full-or-resume.ts";
import { ENGINE_VERSION } from "../../../builder/engine/formulas.ts";
import type { AssetFile } from "../../../builder/input/asset/asset.ts";
import { computeBuildId } from "../../../builder/input/asset/build-id.ts";
import type { KnownFile } from "../../../builder/input/files/known-files.ts";
import type { AddressLabels } from "../../../builder/input/labels/address-labels.ts";
import type { Survey, SurveyedHistory } from "../../../builder/input/survey.ts";
import { sharedDoubles } from "../../../builder/lib/columns/shared.ts";
import { CannotResume } from "../../../builder/lib/failure.ts";
import { reasonText } from "../../../builder/published/history/cause-text.ts";
import { SCHEMA_VERSION } from "../../../data-schema/parquet/series-object.ts";
import { labelColumns } from "../../input/label-columns.ts";

const DAY = 86_400;
const TIME = Date.UTC(2024, 1, 3) / 1000;
const [EMPTIED, HOLDER, NEW] = ["a1", "b0", "ca"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
/** Their numbers in engine/classification.ts. */
const [CONTRACT, BINANCE] = [1, 7];

const asset: AssetFile = {
  path: "asset.json",
  symbol: "TOK",
  name: "Tok",
  chain: "ethereum",
  contract: `0x${"70".repeat(20)}`,
  decimals: 18,
  maxSupply: "1000000",
  asOf: TIME + DAY,
  transfers: ["*.csv"],
  resolutions: ["day", "hour"],
};

function shared(values: readonly number[]): Float64Array<SharedArrayBuffer> {
  const column = sharedDoubles(values.length);
  column.set(values);
  return column;
}

const prices = (...usd: number[]) => ({
  timestamp: shared(usd.map((_, i) => TIME + (i - 1) * DAY)),
  usd: shared(usd),
});

const known = (file: string, more: Partial<KnownFile> = {}): KnownFile => ({
  role: "transfers",
  file,
  sha256: `of ${file}`,
  bytes: 10,
  rows: 5,
  settled: 5,
  rowsAfter: 0,
  ...more,
});

const FILE = known("1.csv");

/** A file of today, as it was when nothing is said. */
function file(name: string, more: Partial<SurveyedHistory> = {}): SurveyedHistory {
  const match = more.known ?? (more.added ? undefined : known(name));
  return {
    role: "transfers",
    file: { name, path: name, bytes: 10 },
    sha256: `of ${name}`,
    isSame: !more.added,
    identity: { size: "10", inode: "1", modified: "1", changed: "1" },
    ...(match && { known: match }),
    ...more,
  };
}

const labels = (...groups: [string, number][]): AddressLabels => ({
  ...labelColumns(new Map(groups)),
  hasDeposits: false,
  notices: [],
});

interface Inputs {
  asset: AssetFile;
  survey: Survey;
  previous: Previous;
}
type Change = (inputs: Inputs) => void;

/** What the last build left: two addresses that held tokens, the first of them an exchange; and what is there today. */
function inputs(change: Change = () => {}): Inputs {
  const survey: Survey = {
    files: [],
    history: [file("1.csv")],
    lists: [],
    events: [],
    unmatched: [],
    prices: prices(1, 2, 3),
    corrections: [],
    labels: labels([EMPTIED, BINANCE]),
  };
  const previous = {
    manifest: { build: computeBuildId({ ...asset, asOf: TIME }, TIME, []), asOf: "" },
    recorded: {},
    checkpoint: { time: TIME, lastEvent: { block: 1030, t: TIME - 60 } },
    provenance: {
      schema: SCHEMA_VERSION,
      engine: ENGINE_VERSION,
      files: [FILE],
      months: {},
      asset: { ...asset },
      prices: digestPrices(survey.prices, TIME),
    },
    file: {
      labels: () => [
        {
          rows: 2,
          addresses: Uint8Array.from(Buffer.from(EMPTIED.slice(2) + HOLDER.slice(2), "hex")),
          labels: Uint8Array.of(BINANCE, 0),
        },
      ],
    },
  } as unknown as Previous;
  const all = { asset: { ...asset }, survey, previous };
  change(all);
  return all;
}

function night(change?: Change): BuildPlan {
  const { asset, survey, previous } = inputs(change);
  return planBuild(asset, survey, previous);
}

const reasonOf = (plan: BuildPlan) => plan.kind === "full" && reasonText(plan.causes);
const filesOf = (plan: BuildPlan) => plan.kind === "incremental" && plan.files.map(({ file }) => file.name);

describe("a build is a full one when", () => {
  const reasons: [when: string, reason: string, change: Change][] = [
    ["the format changes", "the format has changed", ({ previous }) => previous.provenance.schema--],
    [
      "the engine changes",
      `the engine has changed (${ENGINE_VERSION}, was 0)`,
      ({ previous }) => {
        previous.provenance.engine = "0";
      },
    ],
    [
      "maxSupply changes",
      "maxSupply has changed (2000000, was 1000000)",
      ({ asset }) => {
        asset.maxSupply = "2000000";
      },
    ],
    [
      "resolutions change",
      "resolutions has changed (day, was day,hour)",
      ({ asset }) => {
        asset.resolutions = ["day"];
      },
    ],
    [
      "ASSET.json names the column of contracts",
      'columns has changed ({"contract":"token"}, was none)',
      ({ asset }) => {
        asset.columns = { contract: "token" };
      },
    ],
    [
      "ASSET.json names it no longer",
      'columns has changed (none, was {"contract":null})',
      ({ previous }) => {
        previous.provenance.asset.columns = { contract: null };
      },
    ],
    [
      "as-of lies before the checkpoint",
      "asOf lies before the end of the last build's last day, 2024-02-03",
      ({ asset }) => {
        asset.asOf = TIME - 1;
      },
    ],
    [
      "a price before the checkpoint changes",
      "prices before 2024-02-03 have changed",
      ({ survey }) => {
        survey.prices = prices(9, 2, 3);
      },
    ],
    [
      "prices count from another time",
      "prices before 2024-02-03 have changed",
      ({ asset, survey }) => {
        asset.priceStamp = { stamp: "open", period: "1d" };
        survey.prices = { ...survey.prices, timestamp: survey.prices.timestamp.map((time) => time + DAY) as never };
      },
    ],
    ["a file is missing", "2.csv is missing", ({ survey }) => survey.unmatched.push(known("2.csv"))],
    [
      "a file has other rows",
      "1.csv has changed",
      ({ survey }) => {
        survey.unmatched.push(FILE);
        survey.history = [file("1.csv", { added: { rows: 5, settled: 5 } })];
      },
    ],
    [
      "a new file has rows of blocks that were read before",
      "2.csv has 1 new row of blocks that were read before, up to 1030",
      ({ survey }) => survey.history.push(file("2.csv", { added: { rows: 3, settled: 1 } })),
    ],
    [
      "a new file can't be counted",
      "the new rows can't be read",
      ({ survey }) => survey.history.push({ ...file("2.csv"), isSame: false }),
    ],
    [
      "a holder is labelled",
      `the label of ${HOLDER} has changed (contract, was none)`,
      ({ survey }) => {
        survey.labels = labels([EMPTIED, BINANCE], [HOLDER, CONTRACT]);
      },
    ],
    [
      "an emptied address loses its label, and a holder gets one",
      `the label of ${EMPTIED} has changed (none, was binance); 2 labels have changed in all`,
      ({ survey }) => {
        survey.labels = labels([HOLDER, CONTRACT]);
      },
    ],
    [
      "an emptied address gets another label",
      `the label of ${EMPTIED} has changed (contract, was binance)`,
      ({ survey }) => {
        survey.labels = labels([EMPTIED, CONTRACT]);
      },
    ],
  ];
  it.each(reasons)("%s", (_, reason, change) => {
    expect(reasonOf(night(change))).toBe(reason);
  });

  it("there is nothing to resume from", async () => {
    const nothing = { previous: undefined, isUnreadable: false } as Published;
    await expect(readPrevious(nothing, "unused")).rejects.toThrow(new CannotResume("it is the first build"));
  });
});

describe("a build resumes", () => {
  it("without reading a file whose rows are all settled", () => {
    expect(filesOf(night())).toEqual([]);
  });

  it("with the files that have rows after the checkpoint, and with all files of blocks", () => {
    const plan = night(({ survey }) => {
      survey.history.push(
        file("2.csv", { added: { rows: 3, settled: 0 } }),
        file("3.csv", { known: known("3.csv", { rowsAfter: 1 }) }),
        file("4.csv", { known: known("4.csv"), added: { rows: 7, settled: 0 } }),
        file("blocks.csv", { role: "blocks", known: known("blocks.csv", { role: "blocks" }) }),
      );
    });
    expect(filesOf(plan)).toEqual(["2.csv", "3.csv", "4.csv", "blocks.csv"]);
  });

  it("when an address is labelled that has not held the token", () => {
    const plan = night(({ survey }) => {
      survey.labels = labels([EMPTIED, BINANCE], [NEW, CONTRACT]);
    });
    expect(plan.kind).toBe("incremental");
  });

  it("when a price changes that comes after the checkpoint", () => {
    const plan = night(({ survey }) => {
      survey.prices = prices(1, 9, 9, 9);
    });
    expect(plan.kind).toBe("incremental");
  });

  it("when as-of is left out", () => {
    const plan = night(({ asset }) => {
      delete asset.asOf;
    });
    expect(plan.kind).toBe("incremental");
  });
});

describe("nothing is to be built", () => {
  const sameInput: Change = ({ asset, previous }) => {
    previous.manifest.build = computeBuildId(asset, asset.asOf!, []);
  };
  const isDone = (change: Change) => {
    const { asset, previous } = inputs(change);
    return isPublished(asset, [], previous);
  };

  it("when the active build was made from the same input", () => {
    expect(isDone(sameInput)).toBe(true);
    expect(isDone(() => {})).toBe(false);
  });

  it("unless its manifest is not among the builds", () => {
    const lost: Change = (all) => {
      sameInput(all);
      all.previous.recorded = undefined;
    };
    expect(isDone(lost)).toBe(false);
  });

  it("unless as-of is left out", () => {
    const open: Change = (all) => {
      sameInput(all);
      delete all.asset.asOf;
    };
    expect(isDone(open)).toBe(false);
  });
});
