import { beforeEach, describe, expect, it } from 'vitest';
import { listNewestEvents } from '../../../../shared/fleet/failures/failure-events.ts';
import type { FailureQuery } from '../../../../shared/fleet/failures/failure-list.ts';
import { findFailureGroup, listFailureGroups, selectFailures } from '../../../../shared/fleet/failures/failure-list.ts';
import { FailureUpkeep } from '../../../../shared/fleet/failures/failure-upkeep.ts';
import {
  noteFailedCompile,
  noteGoodCompile,
  RunFailureNotes,
} from '../../../../shared/fleet/failures/note-failures.ts';
import { storeQuietRun, storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { ManualClock, MemoryBlobs, MemoryDocuments, MemoryEnvironments } from '../../../helpers/memory-stores.ts';

const MINUTE = 60_000;
const ALL: FailureQuery = { kind: null, state: null, environment: null, certname: null };

/** Counts the documents that are read of lists. */
class CountedDocuments extends MemoryDocuments {
  read = 0;
  writes = 0;

  override async list(...args: Parameters<MemoryDocuments['list']>) {
    const page = await super.list(...args);
    this.read += page.length;
    return page;
  }

  override async put(...args: Parameters<MemoryDocuments['put']>) {
    this.writes += 1;
    return super.put(...args);
  }
}

let clock: ManualClock;
let documents: CountedDocuments;
let environments: MemoryEnvironments;
let summaries: Map<string, string | null>;
let upkeep: FailureUpkeep;

beforeEach(async () => {
  clock = new ManualClock();
  documents = new CountedDocuments();
  environments = new MemoryEnvironments();
  summaries = new Map();
  const nodes = {
    getSummaries: async (names: readonly string[]) =>
      names.flatMap((certname) => {
        const failure = summaries.get(certname);
        return failure === undefined ? [] : [{ certname, failure }];
      }),
  };
  upkeep = new FailureUpkeep({ documents, environments, clock, nodes: nodes as never });
  environments.restore([
    {
      name: 'production',
      revision: 2,
      codeId: 'new',
      deployedAt: clock.now(),
      by: 'ann',
      settled: 2,
      history: [{ codeId: 'old', deployedAt: clock.now() - 90 * MINUTE, by: 'bob' }],
    },
  ]);
});

const compileEnd = (certname: string, others = {}) => ({
  ...{ certname, environment: 'production', at: clock.now(), codeId: 'new', formerCode: 'old', failedBefore: false },
  ...others,
});
const fails = (certname: string, message: string, others = {}) => {
  summaries.set(certname, message);
  return noteFailedCompile(
    documents,
    `Evaluation Error: Error while evaluating a Function Call, ${message}`,
    compileEnd(certname, others),
  );
};
const groups = async (query: Partial<FailureQuery> = {}) =>
  selectFailures(await listFailureGroups(documents), { ...ALL, ...query });

/** Stores the report of a run, and notes it. */
async function run(
  notes: RunFailureNotes,
  certname: string,
  catalogUuid: string,
  message: string | null,
  codeId = 'new',
) {
  summaries.set(certname, summaries.get(certname) ?? null);
  const transactionUuid = `${certname}-${clock.now()}`;
  const summary = {
    ...{ certname, receivedAt: clock.now(), environment: 'production', time: null, puppetVersion: null },
    ...{ transactionUuid, catalogUuid, noop: false, status: message === null ? 'unchanged' : 'failed' },
  };
  if (message === null) await storeQuietRun({ documents }, { ...summary, quiet: {} });
  else await storeReport({ documents, blobs: new MemoryBlobs(clock) }, summary, Buffer.alloc(0), { kept: 5, days: 14 });
  const failure = { resource: `File[/srv/${certname}]`, message: String(message), file: 'site.pp', line: 3 };
  const failures = message === null ? null : { failures: [failure], failed: 1 };
  await notes.note({
    certname,
    environment: 'production',
    at: clock.now(),
    transactionUuid,
    catalogUuid,
    codeId,
    failures,
  });
}

describe('failed compiles', () => {
  it('are one group where their messages differ in names and numbers alone', async () => {
    await fails('web01.test', 'no space for 123456 on web01.test (file: site.pp, line: 3, column: 1)');
    clock.time += MINUTE;
    await fails('web02.test', 'no space for 999999 on web02.test (file: site.pp, line: 4, column: 1)');
    await fails('db01.test', 'no such tier');
    expect(await upkeep.update()).toEqual({ opened: 2, closed: 0 });
    const deploy = { codeId: 'new', previous: 'old', at: clock.now() - MINUTE, user: 'ann', isStaged: false };
    expect(await groups()).toEqual([
      {
        ...{ id: expect.any(String), kind: 'compile', environment: 'production', resource: null },
        message: 'no space for <number> on <certname>',
        lines: [
          { file: 'site.pp', line: 3 },
          { file: 'site.pp', line: 4 },
        ],
        ...{ count: 2, nodes: ['web01.test', 'web02.test'] },
        ...{ firstAt: clock.now() - MINUTE, lastAt: clock.now(), deploy, closedAt: null },
      },
      expect.objectContaining({ message: 'no such tier', count: 1, nodes: ['db01.test'], lines: [] }),
    ]);
  });

  it('name no deploy when the code before was the same', async () => {
    await fails('web01.test', 'no', { formerCode: 'new' });
    await upkeep.update();
    expect((await groups())[0]?.deploy).toBeNull();
  });

  it('name a staged deploy as such', async () => {
    const record = await environments.get('production');
    if (record === null) throw new Error('no record');
    const plan = { waitMs: 1, whenGood: 'hold', whenWorse: 'hold', whenLate: 'hold', countsChanges: false } as const;
    const stage = { number: 3, codeId: 'staged', begunAt: 7, by: 'eve', canaries: ['web01.test'], plan };
    environments.restore([{ ...record, stage }]);
    await fails('web01.test', 'no', { codeId: 'staged', formerCode: 'new' });
    await upkeep.update();
    expect((await groups())[0]?.deploy).toEqual({
      codeId: 'staged',
      previous: 'new',
      at: 7,
      user: 'eve',
      isStaged: true,
    });
  });

  it('keep how they began while they stay the same', async () => {
    await fails('web01.test', 'no');
    await fails('web01.test', 'no', { formerCode: 'new', failedBefore: true });
    await upkeep.update();
    expect((await groups())[0]?.deploy?.codeId).toBe('new');
    await fails('web01.test', 'another', { formerCode: 'new', failedBefore: true });
    await upkeep.update();
    expect((await groups({ state: 'open' })).map(({ message, deploy }) => [message, deploy])).toEqual([
      ['another', null],
    ]);
  });

  it('close their group when no node has them, and open it again', async () => {
    await fails('web01.test', 'no');
    await upkeep.update();
    await noteGoodCompile(documents, 'web01.test');
    clock.time += MINUTE;
    expect(await upkeep.update()).toEqual({ opened: 0, closed: 1 });
    expect(await groups({ state: 'closed' })).toEqual([expect.objectContaining({ count: 1, closedAt: clock.now() })]);
    expect(await groups({ state: 'open' })).toEqual([]);
    clock.time += MINUTE;
    await fails('web01.test', 'no');
    expect(await upkeep.update()).toEqual({ opened: 1, closed: 0 });
    expect(await groups()).toEqual([expect.objectContaining({ firstAt: clock.now(), closedAt: null })]);
    const events = await listNewestEvents(documents, 10);
    expect(events.map(({ what, group }) => [what, group.message])).toEqual([
      ['opened', 'no'],
      ['closed', 'no'],
      ['opened', 'no'],
    ]);
  });

  it('are forgotten after two weeks', async () => {
    await fails('web01.test', 'no');
    await upkeep.update();
    await noteGoodCompile(documents, 'web01.test');
    await upkeep.update();
    clock.time += 15 * 24 * 60 * MINUTE;
    await upkeep.update();
    expect([await groups(), await listNewestEvents(documents, 10)]).toEqual([[], []]);
  });

  it('cost no write while nothing changes', async () => {
    await fails('web01.test', 'no');
    await upkeep.update();
    documents.writes = 0;
    await upkeep.update();
    expect(documents.writes).toBe(0);
  });

  it('are forgotten of a node that is gone, or compiles again unseen', async () => {
    for (const name of ['gone.test', 'good.test', 'bad.test']) await fails(name, 'no');
    summaries = new Map([
      ['good.test', null],
      ['bad.test', 'no'],
    ]);
    clock.time += 10 * MINUTE;
    await upkeep.update();
    expect((await groups())[0]?.nodes).toEqual(['bad.test']);
  });
});

describe('failed runs', () => {
  let notes: RunFailureNotes;
  beforeEach(() => {
    notes = new RunFailureNotes(documents, clock);
  });

  it('are grouped by resource and message, and name the deploy of their catalog', async () => {
    clock.time -= 60 * MINUTE;
    for (const name of ['web01.test', 'web02.test']) await run(notes, name, 'a', null, 'old');
    clock.time += 70 * MINUTE;
    await run(notes, 'web01.test', 'b', 'No space left on web01');
    await run(notes, 'web02.test', 'c', 'No space left on web02');
    await upkeep.update();
    expect(await groups({ kind: 'run' })).toEqual([
      expect.objectContaining({
        resource: 'File[/srv/<certname>]',
        message: 'No space left on <hostname>',
        lines: [{ file: 'site.pp', line: 3 }],
        count: 2,
        deploy: expect.objectContaining({ codeId: 'new', user: 'ann' }),
      }),
    ]);
  });

  it.each([
    ['the catalog is that of the run before', 'a', -60],
    ['the deploy is older than the run before', 'b', 20],
    ['there was no run before', 'b', null],
  ])('name no deploy when %s', async (_, catalog, before) => {
    const now = clock.now() + 70 * MINUTE;
    if (before !== null) {
      clock.time += before * MINUTE;
      await run(notes, 'web01.test', 'a', null);
    }
    clock.time = now;
    await run(notes, 'web01.test', catalog, 'No space');
    await upkeep.update();
    expect((await groups())[0]?.deploy).toBeNull();
  });

  it('end with a run that did not fail', async () => {
    await run(notes, 'web01.test', 'a', 'No space');
    await upkeep.update();
    clock.time += MINUTE;
    await run(notes, 'web01.test', 'a', null);
    expect(await upkeep.update()).toEqual({ opened: 0, closed: 1 });
  });

  it('end with a run that another process noted', async () => {
    await run(notes, 'web01.test', 'a', 'No space');
    clock.time += 5 * MINUTE;
    const other = new RunFailureNotes(new MemoryDocuments(), clock);
    await run(other, 'web01.test', 'a', null);
    expect((await upkeep.update()).opened).toBe(0);
    expect(await groups({ state: 'open' })).toEqual([]);
  });

  it('are left out where the node has no catalog because its compile failed', async () => {
    await fails('web01.test', 'no');
    const failure = { resource: null, message: 'Could not retrieve catalog; skipping run', file: null, line: null };
    const common = {
      environment: 'production',
      at: clock.now(),
      transactionUuid: 't',
      catalogUuid: null,
      codeId: null,
    };
    for (const certname of ['web01.test', 'web02.test'])
      await notes.note({ ...common, certname, failures: { failures: [failure], failed: 0 } });
    await upkeep.update();
    expect((await groups()).map(({ kind, nodes }) => [kind, nodes]).sort()).toEqual([
      ['compile', ['web01.test']],
      ['run', ['web02.test']],
    ]);
  });

  it('of other nodes cost a good run nothing', async () => {
    await run(notes, 'web01.test', 'a', 'No space');
    await run(notes, 'web02.test', 'a', null);
    documents.read = 0;
    for (let round = 0; round < 20; round += 1) await run(notes, 'web02.test', 'a', null);
    expect(documents.read).toBe(0);
  });

  it('end where more nodes fail than a process keeps in mind', async () => {
    for (let node = 0; node < 250; node += 1) await run(notes, `node${node}.test`, 'a', 'No space');
    clock.time += MINUTE;
    await run(notes, 'node7.test', 'a', null);
    await upkeep.update();
    expect((await groups())[0]).toMatchObject({ count: 249, message: 'No space' });
    expect((await groups())[0]?.nodes.length).toBe(200);
    expect((await groups({ certname: 'node7.test' })).length).toBe(0);
  });
});

it('finds a group by its id', async () => {
  await fails('web01.test', 'no');
  await upkeep.update();
  const [group] = await groups();
  expect(await findFailureGroup(documents, group?.id ?? '')).toEqual(group);
  expect(await findFailureGroup(documents, 'none')).toBeNull();
});
