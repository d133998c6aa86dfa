import { setImmediate as nextTurn } from 'node:timers/promises';
import { allNodes } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { invalidateNodes } from '../nodes/invalidate-nodes.ts';
import { keepChange } from '../nodes/noted-changes.ts';
import { removeKeptValue } from './kept-value-list.ts';
import { KeptValueRecords } from './kept-value-records.ts';

/** Result of a rotation. */
interface RotatedValue {
  /** The nodes whose catalogs were made with it; each is compiled before nodes that merely wait. */
  readonly certnames: readonly string[];
}

/**
 * Replaces a value that code of modules keeps, or removes it (`text` is null), so that the next
 * compile creates another. Its nodes compile with priority. Null when there is no such value, or it
 * was changed meanwhile.
 */
export async function rotateValue(
  environment: string,
  name: string,
  text: string | null,
  by: string,
  stores: Pick<Stores, 'nodes' | 'queue' | 'documents' | 'seal' | 'clock'>,
): Promise<RotatedValue | null> {
  const isRotated = await new KeptValueRecords(stores).rotate(environment, name, text, by);
  return isRotated ? invalidateUsers(environment, name, by, stores) : null;
}

/** Passes over all nodes that go on after their answers; others wait for them, in their order. */
const places = new Semaphore(2);

/** A rotation whose nodes are being invalidated. */
interface ValueRotation {
  /** Counts the nodes that were invalidated by now. */
  readonly countInvalidated: () => number;
  /** Resolves when all are invalidated. */
  readonly done: Promise<RotatedValue>;
}

/**
 * The same without a text, for a process that cannot open values. It resolves when the value is
 * removed; then the nodes are invalidated.
 */
export async function beginRenewal(
  environment: string,
  name: string,
  by: string,
  stores: Pick<Stores, 'nodes' | 'queue' | 'documents' | 'clock'>,
): Promise<ValueRotation | null> {
  if (!(await removeKeptValue(stores.documents, environment, name))) return null;
  let invalidated = 0;
  const run = async () => {
    const leave = await places.acquire();
    try {
      return await invalidateUsers(environment, name, by, stores, (count) => {
        invalidated += count;
      });
    } finally {
      leave();
    }
  };
  return { countInvalidated: () => invalidated, done: run() };
}

async function invalidateUsers(
  environment: string,
  name: string,
  user: string,
  stores: Pick<Stores, 'nodes' | 'queue' | 'documents' | 'clock'>,
  count: (nodes: number) => void = () => {},
): Promise<RotatedValue> {
  const why = `the kept value ${name} was rotated`;
  const certnames: string[] = [];
  for await (const some of eachPageOfUsers(environment, name, stores)) {
    await invalidateNodes(some, why, stores);
    certnames.push(...some);
    count(some.length);
  }
  const touched = certnames.map((certname) => ({ certname, why }));
  await keepChange(stores, { kind: 'value', environment, summary: why, user, touched });
  return { certnames };
}

/** The nodes whose last compile in that environment named the value. */
export async function findUsers(
  environment: string,
  name: string,
  stores: Pick<Stores, 'nodes'>,
): Promise<readonly string[]> {
  const users: string[] = [];
  for await (const some of eachPageOfUsers(environment, name, stores)) users.push(...some);
  return users;
}

async function* eachPageOfUsers(
  environment: string,
  name: string,
  { nodes }: Pick<Stores, 'nodes'>,
): AsyncGenerator<readonly string[]> {
  let isFirst = true;
  for await (const page of allNodes(nodes)) {
    // A page of the embedded store is read at once: requests are served between the pages.
    if (!isFirst) await nextTurn();
    isFirst = false;
    yield page.flatMap(({ certname, inputs }) =>
      inputs?.environment === environment && name in (inputs.keptValues ?? {}) ? [certname] : [],
    );
  }
}
