import { expect, it } from "vitest";
import { type Meet, Rendezvous } from "../../../builder/fetch/chain/rendezvous.ts";

/** Notes who goes on in the same turn of the event loop. */
class Turns {
  readonly all: string[][] = [];
  #now: string[] | undefined;

  add(name: string): void {
    if (!this.#now) {
      this.#now = [];
      this.all.push(this.#now);
      setImmediate(() => {
        this.#now = undefined;
      });
    }
    this.#now.push(name);
  }
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

it("lets all ask together, however long each takes to get there", async () => {
  const [rendezvous, turns] = [new Rendezvous(60_000), new Turns()];
  const one = (name: string, ms: number) =>
    rendezvous.with(async (meet) => {
      await wait(ms);
      await meet("logs");
      turns.add(`${name} logs`);
      await wait(30 - ms);
      await meet("balances");
      turns.add(`${name} balances`);
    });
  await Promise.all([one("A", 0), one("B", 20), one("C", 5)]);
  expect(turns.all.map((turn) => turn.sort())).toEqual([
    ["A logs", "B logs", "C logs"],
    ["A balances", "B balances", "C balances"],
  ]);
});

it("waits for none that has failed, or ended without asking", async () => {
  const rendezvous = new Rendezvous(60_000);
  const fails = rendezvous.with(async () => {
    await wait(5);
    throw new Error("disk full");
  });
  const ends = rendezvous.with(() => wait(10));
  await Promise.all([
    expect(fails).rejects.toThrow("disk full"),
    ends,
    rendezvous.with((meet) => meet("logs")),
    rendezvous.with((meet) => meet("logs")),
  ]);
});

it("waits for one that is busy for so long only, and no more until it is there", async () => {
  const [rendezvous, turns] = [new Rendezvous(50), new Turns()];
  const busy = rendezvous.with(async (meet) => {
    await wait(1_000);
    await meet("logs");
  });
  const began = performance.now();
  const quick = async (meet: Meet) => {
    for (const place of ["logs", "balances"] as const) {
      await meet(place);
      turns.add(place);
    }
  };
  await Promise.all([rendezvous.with(quick), rendezvous.with(quick)]);
  expect(turns.all).toEqual([
    ["logs", "logs"],
    ["balances", "balances"],
  ]);
  expect(performance.now() - began).toBeLessThan(900);
  await busy;
});

it("those at another place wait until the others come around again", async () => {
  const [rendezvous, turns] = [new Rendezvous(60_000), new Turns()];
  const ask = async (meet: Meet, name: string, place: "logs" | "balances") => {
    await meet(place);
    turns.add(`${name} ${place}`);
  };
  const late = rendezvous.with((meet) => ask(meet, "late", "logs"));
  const work = async (name: string) => {
    await rendezvous.with((meet) => ask(meet, name, "balances"));
    await rendezvous.with((meet) => ask(meet, name, "logs"));
  };
  await Promise.all([late, work("A"), work("B")]);
  expect(turns.all.map((turn) => turn.sort())).toEqual([
    ["A balances", "B balances"],
    ["A logs", "B logs", "late logs"],
  ]);
});
