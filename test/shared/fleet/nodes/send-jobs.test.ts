import { afterEach, beforeEach, expect, it } from 'vitest';
import { sendJobs } from '../../../../shared/fleet/nodes/send-jobs.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { CompileWorld } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';

const NODE = 'web.example.com';
let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld();
  await world.stores.nodes.markSeen(NODE, 'production', 1);
});
afterEach(() => world.close());

it('makes a job due again when it could not be sent', async () => {
  const { nodes, queue } = world.stores;
  const want = () => nodes.want(NODE, 'x', 5, { asked: true });
  expect(await want()).toMatchObject({ wanted: 1, isJobDue: true });
  const down = intercept(queue, { send: () => Promise.reject(new StoreUnavailable('down')) });
  const jobs = [{ certname: NODE, generation: 1, reason: 'x', at: 5 }];
  await expect(sendJobs('express', jobs, { nodes, queue: down })).rejects.toThrow(new StoreUnavailable('down'));
  expect(await want()).toMatchObject({ wanted: 1, isJobDue: true });
  await sendJobs('express', jobs, { nodes, queue });
  expect(await want()).toMatchObject({ wanted: 1, isJobDue: false });
  expect((await queue.receive(10, 0)).map(({ job }) => job)).toEqual(jobs);
});
