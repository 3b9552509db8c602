/** What Cloudflare's servers say when they refuse, in messages. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openAccount } from "../../builder/store/cloudflare.ts";
import { explain, type S3Place, s3Error } from "../../builder/store/r2/s3-failures.ts";

it("Cloudflare's reasons are short, on one line, and without the token", async () => {
  const messages = [
    "Bearer t0k3n-of-the-account is\u001b[2J wrong",
    `${"x".repeat(490)} t0k3n-of-the-account`,
    "x\u200b".repeat(5_000_000),
    "fourth",
  ];
  const server = createServer((_, response) =>
    response.writeHead(403).end(JSON.stringify({ errors: messages.map((message) => ({ code: 1, message })) })),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const ask = openAccount(
    {
      CLOUDFLARE_ACCOUNT_ID: "a",
      CLOUDFLARE_API_TOKEN: "t0k3n-of-the-account",
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    "soprano keys",
    "may read KV",
  );
  await expect(ask({ method: "GET", path: "/" })).rejects.toThrow(
    /^Cloudflare refused \(403, Bearer … is\\u\{1b\}\[2J wrong, x{80}…x{80} …, x{80}…x{80}\): check/,
  );
});

it("a code of S3 is one short line", () => {
  const place: S3Place = {
    name: "r2://b",
    bucket: "b",
    endpoint: new URL("https://s3.example.com"),
    endpointVariable: "CLOUDFLARE_ACCOUNT_ID",
  };
  const said = (code: string) =>
    explain(s3Error(400, Buffer.from(`<Error><Code>${code}</Code></Error>`)), "a can't be stored", place).message;
  expect(said("Odd\u001b[2J\n&#x202e;")).toMatch(
    /^a can't be stored in r2:\/\/b \(400 Odd\\u\{1b\}\[2J \\u\{202e\}\): look/,
  );
  expect(said("y".repeat(5_000_000)).length).toBeLessThan(400);
});
