/** Errors on their way between threads: a structured clone would forget their class. */

import { CannotResume, DiskFailure, Failure, InputFailure, StoreFailure } from "../../lib/failure.ts";

const CLASSES = { CannotResume, DiskFailure, Failure, InputFailure, StoreFailure };

export interface SentError {
  name: string;
  message: string;
  /** Undefined for those of a class above. */
  error?: unknown;
}

export function toSend(error: unknown): SentError {
  if (error instanceof Failure || error instanceof CannotResume) return { name: error.name, message: error.message };
  return { name: "", message: "", error };
}

export function received({ name, message, error }: SentError): unknown {
  const Class = CLASSES[name as keyof typeof CLASSES];
  return Class ? new Class(message) : error;
}
