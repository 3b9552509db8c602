import { expect, it } from "vitest";
import { problemOf } from "../../explorer/src/problem.ts";

const told = async (detail: string, headers: Record<string, string> = {}) => {
  const body = { type: "/problems/too-many-requests", title: "Too many requests", status: 429, detail };
  return (await problemOf(Response.json(body, { status: 429, headers }))).message;
};

it("a problem says once when to try again", async () => {
  const after = { "Retry-After": "60" };
  expect(await told("The plan has 60 requests a minute.", after)).toBe(
    "The plan has 60 requests a minute. Try again in 60 seconds.",
  );
  expect(await told("Try again in a minute.", after)).toBe("Try again in a minute.");
  expect(await told("The key is used up.")).toBe("The key is used up.");
});

it("an answer that is no problem document is told by its status", async () => {
  const problem = await problemOf(new Response("<h1>Bad gateway</h1>", { status: 502 }));
  expect(problem).toMatchObject({ type: "unreadable", title: "The service answered 502" });
});
