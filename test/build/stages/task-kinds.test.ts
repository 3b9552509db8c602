import { expect, expectTypeOf, it } from "vitest";
import type { FlowFacts, HolderFacts } from "../../../builder/build/left/facts.ts";
import {
  placeOf,
  STAGES,
  TASK_STAGES,
  type TaskCounts,
  type TaskKind,
  taskAt,
  tasksOfStage,
} from "../../../builder/build/left/names.ts";
import type { readResults } from "../../../builder/build/left/results.ts";
import { KINDS } from "../../../builder/build/stages/task-kinds.ts";

const COUNTS: TaskCounts = { map: 3, divide: 2, replay: 4, flows: 3, holders: 1, periods: 1, hours: 0, blocks: 2 };

const stageOf = (kind: TaskKind) =>
  TASK_STAGES.findIndex((stage) => (STAGES[stage] as readonly TaskKind[]).includes(kind));

it("each kind of task is in one stage, after the stages of what it needs", () => {
  expect(Object.values(STAGES).flat().toSorted()).toEqual(Object.keys(KINDS).toSorted());
  for (const [kind, { needs }] of Object.entries(KINDS)) {
    for (const needed of Object.keys(needs)) {
      expect(stageOf(needed as TaskKind), `${kind} needs ${needed}`).toBeLessThan(stageOf(kind as TaskKind));
    }
  }
});

it("a stage counts its tasks through its kinds", () => {
  expect(TASK_STAGES.map((stage) => tasksOfStage(stage, COUNTS))).toEqual([5, 4, 4, 1, 2]);
  const found = [0, 2, 3, 4, 5].map((number) => taskAt("map", number, COUNTS));
  expect(found).toEqual([
    { kind: "map", index: 0 },
    { kind: "map", index: 2 },
    { kind: "divide", index: 0 },
    { kind: "divide", index: 1 },
    undefined,
  ]);
  expect(taskAt("write", 0, COUNTS)).toEqual({ kind: "blocks", index: 0 });
  for (const number of [0, 2, 3, 4]) {
    expect(placeOf(taskAt("map", number, COUNTS)!, COUNTS)).toEqual({ stage: "map", number });
  }
});

it("the type of a result follows from the kind of its task", () => {
  expectTypeOf<typeof readResults<"flows">>().returns.resolves.toEqualTypeOf<FlowFacts[]>();
  expectTypeOf<typeof readResults<"holders">>().returns.resolves.toEqualTypeOf<HolderFacts[]>();
  expectTypeOf<(typeof KINDS)["holders"]["run"]>().returns.resolves.toEqualTypeOf<HolderFacts>();
});
