import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type PostTimes, post } from "../../builder/alerts/post.ts";
import { type Answer, Receiver } from "./receiver.ts";

const receiver = new Receiver();
beforeAll(() => receiver.start());
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.posts.length = 0;
  receiver.answers = [];
});

const TIMES: PostTimes = { timeoutMs: 500, policy: { attempts: 3, firstMs: 10, longestMs: 20 } };
const BODY = JSON.stringify({ text: "MVRV < 1" });
const send = (path = "/hook", options: object = {}) =>
  post({ url: receiver.url + path, body: BODY, key: "k1", format: "json", secret: undefined, ...options }, TIMES);

describe("is taken", () => {
  it("at once, with its key", async () => {
    await send();
    expect(receiver.posts).toMatchObject([
      { path: "/hook", body: BODY, headers: { "idempotency-key": "k1", "content-type": "application/json" } },
    ]);
    expect(receiver.posts[0]!.headers["x-soprano-signature"]).toBeUndefined();
  });

  it.each<[string, Answer[]]>([
    ["a 500", [{ status: 500 }]],
    ["a 503 twice", [{ status: 503 }, { status: 503 }]],
    ["a 429 with Retry-After", [{ status: 429, headers: { "Retry-After": "1" } }]],
    ["a dropped connection", ["drop"]],
    ["a lost answer", ["dropped after the body"]],
    ["a time-out", ["silence"]],
  ])("after %s, with the same key and body", async (_, answers) => {
    receiver.answers = [...answers];
    const start = performance.now();
    await send();
    for (const { body, headers } of receiver.posts) expect([body, headers["idempotency-key"]]).toEqual([BODY, "k1"]);
    if (answers.some((answer) => typeof answer === "object" && answer.headers)) {
      expect(performance.now() - start).toBeGreaterThan(990);
    }
  });

  it("signed, if there is a secret", async () => {
    await send("/hook", { secret: "s3cret" });
    const expected = `sha256=${createHmac("sha256", "s3cret").update(BODY).digest("hex")}`;
    expect(receiver.posts[0]!.headers["x-soprano-signature"]).toBe(expected);
  });

  it("by Telegram, with its chat", async () => {
    await send("/bot123/sendMessage?chat_id=-100", { format: "telegram" });
    expect(receiver.posts[0]!.path).toBe("/bot123/sendMessage");
    expect(JSON.parse(receiver.posts[0]!.body)).toEqual({ chat_id: "-100", text: "MVRV < 1" });
  });
});

describe("is not taken", () => {
  it.each<[string, Answer[], number]>([
    ["answered 500", [{ status: 500 }, { status: 500 }, { status: 500 }], 3],
    ["answered 404", [{ status: 404 }], 1],
    ["answered 302, a redirect, which is not followed", [{ status: 302, headers: { Location: "/elsewhere" } }], 1],
    ["answered 429", [{ status: 429, headers: { "Retry-After": "3600" } }], 1],
    ["did not answer within 0.5 seconds", ["silence", "silence", "silence"], 3],
  ])("%s", async (message, answers, attempts) => {
    receiver.answers = [...answers];
    await expect(send("/secret-path")).rejects.toThrow(message);
    expect(receiver.posts).toHaveLength(attempts);
  });

  it("where nobody listens", async () => {
    await expect(send("", { url: await Receiver.nobody() })).rejects.toThrow(/^can't be reached \(ECONNREFUSED\)$/);
  });

  it.each([
    ["secret", /^holds no URL$/],
    ["ftp://example.com/secret", /^holds no URL$/],
  ])("by %s, which no message repeats", async (url, message) => {
    await expect(send("", { url })).rejects.toThrow(message);
  });

  it("by Telegram without a chat", async () => {
    await expect(send("/bot123/sendMessage", { format: "telegram" })).rejects.toThrow("has no chat_id in its query");
  });
});
