import { expect, it } from 'vitest';
import { RunFailureNotes } from '../../../../shared/fleet/failures/note-failures.ts';
import { describeRunFailures } from '../../../../shared/fleet/failures/run-failure-texts.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const documents = new MemoryDocuments();
const notes = new RunFailureNotes(documents, new ManualClock());

async function fail(certname: string, resources: readonly (string | null)[], failed: number): Promise<void> {
  const failures = resources.map((resource) => ({ resource, message: 'No space', file: null, line: null }));
  const common = { environment: 'production', at: 1, transactionUuid: null, catalogUuid: null, codeId: null };
  await notes.note({ ...common, certname, failures: { failures, failed } });
}

it.each([
  ['one.test', ['File[/a]'], 1, '1 resource failed: File[/a]', '1 resource failed'],
  ['two.test', ['File[/a]', 'Exec[b]'], 2, '2 resources failed: File[/a], Exec[b]', '2 resources failed'],
  [
    'many.test',
    ['A[a]', 'B[b]', 'C[c]', 'D[d]'],
    40,
    '40 resources failed: A[a], B[b], C[c], …',
    '40 resources failed',
  ],
  ['whole.test', [null], 0, 'No space', 'the run failed as a whole'],
])('describes how the run of %s failed', async (certname, resources, failed, text, unnamed) => {
  await fail(certname, resources, failed);
  const names = [certname, 'none.test'];
  expect([...(await describeRunFailures(documents, names, true))]).toEqual([[certname, text]]);
  expect([...(await describeRunFailures(documents, names, false))]).toEqual([[certname, unnamed]]);
});

it('describes the runs of many nodes', async () => {
  const names = Array.from({ length: 150 }, (_, index) => `web${index}.test`);
  for (const name of names.slice(0, 120)) await fail(name, ['File[/a]'], 1);
  const found = await describeRunFailures(documents, names, true);
  expect([found.size, found.get('web7.test'), found.get('web120.test')]).toEqual([
    120,
    '1 resource failed: File[/a]',
    undefined,
  ]);
});
