/** The stages between `plan` and `finish`, in order. */
export const TASK_STAGES = ["map", "replay", "flows", "periods", "write"] as const;
export type TaskStage = (typeof TASK_STAGES)[number];
