/** Which connections reach workerd: sockets that this process opens stand for its clients and for workerd. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startFront } from "../../builder/serve/front.ts";

const HOST = "127.0.0.1";

/** A front with two places. `reached` are the connections at workerd's end, `ask` opens one with a request. */
async function twoPlaces(idleMs?: number) {
  const reached: Socket[] = [];
  const workerd = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    reached.push(socket);
  }).listen(0, HOST);
  await once(workerd, "listening");
  const front = await startFront(
    HOST,
    0,
    new URL(`http://${HOST}:${(workerd.address() as AddressInfo).port}`),
    2,
    idleMs,
  );
  onTestFinished(() => {
    front.close();
    workerd.close();
    for (const socket of reached) socket.destroy();
  });
  const ask = (request: string) => {
    const socket = connect({ host: HOST, port: front.port, allowHalfOpen: true }).on("error", () => {});
    socket.write(request);
    return socket;
  };
  const isReached = (count: number) => expect.poll(() => reached.length, { interval: 2 }).toBe(count);
  return { front, reached, ask, isReached };
}

/** All that comes on a connection; the other direction stays open. */
async function received(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (data) => (text += data));
  await once(socket, "end");
  return text;
}

/** So long that what was sent has come. */
const moment = () => sleep(50);

it("passes on all bytes, in both directions, and the end of each", async () => {
  const { reached, ask, isReached } = await twoPlaces();
  const [question, answer] = ["question".repeat(100_000), "answer".repeat(1_000_000)];
  const client = ask(question);
  client.end();
  await isReached(1);
  expect((await received(reached[0]!)) === question).toBe(true);
  reached[0]!.end(answer);
  expect((await received(client)) === answer).toBe(true);
});

it("lets no more connections through than there are places, and the next when one has ended", async () => {
  const { reached, ask, isReached } = await twoPlaces();
  const clients = ["a", "b", "c"].map(ask);
  await isReached(2);
  await moment();
  expect(reached).toHaveLength(2);
  clients[0]!.end();
  reached[0]!.end();
  await isReached(3);
  reached[2]!.end("answer");
  expect(await received(clients[2]!)).toBe("answer");
});

it("lets a connection that is not used give way to one that waits, but not one with a request", async () => {
  const { reached, ask, isReached } = await twoPlaces(20);
  const [asking, unused] = ["a", "b"].map(ask);
  await isReached(2);
  const end = once(unused!.resume(), "end");
  reached[1]!.write("answer");
  await moment();
  expect(reached.map(({ readableEnded }) => readableEnded)).toEqual([false, false]);
  ask("c");
  for (const socket of reached) socket.resume();
  await end;
  reached[1]!.end();
  await isReached(3);
  expect([asking!.readyState, reached[0]!.readyState]).toEqual(["open", "open"]);
});

it.each([["closes"], ["resets"]])("forgets a client that %s its connection while it waits", async (how) => {
  const { reached, ask, isReached } = await twoPlaces();
  const [a, , gone] = ["a", "b", "gone", "d"].map(ask);
  await isReached(2);
  if (how === "closes") gone!.destroy();
  else gone!.resetAndDestroy();
  await moment();
  a!.end();
  reached[0]!.end();
  await isReached(3);
  expect(String((await once(reached[2]!, "data"))[0])).toBe("d");
});

it("keeps the place of a client that has gone away until workerd has come to its request", async () => {
  const { reached, ask, isReached } = await twoPlaces();
  const [a] = ["a", "b", "c"].map(ask);
  await isReached(2);
  const arrived = once(reached[0]!, "data");
  a!.resetAndDestroy();
  await arrived;
  await moment();
  expect(reached).toHaveLength(2);
  reached[0]!.write("answer");
  await isReached(3);
});

it("resets the connection of a client where workerd does", async () => {
  const { reached, ask, isReached } = await twoPlaces();
  const client = ask("a");
  await isReached(1);
  reached[0]!.resetAndDestroy();
  await expect(once(client, "end")).rejects.toMatchObject({ code: "ECONNRESET" });
});

it("says when its port is taken", async () => {
  const { front } = await twoPlaces();
  await expect(startFront(HOST, front.port, new URL(`http://${HOST}`))).rejects.toThrow(/EADDRINUSE/);
});
