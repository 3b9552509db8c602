import fc from "fast-check";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
