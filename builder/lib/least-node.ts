/** The oldest Node.js that runs the package: the first that knows zstd. Its release line's number, and the number in that line. */
export const LEAST_NODE = [22, 15] as const;
