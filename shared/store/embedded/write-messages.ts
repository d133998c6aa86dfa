import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import type { DatabaseTables } from '../sql/tables.ts';

/** A call of a store method that the write thread executes. */
export interface WriteRequest {
  readonly id: number;
  readonly store: keyof DatabaseTables;
  readonly method: string;
  /** Plain data: arguments cross the border of a thread by structured clone. */
  readonly args: readonly unknown[];
}

/** The result of a call, posted after the commit of its transaction. */
export type WriteAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PostedError };

/** An error as plain data: structured clone loses the class of an error. */
interface PostedError {
  readonly kind: 'unavailable' | 'refused' | 'other';
  readonly message: string;
  readonly stack: string | null;
}

/** Converts an error to plain data. */
export function toPostedError(error: unknown): PostedError {
  const kind = error instanceof StoreUnavailable ? 'unavailable' : error instanceof StoreRefused ? 'refused' : 'other';
  const isError = error instanceof Error;
  return { kind, message: isError ? error.message : String(error), stack: isError ? (error.stack ?? null) : null };
}

/** Restores the class, the message and the stack of an error. */
export function fromPostedError({ kind, message, stack }: PostedError): Error {
  const error =
    kind === 'unavailable'
      ? new StoreUnavailable(message)
      : kind === 'refused'
        ? new StoreRefused(message)
        : new Error(message);
  if (stack !== null) error.stack = stack;
  return error;
}
