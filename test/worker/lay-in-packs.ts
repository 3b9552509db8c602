/** Tokens that tests publish lie in packs. */

import { env } from "cloudflare:workers";
import { layInPacks } from "./packed.ts";
import { afterPublishing } from "./token.ts";

afterPublishing((symbol) => layInPacks(env.BUCKET, symbol));
