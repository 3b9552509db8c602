/**
 * The connections in front of workerd. It accepts every connection at once and answers even those whose clients have gone
 * away: thousands of them take gigabytes, and end workerd when it has no file descriptors left. Here, only so many reach
 * workerd at a time. The others wait, and are forgotten if their client goes away.
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** More than a browser opens. workerd takes 100 kB and more for each while it answers. */
const MOST_CONNECTIONS = 256;

/** Read of a connection that waits. */
const HELD_BYTES = 65_536;

export interface Front {
  port: number;
  /** Ends all connections. */
  close(): void;
}

/**
 * @param target where workerd listens
 * @throws {Error} EADDRINUSE
 */
export async function startFront(
  host: string,
  port: number,
  target: URL,
  mostConnections = MOST_CONNECTIONS,
): Promise<Front> {
  const sockets = new Set<Socket>();
  /** In the order in which they came, each with what ends its waiting. */
  const waiting = new Map<Socket, () => void>();
  let places = mostConnections;

  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // It closes then.
    socket.on("error", () => {});
  };
  const admit = (): void => {
    for (const [client, stopWaiting] of waiting) {
      if (places === 0) return;
      places--;
      waiting.delete(client);
      stopWaiting();
      const workerd = forward(client, target);
      track(workerd);
      workerd.once("close", () => {
        places++;
        admit();
      });
    }
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    track(client);
    waiting.set(client, hold(client));
    client.once("close", () => waiting.delete(client));
    admit();
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      waiting.clear();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Reads what a client sends while it waits: the end of a connection comes after all that was sent on it.
 *
 * @returns stops it, and puts back what was read
 */
function hold(client: Socket): () => void {
  const held: Buffer[] = [];
  let bytes = 0;
  const take = (data: Buffer) => {
    held.push(data);
    bytes += data.length;
    if (bytes >= HELD_BYTES) client.pause();
  };
  const leave = () => client.destroy();
  client.on("data", take).once("end", leave);
  return () => {
    client.off("data", take).off("end", leave).pause();
    if (bytes > 0) client.unshift(Buffer.concat(held));
  };
}

/** Connects a client with workerd, until workerd has done with it. */
function forward(client: Socket, { hostname, port }: URL): Socket {
  const workerd = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
  let isAsking = false;
  client.on("data", () => {
    isAsking = true;
  });
  workerd.on("data", () => {
    isAsking = false;
  });
  client.pipe(workerd).pipe(client);
  client.once("close", () => {
    if (!isAsking) workerd.destroy();
    // workerd holds the request until it has come to it, whether or not the connection is there.
    else
      workerd
        .once("data", () => workerd.destroy())
        .end()
        .resume();
  });
  workerd.once("close", (hasFailed) => (hasFailed ? client.resetAndDestroy() : client.destroySoon()));
  return workerd;
}
