import type { ActivationReason } from "../../../builder/published/publish/write-changes.ts";

/** Why the builds of tests that publish without building are activated. */
export const BUILT: ActivationReason = { causes: [{ kind: "rebuild", reason: "a test" }] };
