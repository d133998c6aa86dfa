import { listReportsWithin } from '../../fleet/reports/node-reports.ts';
import { type RunChanges, readStoredChanges } from '../../fleet/reports/run-changes.ts';
import { allNodes } from '../../store/list-pages.ts';
import type { StoredDocument } from '../../store/ports/document-store.ts';
import type { JobRecord } from '../../store/ports/job-records.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { readTargets } from './load-job.ts';

/** Usage of a day, in UTC. */
interface DailyUsage {
  /** `2026-11-22` */
  readonly date: string;
  readonly nodes: number;
  /** Resources that Puppet runs changed. */
  readonly changes: RunChanges;
  readonly taskNodes: number;
  readonly planNodes: number;
}

const COLLECTION = 'orchestrator-usage';
const PAGE = 500;
const MOST_DAYS = 1000;
const NO_CHANGES: RunChanges = { corrective: 0, intentional: 0 };

/** The date of a time. */
export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

type UsageStores = Pick<Stores, 'nodes' | 'jobs' | 'blobs' | 'documents' | 'clock'>;

/**
 * Counts what was used on each day of a span, as far as it is known: nodes since they are counted,
 * jobs and reports for as long as they are kept.
 */
export async function countUsage(stores: UsageStores, from: number, to: number): Promise<readonly DailyUsage[]> {
  await noteNodes(stores);
  const stored = await stores.documents.list(COLLECTION, '', MOST_DAYS, dateOf(from - DAY_MS));
  const kept = new Map(stored.map(({ key, document }) => [key, document]));
  const changes = await countChanges(stores, kept, from, to);
  const affected = await findAffected(stores, from, to);
  const dates = [...new Set([...kept.keys(), ...affected.keys(), ...changes.keys()])]
    .filter((date) => date <= dateOf(to))
    .sort();
  return dates.map((date) => ({
    date,
    nodes: Number(kept.get(date)?.nodes ?? 0),
    changes: changes.get(date) ?? NO_CHANGES,
    taskNodes: affected.get(date)?.task.size ?? 0,
    planNodes: affected.get(date)?.plan.size ?? 0,
  }));
}

/** Notes how many nodes there are today. */
async function noteNodes({ nodes, documents, clock }: UsageStores): Promise<void> {
  let count = 0;
  for await (const page of allNodes(nodes)) count += page.length;
  await documents.put(COLLECTION, dateOf(clock.now()), { nodes: count });
}

interface AffectedNodes {
  readonly task: Set<string>;
  readonly plan: Set<string>;
}

async function findAffected(
  { jobs, blobs }: UsageStores,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, AffectedNodes>> {
  const affected = new Map<string, AffectedNodes>();
  for await (const job of listTaskJobs({ jobs })) {
    const date = dateOf(job.createdAt);
    if (job.createdAt < from || date > dateOf(to)) continue;
    const sets = affected.get(date) ?? { task: new Set(), plan: new Set() };
    affected.set(date, sets);
    for (const name of (await readTargets(blobs, job))?.names ?? []) {
      sets[job.command === 'task' ? 'task' : 'plan'].add(name);
    }
  }
  return affected;
}

/** Changes by day; the sums of days that are over are stored, and not counted again. */
async function countChanges(
  { documents, clock }: UsageStores,
  kept: ReadonlyMap<string, StoredDocument>,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, RunChanges>> {
  const today = dateOf(clock.now());
  const known = new Map<string, RunChanges>();
  for (const [date, { changes }] of kept) {
    const sums = readStoredChanges(changes);
    if (sums !== null && date < today) known.set(date, sums);
  }
  const counted = await sumChanges({ documents }, skipKnown(known, from), Math.min(to, clock.now()));
  for (const [date, { nodes }] of kept) {
    const isOver = date < today && date >= dateOf(from) && date <= dateOf(to) && !known.has(date);
    if (isOver) await documents.put(COLLECTION, date, { nodes, changes: counted.get(date) ?? NO_CHANGES });
  }
  return new Map([...counted, ...known]);
}

/** The first day of a span whose sums are not known. */
function skipKnown(known: ReadonlyMap<string, RunChanges>, from: number): number {
  let day = from;
  while (known.has(dateOf(day))) day += DAY_MS;
  return day;
}

async function sumChanges(
  stores: Pick<UsageStores, 'documents'>,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, RunChanges>> {
  const sums = new Map<string, RunChanges>();
  for (const status of ['changed', 'failed'] as const) {
    const span = { from, before: Date.parse(dateOf(to)) + DAY_MS };
    for await (const { receivedAt, changes } of listReportsWithin(stores, status, span)) {
      if (changes === undefined) continue;
      const date = dateOf(receivedAt);
      const { corrective, intentional } = sums.get(date) ?? NO_CHANGES;
      sums.set(date, {
        corrective: corrective + changes.corrective,
        intentional: intentional + changes.intentional,
      });
    }
  }
  return sums;
}

async function* listTaskJobs({ jobs }: Pick<Stores, 'jobs'>): AsyncGenerator<JobRecord> {
  let after = 0;
  for (;;) {
    const page = await jobs.list('job', after, PAGE);
    for (const { body } of page) if (body.command !== 'deploy') yield body;
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE) return;
  }
}
