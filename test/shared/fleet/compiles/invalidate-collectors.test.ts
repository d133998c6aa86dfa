import { afterEach, beforeEach, expect, it } from 'vitest';
import { invalidateCollectors } from '../../../../shared/fleet/compiles/invalidate-collectors.ts';
import type { CompileJob } from '../../../../shared/store/ports/compile-queue.ts';
import type { NodeStore } from '../../../../shared/store/ports/node-store.ts';
import { CompileWorld } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';

const CERTNAMES = Array.from({ length: 205 }, (_, index) => `node${String(index).padStart(3, '0')}.example.com`);
let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld();
  for (const certname of CERTNAMES) {
    await world.stores.nodes.markSeen(certname, 'production', 1);
    await world.stores.exports.replaceCollectors(certname, 1, [{ certname, type: 'Notify', query: null }]);
  }
});
afterEach(() => world.close());

it('invalidates many collectors for a change, so many at a time, with as few messages to the queue as it takes', async () => {
  const { stores } = world;
  let under = 0;
  let most = 0;
  const want: NodeStore['want'] = async (...args) => {
    under += 1;
    most = Math.max(most, under);
    await new Promise((resolve) => setTimeout(resolve, 1));
    under -= 1;
    return stores.nodes.want(...args);
  };
  const sent: (readonly CompileJob[])[] = [];
  const queue = intercept(stores.queue, { send: async (_, jobs) => void sent.push(jobs) });
  const after = { certname: 'exporter.example.com', type: 'Notify', title: 'n', tags: [], parameters: {} };
  const ports = { ...stores, nodes: intercept<NodeStore>(stores.nodes, { want }), queue };
  expect(await invalidateCollectors([{ before: null, after }], ports)).toBe(CERTNAMES.length);
  expect(most).toBeLessThanOrEqual(80);
  expect(sent.map((jobs) => jobs.length)).toEqual([...Array(20).fill(10), 5]);
  expect(new Set(sent.flat().map(({ certname }) => certname))).toEqual(new Set(CERTNAMES));
  expect(sent.flat().every(({ generation }) => generation === 1)).toBe(true);
});

const AFTER = { certname: 'exporter.example.com', type: 'Notify', title: 'n', tags: [], parameters: {} };

it.each([
  ['get', 'before'],
  ['want', 'before'],
  ['want', 'after'],
] as const)(
  'leaves no node without a job when %s of one node fails %s it worked, and reports the fault',
  async (method, when) => {
    const { stores } = world;
    const victim = CERTNAMES[3];
    let faults = 0;
    const fail = async <T>(certname: string, call: () => Promise<T>): Promise<T> => {
      const isFaulty = certname === victim && faults === 0;
      if (isFaulty && when === 'before') faults += 1;
      if (isFaulty && when === 'before') throw new Error('the store is away');
      const result = await call();
      if (isFaulty) faults += 1;
      if (isFaulty) throw new Error('the store is away');
      return result;
    };
    const nodes = intercept<NodeStore>(stores.nodes, {
      [method]: (certname: string, ...rest: never[]) =>
        fail(certname, () => (stores.nodes[method] as (...args: unknown[]) => Promise<unknown>)(certname, ...rest)),
    });
    const ports = { ...stores, nodes };
    await expect(invalidateCollectors([{ before: null, after: AFTER }], ports)).rejects.toThrow('the store is away');
    await invalidateCollectors([{ before: null, after: AFTER }], ports);
    expect(faults).toBe(1);
    expect((await stores.queue.getDepth()).express.visible).toBe(CERTNAMES.length);
  },
);

it('sends a job at the next start when the process died between the note of a later job and the job', async () => {
  const { stores } = world;
  const [certname = ''] = CERTNAMES;
  const at = stores.clock.now();
  const node = await stores.nodes.want(certname, 'an export changed', at, { asked: true, mayWait: true });
  await stores.nodes.ask(certname, node?.wanted ?? 0, at + 600_000, at + 1);
  expect(await stores.nodes.listOutstanding(at, 10)).toEqual([]);
  await stores.releaseInFlight();
  expect((await stores.nodes.listOutstanding(at, 10)).map((one) => one.certname)).toEqual([certname]);
});
