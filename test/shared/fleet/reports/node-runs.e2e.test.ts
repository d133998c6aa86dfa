import { afterAll, beforeAll, expect, it } from 'vitest';
import { readNodeRuns } from '../../../../shared/fleet/reports/node-runs.ts';
import { answerPassedRequest } from '../../../../shared/http/routes/inventory/passed-requests.ts';
import { toQuietReport } from '../../../../shared/inventory/feed/wire-report.ts';
import {
  AnsweredQueries,
  InventoryQueries,
  type RowQueries,
} from '../../../../shared/orchestrator/jobs/inventory-queries.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

const NODE = 'a.example.com';
const AT = Date.parse('2026-11-05T00:00:00.000Z');
const STEP = 1800_000;
let world: InventoryWorld;

beforeAll(async () => {
  world = await openInventoryWorld();
  for (let run = 0; run < 100; run += 1) {
    const report = {
      certname: run % 50 === 7 ? 'b.example.com' : NODE,
      receivedAt: AT + run * STEP,
      status: run % 3 === 0 ? ('changed' as const) : ('unchanged' as const),
      environment: 'production',
      time: new Date(AT + run * STEP - 5_000).toISOString(),
      puppetVersion: '8.10.0',
      transactionUuid: `00000000-0000-4000-8000-${String(run).padStart(12, '0')}`,
      catalogUuid: '11111111-1111-4111-8111-111111111111',
      noop: false,
      blob: null,
    };
    await world.apply('store report', 8, toQuietReport(report, 'server.example.com'));
  }
}, 120_000);

afterAll(() => world.remove());

it.each([
  ['in this process', (): RowQueries => new InventoryQueries(world.services.reader)],
  [
    'in another one',
    (): RowQueries =>
      new AnsweredQueries({
        ask: () => Promise.reject(new Error('nobody asks for nodes')),
        pass: (request) => answerPassedRequest(request, world.services, 1024 * 1024),
      }),
  ],
])('the last runs of a node come from the inventory %s', async (_, open) => {
  const rows = open();
  const found = await readNodeRuns(NODE, { documents: new MemoryDocuments() }, (query) => rows.ask(query), fail);
  expect(found.runs).toHaveLength(96);
  expect(found.runs.slice(0, 2)).toEqual([
    {
      ...{ at: AT + 99 * STEP, durationMs: 5_000, outcome: 'changed', hasReport: false },
      transactionUuid: '00000000-0000-4000-8000-000000000099',
    },
    {
      ...{ at: AT + 98 * STEP, durationMs: 5_000, outcome: 'unchanged', hasReport: false },
      transactionUuid: '00000000-0000-4000-8000-000000000098',
    },
  ]);
  expect(found).toMatchObject({ isEach: true, intervalMs: STEP, nextAt: AT + 100 * STEP });
});

function fail(error: unknown): void {
  throw error;
}
