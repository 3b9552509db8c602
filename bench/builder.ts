/** `npm run bench:builder`: how fast a build is. */

import { simulatedToken, tokenSize } from "./data.ts";

console.log(await simulatedToken(tokenSize(200_000)));
