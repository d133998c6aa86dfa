import type { InventoryReply } from '../puppet/compiler/inventory-questions.ts';
import type { BlobStore } from './ports/blob-store.ts';
import type {
  InventoryAnswers,
  InventoryApi,
  PassedAnswer,
  PassedRequest,
  QueryWatcher,
} from './ports/inventory-answers.ts';

/** A call of `InventoryAnswers` in another process, as JSON. */
export interface AnswersCall {
  readonly method: keyof InventoryAnswers;
  readonly queries: readonly string[];
  readonly watcher: QueryWatcher | null;
}

/** A call of `InventoryApi` in another process, as JSON. */
interface PassCall {
  readonly method: keyof InventoryApi;
  readonly request: PassedRequest;
}

export type InventoryCall = AnswersCall | PassCall;

/** The parts of an inventory that answer calls. */
interface CalledInventory {
  readonly answers: InventoryAnswers;
  readonly api: InventoryApi;
}

/** A value that a call gives. */
type CallValue = InventoryReply | PassedAnswer | string;

/**
 * Result of a call: one value for each query, in their order; none for `keepOnly`; the answer to a
 * passed request.
 */
export type InventoryCallResult =
  | { readonly values: readonly CallValue[] }
  /** The values are the JSON text of this blob, which a day later is gone. */
  | { readonly stored: string }
  /** Why the inventory did not answer. */
  | { readonly fault: string };

/** The largest answer of a function in Lambda is 6 MB; this many characters fit, escaped. */
const LARGEST_RESULT = 1_500_000;

/** Storage of values that are too large for a result. */
interface LargeResults {
  readonly blobs: Pick<BlobStore, 'put'>;
  /** A key that nobody else has. */
  readonly makeKey: () => string;
}

/**
 * Makes the call that came from another process. Whatever it throws is a fault: the caller tries
 * again, up to the bound of its own retries.
 */
export async function answerInventoryCall(
  call: InventoryCall,
  inventory: CalledInventory,
  { blobs, makeKey }: LargeResults,
): Promise<InventoryCallResult> {
  try {
    const values = await makeCall(call, inventory);
    const text = JSON.stringify(values);
    if (text.length <= LARGEST_RESULT) return { values };
    const stored = makeKey();
    await blobs.put(stored, Buffer.from(text));
    return { stored };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

async function makeCall(call: InventoryCall, { answers, api }: CalledInventory): Promise<readonly CallValue[]> {
  if (call.method === 'pass') return [await api.pass(call.request)];
  const { method, queries, watcher } = call;
  if (method === 'keepOnly') {
    if (watcher !== null) await answers.keepOnly(queries, watcher);
    return [];
  }
  const found: ReadonlyMap<string, InventoryReply | string> = await answers[method](queries, watcher);
  return queries.flatMap((query) => found.get(query) ?? []);
}
