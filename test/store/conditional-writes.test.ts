/** A conditional write that is refused: because the object is another one, or because the endpoint gets conditions wrong. */

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { openR2 } from "../../builder/store/r2/r2.ts";
import type { ObjectStore } from "../../builder/store/store.ts";

const digest = (algorithm: "md5" | "sha256", text: string) => createHash(algorithm).update(text).digest("hex");
const REFUSED = "<Error><Code>PreconditionFailed</Code><Message>-</Message></Error>";

let close = () => {};
afterEach(() => close());

/** A store over an endpoint that has one object, and refuses every write. */
async function refusing(text: string): Promise<ObjectStore & { host: string }> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.method === "GET") response.setHeader("ETag", `"${digest("md5", text)}"`).end(text);
      else response.writeHead(412).end(REFUSED);
    });
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = {
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_ENDPOINT_URL_S3: `http://${host}`,
  };
  const store = openR2("soprano", environment);
  close = () => {
    void store.close();
    server.closeAllConnections();
    server.close();
  };
  return { ...store, host };
}

const put = (store: ObjectStore, replaces: string | null) =>
  store.put("current/TOK.json", new TextEncoder().encode("new"), {
    contentType: "text/plain",
    sha256: digest("sha256", "new"),
    replaces,
  });

it("is another's, if the object has another ETag", async () => {
  expect(await put(await refusing("another's"), digest("md5", "old"))).toBe(false);
  expect(await put(await refusing("another's"), null)).toBe(false);
});

it("is a fault of the endpoint, if the object still has the ETag that was sent", async () => {
  const store = await refusing("old");
  await expect(put(store, digest("md5", "old"))).rejects.toMatchObject({
    name: "StoreFailure",
    message: `current/TOK.json in r2://soprano can't be replaced: ${store.host} refused the write although the object still has the ETag that was sent with If-Match, so it mishandles conditional writes. Builds rely on them: use R2, or an endpoint that supports them.`,
  });
});
