/** The axis of a resolution: the only place where reading tells blocks from buckets. */

import type { Resolution } from "../../../data-schema/registry.ts";
import type { Axis } from "./axis.ts";
import { BLOCKS } from "./block-axis.ts";
import { GRID } from "./grid-axis.ts";

/** Every other resolution than `block` has buckets. */
export const axisOf = ({ resolution }: { resolution: Resolution }): Axis => (resolution === "block" ? BLOCKS : GRID);
