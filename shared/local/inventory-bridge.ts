import type { MessagePort } from 'node:worker_threads';
import type { InventoryReply } from '../puppet/compiler/inventory-questions.ts';
import type { InventoryAnswers, QueryWatcher } from '../store/ports/inventory-answers.ts';
import { StoreUnavailable } from '../store/ports/store-errors.ts';

/** A call of a worker's thread to the inventory of the main thread. */
interface BridgeCall {
  readonly id: number;
  readonly method: keyof InventoryAnswers;
  readonly queries: readonly string[];
  readonly watcher: QueryWatcher | null;
}

interface BridgeResult {
  readonly id: number;
  readonly value?: unknown;
  /** The message of the error, when the call failed. */
  readonly fault?: string;
}

/** Answers the calls that `connectInventory` makes at the other end, in a worker's thread. */
export function serveInventory(port: MessagePort, answers: InventoryAnswers): void {
  port.on('message', ({ id, method, queries, watcher }: BridgeCall) => {
    const run = async (): Promise<unknown> => {
      if (method !== 'keepOnly') return answers[method](queries, watcher);
      return watcher === null ? undefined : answers.keepOnly(queries, watcher);
    };
    const send = (result: BridgeResult) => port.postMessage(result);
    run().then(
      (value) => send({ id, value }),
      (error: unknown) => send({ id, fault: error instanceof Error ? error.message : String(error) }),
    );
  });
  port.unref();
}

/** The inventory of the main thread; calls throw StoreUnavailable when it does not answer. */
export function connectInventory(port: MessagePort): InventoryAnswers {
  let lastId = 0;
  const waiting = new Map<number, (result: BridgeResult) => void>();
  port.on('message', (result: BridgeResult) => {
    waiting.get(result.id)?.(result);
    waiting.delete(result.id);
    if (waiting.size === 0) port.unref();
  });
  port.unref();
  const call = <T>(method: BridgeCall['method'], queries: readonly string[], watcher: QueryWatcher | null) =>
    new Promise<T>((resolve, reject) => {
      lastId += 1;
      port.ref();
      waiting.set(lastId, ({ value, fault }) => {
        if (fault === undefined) resolve(value as T);
        else reject(new StoreUnavailable(fault));
      });
      port.postMessage({ id: lastId, method, queries, watcher } satisfies BridgeCall);
    });
  return {
    ask: (queries, watcher) => call<ReadonlyMap<string, InventoryReply>>('ask', queries, watcher),
    digest: (queries, watcher) => call<ReadonlyMap<string, string>>('digest', queries, watcher),
    keepOnly: (queries, watcher) => call<void>('keepOnly', queries, watcher),
  };
}
