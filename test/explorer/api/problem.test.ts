import { expect, it } from "vitest";
import { readProblem } from "../../../explorer/src/api/problem.ts";

const detailOf = async (detail: string, headers: Record<string, string> = {}) => {
  const body = { type: "/problems/too-many-requests", title: "Too many requests", status: 429, detail };
  return (await readProblem(Response.json(body, { status: 429, headers }))).message;
};

it("a problem says when to try again, once", async () => {
  const after = { "Retry-After": "60" };
  expect(await detailOf("The plan has 60 requests a minute.", after)).toBe(
    "The plan has 60 requests a minute. Try again in 60 seconds.",
  );
  expect(await detailOf("Try again in a minute.", after)).toBe("Try again in a minute.");
  expect(await detailOf("The key is used up.")).toBe("The key is used up.");
});

it("a response without a problem document is described by its status", async () => {
  const problem = await readProblem(new Response("<h1>Bad gateway</h1>", { status: 502 }));
  expect(problem).toMatchObject({ type: "unreadable", title: "The service returned status 502" });
});
