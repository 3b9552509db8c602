/** Which task of an array this process is. */

import { Failure } from "../../lib/failure.ts";
import type { Environment } from "../../store/cloudflare.ts";

/** Variables with the number of a task, from 0: of Slurm, of a Kubernetes Indexed Job, of AWS Batch. */
export const TASK_VARIABLES = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"] as const;

/**
 * @param given by `--task`, which takes precedence over the scheduler's variables
 * @throws {Failure} nothing says so, or a variable holds no number
 */
export function taskIndex(given: number | undefined, env: Environment): number {
  if (given !== undefined) return given;
  const name = TASK_VARIABLES.find((variable) => env[variable] !== undefined);
  if (name === undefined) {
    throw new Failure(`Which task is this? Say so with --task, or in one of ${TASK_VARIABLES.join(", ")}.`);
  }
  const text = env[name]!;
  if (!/^\d{1,9}$/.test(text)) throw new Failure(`${name} is ${JSON.stringify(text)}, not the number of a task.`);
  return Number(text);
}
