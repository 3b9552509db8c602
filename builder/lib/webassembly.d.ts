/** What of WebAssembly the kernels need: neither Node's types nor ECMAScript's libraries declare it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, (...numbers: number[]) => unknown>>);
    readonly exports: Record<string, unknown>;
  }
}
