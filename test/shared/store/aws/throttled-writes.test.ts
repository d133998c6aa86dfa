import { afterAll, beforeAll, expect, it } from 'vitest';
import { invalidateNodes } from '../../../../shared/fleet/nodes/invalidate-nodes.ts';
import { type AwsClients, openAwsStores } from '../../../../shared/store/aws/stores.ts';
import { waitOutThrottles } from '../../../../shared/store/aws/throttled-writes.ts';
import { deployNames, type Emulators, startEmulators } from '../../../helpers/aws-emulators.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const NODES = Array.from({ length: 25 }, (_, index) => `n${String(index).padStart(2, '0')}.example.com`);
/** Updates that the table refuses before it takes the next, and what it says. */
const refusals = { left: 0, name: 'ThrottlingException', seen: 0 };
let emulators: Emulators;
let names: Record<string, string>;

beforeAll(async () => {
  emulators = await startEmulators();
  names = await deployNames(emulators.clients, { visibilityMs: 60_000, maxReceives: 5 });
  refuseUpdates(emulators.clients);
});
afterAll(() => emulators.close());

function refuseUpdates({ dynamodb }: AwsClients): void {
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'UpdateItemCommand' || refusals.left === 0) return next(args);
        refusals.left -= 1;
        refusals.seen += 1;
        throw Object.assign(new Error('more than the table takes'), {
          name: refusals.name,
          $metadata: { httpStatusCode: 400 },
        });
      },
    { step: 'initialize' },
  );
}

/** Invalidates all nodes while the table refuses some updates, within 40 seconds. */
async function invalidate(refused: number, revision: string, name = 'ThrottlingException') {
  const clock = new ManualClock();
  const stores = openAwsStores(names, emulators.clients, clock);
  const start = clock.now();
  for (const certname of NODES) await stores.nodes.markSeen(certname, 'production', start);
  Object.assign(refusals, { left: refused, name, seen: 0 });
  const nodes = waitOutThrottles(stores.nodes, clock, () => clock.now() - start >= 40_000);
  const invalidated = await invalidateNodes(NODES, 'deployed', { ...stores, nodes }, revision).catch(
    (error: Error) => error,
  );
  refusals.left = 0;
  const wanted = await Promise.all(NODES.map(async (certname) => (await stores.nodes.get(certname))?.wanted));
  return { invalidated, wanted, waited: clock.now() - start };
}

it('waits until the table takes the writes, and writes each node once', async () => {
  const { invalidated, wanted, waited } = await invalidate(60, 'one');
  expect(invalidated).toEqual(NODES);
  expect(wanted).toEqual(NODES.map(() => 1));
  expect(refusals.seen).toBe(60);
  // Each wait is three quarters of its bound here, and time passes for one node after the other.
  expect(waited).toBeGreaterThanOrEqual(60 * 150);
  expect(waited).toBeLessThan(40_000);
});

it('leaves the rest to the queue when the time is over', async () => {
  const { invalidated, waited } = await invalidate(1_000_000, 'two');
  expect(invalidated).toMatchObject({
    name: 'StoreUnavailable',
    message: expect.stringContaining('ThrottlingException'),
  });
  expect(waited).toBeGreaterThanOrEqual(40_000);
  // The nodes that wait at the same time come back within the longest wait.
  expect(waited).toBeLessThan(40_000 + NODES.length * 5000);
});

it('repeats no write that may have worked', async () => {
  const { invalidated, waited } = await invalidate(1, 'three', 'InternalServerError');
  expect([invalidated, waited]).toEqual([expect.objectContaining({ name: 'StoreUnavailable' }), 0]);
  expect(refusals.seen).toBe(1);
});
