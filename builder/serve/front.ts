/**
 * The connections in front of workerd. It accepts every connection at once and answers even those whose clients have gone
 * away: thousands of them take gigabytes, and end workerd when it has no file descriptors left. Here, only so many reach
 * workerd at a time. The others wait for one that ends or is no longer used, and are forgotten if their client goes away.
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** More than a browser opens. workerd takes 100 kB and more for each while it answers. */
const MOST_CONNECTIONS = 256;

/** Without a byte for so long, and without a request, a connection that is kept alive gives way to one that waits. */
const IDLE_MS = 5_000;

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
  idleMs = IDLE_MS,
): Promise<Front> {
  const sockets = new Set<Socket>();
  /** In the order in which they came, each with what ends its waiting. */
  const waiting = new Map<Socket, () => void>();
  /** Clients whose connections are not in use. */
  const idle = new Set<Socket>();
  let places = mostConnections;

  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // It closes then.
    socket.on("error", () => {});
  };
  const admit = (): void => {
    for (const [client, stopWaiting] of waiting) {
      if (places === 0) {
        const [unused] = idle;
        if (unused) idle.delete(unused);
        unused?.destroySoon();
        return;
      }
      places--;
      waiting.delete(client);
      stopWaiting();
      const workerd = forward(client, target, idleMs, (isIdle) => {
        if (!isIdle) return void idle.delete(client);
        idle.add(client);
        admit();
      });
      track(workerd);
      workerd.once("close", () => {
        idle.delete(client);
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

/**
 * Connects a client with workerd, until workerd has done with it.
 *
 * @param onIdle told when nothing has come for a while though the client has all that it asked for, and when more comes
 */
function forward(client: Socket, { hostname, port }: URL, idleMs: number, onIdle: (isIdle: boolean) => void): Socket {
  const workerd = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
  let isAsking = false;
  client.on("data", () => {
    isAsking = true;
    onIdle(false);
  });
  workerd.on("data", () => {
    isAsking = false;
  });
  workerd.setTimeout(idleMs, () => {
    if (!isAsking && client.writableLength === 0) onIdle(true);
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
