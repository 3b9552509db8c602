/** A module compiled at deployment: the `CompiledWasm` rule of wrangler.toml. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
