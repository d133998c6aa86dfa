/** Takes the place of `threaded-stores.ts` in a process that `disturb-process.ts` prepared. */
import { writeSync } from 'node:fs';
import { type MessagePort, threadId } from 'node:worker_threads';
import {
  type ConnectedStores,
  openConnectedStores as openRealConnected,
  openThreadedStores as openRealThreaded,
  type ThreadedStores,
} from '../../shared/store/embedded/threaded-stores.ts';
import { type CompileQueue, QUEUE_NAMES } from '../../shared/store/ports/compile-queue.ts';
import type { FanOutQueue } from '../../shared/store/ports/fan-out-queue.ts';
import type { TableOptions } from '../../shared/store/sql/tables.ts';
import { SeededChance } from '../fuzz/seeded-chance.ts';
import { FaultyStores, type FaultyStoresOptions } from '../helpers/faulty-stores.ts';
import type { KillPoint } from './life-plan.ts';
import { EVENTS_DESCRIPTOR, readDisturbance } from './read-disturbance.ts';

const plan = readDisturbance(process.env);
/** How late a message comes a second time. */
const MOST_LATE_MS = 300;

/** See `threaded-stores.ts`. Calls begin to fail when the first worker connects. */
export function openThreadedStores(
  directory: string,
  options: Omit<TableOptions, 'clock'>,
  onFailure: (error: Error) => void,
): ThreadedStores {
  const stores = openRealThreaded(directory, options, onFailure);
  const { disturbed, faulty } = disturb(stores);
  const connect = () => {
    faulty.rate = plan.rate;
    return stores.connect();
  };
  return { ...stores, ...disturbed, connect };
}

/** See `threaded-stores.ts`. */
export function openConnectedStores(directory: string, port: MessagePort, options?: TableOptions): ConnectedStores {
  const stores = openRealConnected(directory, port, options);
  const { disturbed, faulty } = disturb(stores);
  faulty.rate = plan.rate;
  return { ...stores, ...disturbed };
}

function disturb(stores: ConnectedStores) {
  const seed = plan.seed + threadId;
  const chance = new SeededChance(seed);
  const observe = watchCalls(plan.kill);
  const faulty = new FaultyStores(stores, seed, { faults: ['before', 'after'], ...(observe && { observe }) });
  const changes = faulty.wrap(stores.changes, 'changes');
  const { queue, fanOut } = faulty.stores;
  const disturbed = {
    ...faulty.stores,
    changes,
    queue: disturbQueue(queue, chance),
    fanOut: disturbFanOut(fanOut, chance),
  };
  return { disturbed, faulty };
}

/** Kills the process at its kill point, in the midst of everything that its threads do. */
function watchCalls(kill: KillPoint | null): FaultyStoresOptions['observe'] {
  let left = kill?.nth ?? 0;
  return (call, when) => {
    if (when === 'failing') tell('fault');
    if (call !== kill?.call || when !== kill.when) return;
    left -= 1;
    if (left > 0) return;
    tell('kill');
    process.kill(process.pid, plan.signal);
  };
}

/** Tells the test, which counts the lines. */
function tell(event: 'fault' | 'kill'): void {
  writeSync(EVENTS_DESCRIPTOR, `${event}\n`);
}

function disturbQueue(queue: CompileQueue, chance: SeededChance): CompileQueue {
  return {
    ...bindAll(queue, ['demote', 'acknowledge', 'retryAfter', 'getDepth', 'listDeadLetters', 'redrive']),
    send: async (name, jobs, delayMs) => {
      await queue.send(name, jobs, delayMs);
      sendAgain(() => queue.send(name, jobs, delayMs), chance);
    },
    // A worker receives one job at a time: the order changes with the queue that it asks.
    receive: async (limit, waitMs, signal, queues = QUEUE_NAMES) => {
      if (plan.isReordered && queues.length > 1 && chance.often(0.3)) {
        const jobs = await queue.receive(limit, 0, signal, [chance.of(queues)]);
        if (jobs.length > 0) return shuffle(jobs, chance);
      }
      return queue.receive(limit, waitMs, signal, queues);
    },
  };
}

function disturbFanOut(fanOut: FanOutQueue, chance: SeededChance): FanOutQueue {
  return {
    ...bindAll(fanOut, ['acknowledge', 'retryAfter', 'listDeadLetters', 'redrive', 'countDeadLetters']),
    send: async (messages) => {
      await fanOut.send(messages);
      sendAgain(() => fanOut.send(messages), chance);
    },
    receive: async (limit) => shuffle(await fanOut.receive(limit), chance),
  };
}

/** Sends some messages a second time, later than the sender goes on. */
function sendAgain(send: () => Promise<void>, chance: SeededChance): void {
  if (chance.often(plan.doubled)) setTimeout(() => send().catch(() => undefined), chance.below(MOST_LATE_MS)).unref();
}

function bindAll<T extends object, K extends keyof T>(store: T, names: readonly K[]): Pick<T, K> {
  const entries = names.map((name) => {
    const method: unknown = Reflect.get(store, name);
    return [name, typeof method === 'function' ? method.bind(store) : method];
  });
  return Object.fromEntries(entries);
}

function shuffle<T>(items: readonly T[], chance: SeededChance): readonly T[] {
  if (!plan.isReordered) return items;
  return items
    .map((item) => ({ item, at: chance.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
