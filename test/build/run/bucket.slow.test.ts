/** Stages whose work folder is in a bucket, as processes of their own run them, against the build of one process. */

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { BucketFolder } from "../../../builder/build/folder/bucket-folder.ts";
import { withStageFolder } from "../../../builder/build/folder/stage-folder.ts";
import type { TaskStage } from "../../../builder/build/left/names.ts";
import { readPlan } from "../../../builder/build/left/stage-plan.ts";
import { readAssetToBuild } from "../../../builder/input/fetched/fetched-asset.ts";
import { openR2 } from "../../../builder/store/r2/r2.ts";
import { sopranoIn } from "../../commands/soprano.ts";
import { scratchFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { BUCKET, type Fault, type S3, startFilesS3 } from "../../store/s3.ts";
import { runBuild } from "../checkpoint/nights.ts";
import { AS_OF, EARLY, LATE, newTokenFolder, PRICES } from "../checkpoint/two-nights.ts";
import { StagedBuild } from "./staged-build.ts";

const OPTIONS = { retryPolicy: { attempts: 3, firstMs: 1, longestMs: 5 } };

/** For what never answers. A busy machine may well take 400 ms for an answer that does come. */
const IMPATIENT = { ...OPTIONS, timeouts: { idle: 400, total: 2_000 } };

let s3: S3;

beforeAll(async () => {
  s3 = await startFilesS3();
});

afterEach(() => {
  s3.fault = () => undefined;
});

afterAll(() => s3.close());

/** A build whose tasks meet in a prefix of the bucket, each with a copy of its own of what it reads. */
const buildIn = (prefix: string, options: Parameters<typeof openR2>[2] = OPTIONS) =>
  new StagedBuild(async (assetPath, use) => {
    const bucket = openR2(BUCKET, s3.environment, options);
    try {
      return await use(new BucketFolder(bucket, prefix, assetPath, scratchFolder()));
    } finally {
      await bucket.close();
    }
  });

it("leaves the same objects, a full build and the night after it", async () => {
  const folder = newTokenFolder();
  folder.csv("transfers-1.csv", EARLY.toReversed());
  folder.prices(PRICES);
  const [build, whole] = [buildIn("stages/two-nights/"), new MemoryStore()];
  for (const night of ["first", "second"] as const) {
    if (night === "second") folder.csv("transfers-2.csv", LATE);
    const asset = folder.asset({ asOf: AS_OF[night] });
    await runBuild(whole, asset);
    await build.all(asset);
    await build.expectSame(whole);
  }
  // Nothing of a machine is in what the tasks share, so all may be mounted elsewhere.
  const bucket = openR2(BUCKET, s3.environment, OPTIONS);
  const names = [...(await bucket.list("stages/two-nights/")).keys()];
  expect(names).toContain("stages/two-nights/before.parquet");
  expect(names).toContain("stages/two-nights/sorted-0.parquet");
  expect(names.filter((name) => name.endsWith(".part"))).toEqual([]);
  for (const name of names) {
    const { bytes } = (await bucket.get(name))!;
    expect(Buffer.from(bytes).includes(folder.path), name).toBe(false);
  }
  await bucket.close();
});

it("a task whose writes fail ends, and is done again", async () => {
  const folder = newTokenFolder();
  folder.csv("transfers-1.csv", [...EARLY, ...LATE]);
  folder.prices(PRICES);
  const asset = folder.asset({ asOf: AS_OF.second });
  const [build, whole] = [buildIn("stages/faults/", IMPATIENT), new MemoryStore()];
  await runBuild(whole, asset);
  await build.plan(asset);
  // One task of each stage is in trouble: the first write of these files fails, or all of them.
  const faults: Partial<Record<TaskStage, [part: RegExp, fault: Fault, isForGood: boolean]>> = {
    map: [/\/results\/map\/0\.json$/, "silence", true],
    replay: [/\/standings\/1\.parquet$/, "500", true],
    flows: [/\/points\/0\.parquet$/, "cut off", false],
    periods: [/\/results\/periods\/0\.json$/, "answer lost", false],
    write: [/\/results\/hours\/0\.json$/, "reset", true],
  };
  for (const [stage, index] of build.tasks) {
    const [part, fault, isForGood] = faults[stage]!;
    let times = 0;
    s3.fault = ({ method, path }) =>
      method === "PUT" && part.test(path.split("?")[0]!) && (isForGood || times++ === 0) ? fault : undefined;
    const isHit = isForGood && part.source.includes(`${index}\\.`);
    if (isHit) await expect(build.run(asset, stage, index)).rejects.toThrow(/can't be (stored|reached)/);
    else await build.run(asset, stage, index);
    s3.fault = () => undefined;
    if (isHit) await build.run(asset, stage, index);
  }
  await build.finish(asset);
  await build.expectSame(whole);
}, 60_000);

it("a task on a machine with another copy of the inputs, in another folder, does the same", async () => {
  const [here, there] = [newTokenFolder(), newTokenFolder()];
  for (const folder of [here, there]) {
    folder.csv("transfers-1.csv", EARLY);
    folder.prices(PRICES);
  }
  const paths = [here, there].map((folder) => folder.asset({ asOf: AS_OF.first })) as [string, string];
  const [build, whole] = [buildIn("stages/copies/"), new MemoryStore()];
  await runBuild(whole, paths[0]);
  await build.plan(paths[0]);
  for (const [i, [stage, index]] of build.tasks.entries()) await build.run(paths[i % 2]!, stage, index);
  await build.finish(paths[1]);
  await build.expectSame(whole);

  // Another copy that is not the same.
  there.csv("transfers-1.csv", EARLY.with(1, { ...EARLY[1]!, value: 9n }));
  const other = buildIn("stages/others/");
  await other.plan(paths[0]);
  await expect(other.run(paths[1], "map", 0)).rejects.toThrow(
    "transfers-1.csv has changed since the build was planned",
  );
});

it("the command takes a bucket as its work folder", async () => {
  const folder = newTokenFolder();
  folder.csv("transfers-1.csv", EARLY);
  folder.prices(PRICES);
  const asset = folder.asset({ asOf: AS_OF.first, contracts: undefined });
  const work = `r2://${BUCKET}/stages/by-command/`;
  const stage = (name: string, work: string, task = 0) =>
    sopranoIn(
      s3.environment,
      ...["stage", name, asset, "--work", work, "--store", `r2://${BUCKET}`, "--task", `${task}`],
    );
  const planned = await stage("plan", work);
  expect(planned).toMatchObject({ status: 0, stdout: expect.stringMatching(/^map 1\nreplay 1\n/) });
  for (const line of planned.stdout.trim().split("\n").slice(0, -1)) {
    const [name, tasks] = line.split(" ");
    for (let task = 0; task < Number(tasks); task++) expect((await stage(name!, work, task)).status, line).toBe(0);
  }
  const { stdout, stderr: report } = await stage("finish", work);
  expect(stdout).toMatch(/^TOK [0-9a-f]{16}\n$/);
  expect(report).toContain("TOK: No contracts: no address counts as a contract.\nTOK: build ");
  await withStageFolder(
    `r2://${BUCKET}/stages/by-command`,
    await readAssetToBuild(asset),
    s3.environment,
    async (folder) => {
      expect((await readPlan(folder)).tasks.map).toBe(1);
    },
  );
  const { status, stderr } = await stage("plan", "s3://elsewhere/builds");
  expect(status).toBe(2);
  expect(stderr).toContain(
    "It must be the path of a folder, or a prefix of an R2 bucket, such as r2://soprano-work/builds.",
  );
});
