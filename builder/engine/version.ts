/** Part of every build's id. Raise it when a change makes the engine publish other bytes for the same input. */
export const ENGINE_VERSION = "3";
