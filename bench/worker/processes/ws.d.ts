/** What is used of `ws`, which Miniflare brings along. */
declare module "ws" {
  import type { EventEmitter } from "node:events";

  export class WebSocket extends EventEmitter {
    constructor(url: string);
    send(text: string): void;
    close(): void;
  }
}
