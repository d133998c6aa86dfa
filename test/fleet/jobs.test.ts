import { expect, it } from 'vitest';
import { countTableRequests, runLargeJob } from './jobs.ts';

it('runs a job on 2,000 nodes: each once, events in order, few commits', async () => {
  const run = await runLargeJob(2000);
  expect(run).toMatchObject({
    finished: 2000,
    runs: 2000,
    requests: 2000,
    eventCount: 4001,
    isInOrder: true,
    lastEvent: 'job_finished',
    mostRunning: 250,
  });
  expect(run.commits / 2000).toBeLessThanOrEqual(0.1);
});

it('needs at most 12 requests to DynamoDB for each node', async () => {
  expect(await countTableRequests(60)).toBeLessThanOrEqual(12);
});
