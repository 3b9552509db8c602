/** What cluster/kubernetes would run on Kubernetes: its jobs against the API's own types, its steps with a stand-in for kubectl. */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { Job } from "kubernetes-models/batch/v1/Job";
import { expect, it } from "vitest";
import { scratchFolder } from "../folders.ts";

const PROJECT = join(import.meta.dirname, "..", "..");

/** Keeps what is created, and answers that it has ended. */
const KUBECTL = `#!/usr/bin/env bash
echo "$@" >> calls
case $1 in
  create) cat > "jobs/$(ls jobs | wc -l).yaml" ;;
  get) if [ "$2" = pods ]; then echo "pod/\${3#*job-name=}-0-x7k2p";
    elif [[ $3 == *-$FAILS ]]; then echo FailureTarget Failed; else echo SuccessCriteriaMet Complete; fi ;;
  logs) case $* in
    *pod/*-plan-0-*) printf '%b' "$PLAN" ;;
    *selector*) echo "[pod/a/soprano] $SAYS" ;;
    *) echo "HUM 0123456789abcdef" ;;
  esac ;;
esac
`;

const PLAN = "map 12\\nreplay 4\\nflows 7\\nperiods 1\\nwrite 0\\nfinish 1\\n";

const SAYS = "soprano: transfers.csv, row 7: the value is not a number.";

function build(variables: Record<string, string> = {}) {
  const folder = scratchFolder();
  for (const name of ["bin", "jobs"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "bin", "kubectl"), KUBECTL, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(join(PROJECT, "cluster/kubernetes/build.sh"), ["assets/HUM_2.json"], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      FAILS: "none",
      PLAN,
      SAYS,
      IMAGE: "registry.example.com/soprano:0.4.0",
      STORE: "r2://soprano",
      ...variables,
    },
  });
  const jobs = readdirSync(join(folder, "jobs")).map((file) => load(readFileSync(join(folder, "jobs", file), "utf8")));
  return { status, stdout, stderr, jobs: jobs as JobLike[], folder };
}

interface PodLike {
  automountServiceAccountToken?: boolean;
  securityContext: { runAsUser: number; runAsGroup: number };
  containers: { securityContext: object; volumeMounts: { mountPath: string }[] }[];
  volumes: object[];
}

interface JobLike {
  metadata: { name: string };
  spec: { completions: number; template: { spec: PodLike } };
}

it("runs the stages one after the other, each with its tasks", () => {
  const { status, stdout, jobs } = build();
  expect([status, stdout]).toEqual([0, "HUM 0123456789abcdef\n"]);
  expect(jobs.map(({ metadata, spec }) => [metadata.name, spec.completions])).toEqual([
    ["soprano-hum-2-plan", 1],
    ["soprano-hum-2-map", 12],
    ["soprano-hum-2-replay", 4],
    ["soprano-hum-2-flows", 7],
    ["soprano-hum-2-periods", 1],
    ["soprano-hum-2-finish", 1],
  ]);
});

it("has jobs that Kubernetes would accept, without unknown fields", () => {
  const { jobs, folder } = build();
  for (const job of jobs) expect(() => new Job(job as never).validate()).not.toThrow();
  expect(JSON.stringify(jobs)).not.toContain("$");
  expect(typeErrors(folder, jobs)).toBe("");
  // A type error is what the test would otherwise never see.
  expect(typeErrors(folder, [{ ...jobs[0], spec: { ...jobs[0]!.spec, podFailurPolicy: {} } }])).toContain(
    "podFailurPolicy",
  );
});

it("gives tasks no right that they don't need", () => {
  const { jobs } = build();
  for (const { spec } of jobs) {
    const { automountServiceAccountToken, securityContext, containers, volumes, ...pod } = spec.template.spec;
    expect(automountServiceAccountToken).toBe(false);
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(pod).not.toHaveProperty("initContainers");
    for (const name of ["hostNetwork", "hostPID", "hostIPC"]) expect(pod).not.toHaveProperty(name);
    for (const container of containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      // What can be written: temporary files go nowhere else.
      expect(container.volumeMounts.map(({ mountPath }) => mountPath).sort()).toEqual(["/shared", "/tmp"]);
    }
    expect(volumes.filter((volume) => "hostPath" in volume)).toEqual([]);
  }
});

it("has an image of pinned parts, whose user is that of the jobs", () => {
  const dockerfile = readFileSync(join(PROJECT, "cluster/Dockerfile"), "utf8");
  const all = (instruction: string) =>
    Array.from(dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, "gm")), ([, rest = ""]) => rest);
  expect(all("FROM")).toHaveLength(1);
  for (const base of all("FROM")) expect(base).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  const [{ spec }] = build().jobs as [JobLike];
  const { runAsUser, runAsGroup } = spec.template.spec.securityContext;
  expect(all("USER")).toEqual([`${runAsUser}:${runAsGroup}`]);
  expect(dockerfile.indexOf("\nUSER")).toBeLessThan(dockerfile.indexOf("\nENTRYPOINT"));
  expect(all("RUN")).toEqual([
    expect.stringMatching(/^tar .*--file soprano-\*\.tgz && mv image-lock\.json package-lock\.json /),
    expect.stringMatching(/^npm ci .*--ignore-scripts/),
  ]);
  // The settings of npm are in effect when it installs.
  expect(dockerfile.indexOf(" .npmrc ")).toBeGreaterThan(0);
  expect(dockerfile.indexOf(" .npmrc ")).toBeLessThan(dockerfile.indexOf("\nRUN"));
  const copied = all("COPY").flatMap((line) => line.split(" ").slice(0, -1));
  // test/package runs the steps with the package.
  expect(copied.filter((path) => path !== "soprano-*.tgz" && !existsSync(join(PROJECT, path)))).toEqual([]);
});

it("ends with the sentence of a task that failed, and runs no later stage", () => {
  const { status, stderr, jobs } = build({ FAILS: "map" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/soprano: transfers\.csv, row 7: .*\nbuild\.sh: map failed; .*soprano-hum-2-map` says/);
  expect(jobs).toHaveLength(2);
});

it("says which stage failed if its tasks were killed, and if the plan is not whole", () => {
  expect(build({ FAILS: "map", SAYS: "Killed" })).toMatchObject({
    status: 1,
    stderr: "build.sh: map failed; `kubectl describe job soprano-hum-2-map` says which task.\n",
  });
  expect(build({ PLAN: "map 12\\n" })).toMatchObject({
    status: 1,
    stderr: "build.sh: the plan says nothing of replay: `kubectl logs job/soprano-hum-2-plan` shows it.\n",
  });
});

it("stops after the plan of an asset that has not changed", () => {
  const { status, stdout, jobs } = build({ PLAN: "unchanged\\n" });
  expect([status, stdout, jobs.length]).toEqual([0, "assets/HUM_2.json is unchanged since its last build.\n", 1]);
});

/** What TypeScript says about jobs: their types have every field that the API has. */
function typeErrors(folder: string, jobs: readonly unknown[]): string {
  const file = join(folder, "jobs.ts");
  const models = join(PROJECT, "node_modules/kubernetes-models/batch/v1/Job.js");
  writeFileSync(file, `import type { IJob } from "${models}";\nexport const jobs: IJob[] = ${JSON.stringify(jobs)};\n`);
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"];
  try {
    execFileSync(join(PROJECT, "node_modules/.bin/tsc"), [...options, file], { encoding: "utf8" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
