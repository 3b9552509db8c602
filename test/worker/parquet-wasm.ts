/** Reads the Worker's Parquet files: another implementation than its own. */

import { tableFromIPC } from "apache-arrow";
import { initSync, readParquet } from "parquet-wasm/esm/parquet_wasm.js";
import wasm from "parquet-wasm/esm/parquet_wasm_bg.wasm";

initSync({ module: wasm });

export const tableOfParquet = (file: Uint8Array) => tableFromIPC(readParquet(file).intoIPCStream());
