import { expect, it } from 'vitest';
import { pruneJobs } from '../../../../shared/orchestrator/jobs/prune-jobs.ts';
import { listPages } from '../../../../shared/store/list-pages.ts';
import { MemoryBlobs } from '../../../helpers/memory-stores.ts';

it('deletes the blobs of the jobs that expired, before it says so, and no others', async () => {
  const blobs = new MemoryBlobs();
  for (const key of ['jobs/1/targets', 'jobs/1/outputs/a', 'jobs/12/targets', 'jobs/3/targets']) {
    await blobs.put(key, Buffer.from('x'));
  }
  const asked: number[] = [];
  const expire = async (now: number) => {
    asked.push(now);
    return [1, 3];
  };
  const slow = {
    delete: async (key: string) => {
      await new Promise((resolve) => setImmediate(resolve));
      await blobs.delete(key);
    },
    list: blobs.list.bind(blobs),
  };
  const stores = { jobs: { expire }, blobs: slow, clock: { now: () => 7000 } };
  expect(await pruneJobs(stores as never)).toBe(2);
  expect(asked).toEqual([7000]);
  const left: string[] = [];
  for await (const entries of listPages(blobs, 'jobs/')) left.push(...entries.map(({ key }) => key));
  expect(left).toEqual(['jobs/12/targets']);
});
