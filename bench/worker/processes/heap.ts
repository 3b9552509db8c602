/** An isolate's memory, as V8's inspector reports it: what Cloudflare limits to 128 MB. */

import { once } from "node:events";
import { WebSocket } from "ws";

/** The answer of the protocol's `Runtime.getHeapUsage`, in bytes. */
interface HeapUsage {
  totalSize: number;
  embedderHeapUsedSize: number;
  backingStorageSize: number;
}

export class Heap {
  readonly #socket: WebSocket;
  readonly #waiting: ((usage: HeapUsage) => void)[] = [];
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    // Answers come in the order of the questions.
    socket.on("message", (data) => {
      const { id, result } = JSON.parse(String(data));
      if (id !== undefined) this.#waiting.shift()?.(result);
    });
  }

  /** @param inspector the address at which the inspector lists its one Worker */
  static async open(inspector: URL): Promise<Heap> {
    const response = await fetch(`http://${inspector.host}/json/list`);
    const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
    // Node's own WebSocket sends an Origin, for which Miniflare turns it away.
    const socket = new WebSocket(target!.webSocketDebuggerUrl);
    await once(socket, "open");
    return new Heap(socket);
  }

  /** Bytes of V8's heap, of its embedder and of array buffers, WebAssembly's memory among them. */
  async bytes(): Promise<number> {
    const { totalSize, embedderHeapUsedSize, backingStorageSize } = await new Promise<HeapUsage>((resolve) => {
      this.#waiting.push(resolve);
      this.#socket.send(JSON.stringify({ id: ++this.#asked, method: "Runtime.getHeapUsage" }));
    });
    return totalSize + embedderHeapUsedSize + backingStorageSize;
  }

  close(): void {
    this.#socket.close();
  }
}
