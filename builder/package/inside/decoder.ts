/** The largest module of the Worker: a dependency has it, so it is not in the package a second time. */
export const DECODER = "parquet-wasm/esm/parquet_wasm_bg.wasm";
