import { expect, it } from "vitest";
import { TASK_VARIABLES, taskIndex } from "../../../builder/build/fleet/task-index.ts";

it("takes the scheduler's number, unless one is given", () => {
  for (const variable of TASK_VARIABLES) {
    expect(taskIndex(undefined, { [variable]: "7" })).toBe(7);
    expect(taskIndex(3, { [variable]: "7" })).toBe(3);
  }
  expect(taskIndex(0, {})).toBe(0);
});

it("refuses to guess", () => {
  expect(() => taskIndex(undefined, {})).toThrow(/Say so with --task/);
  for (const text of ["", "-1", "1.5", "4294967294x"]) {
    expect(() => taskIndex(undefined, { SLURM_ARRAY_TASK_ID: text })).toThrow(/^SLURM_ARRAY_TASK_ID is ".*", not/);
  }
});
