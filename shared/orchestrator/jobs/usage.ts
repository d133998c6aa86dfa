import { allNodes } from '../../store/all-nodes.ts';
import type { JobRecord } from '../../store/ports/job-records.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { readTargets } from './load-job.ts';

/** What was used on a day, in UTC. */
export interface DailyUsage {
  /** `2026-11-22` */
  readonly date: string;
  readonly nodes: number;
  readonly taskNodes: number;
  readonly planNodes: number;
}

const COLLECTION = 'orchestrator-usage';
const DAY_MS = 24 * 3600_000;
const PAGE = 500;

/** The date of a time. */
export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Counts what was used on each day of a span, as far as it is known: nodes since they are counted,
 * jobs for as long as they are kept.
 */
export async function countUsage(
  { nodes, jobs, blobs, documents, clock }: Pick<Stores, 'nodes' | 'jobs' | 'blobs' | 'documents' | 'clock'>,
  from: number,
  to: number,
): Promise<readonly DailyUsage[]> {
  const today = dateOf(clock.now());
  let count = 0;
  for await (const page of allNodes(nodes)) count += page.length;
  await documents.put(COLLECTION, today, { nodes: count });
  const stored = await documents.list(COLLECTION, '', 1000, dateOf(from - DAY_MS));
  const counted = new Map(stored.map(({ key, document }) => [key, Number(document.nodes)]));
  const affected = new Map<string, { readonly task: Set<string>; readonly plan: Set<string> }>();
  for await (const job of listTaskJobs({ jobs })) {
    const date = dateOf(job.createdAt);
    if (job.createdAt < from || date > dateOf(to)) continue;
    const sets = affected.get(date) ?? { task: new Set(), plan: new Set() };
    affected.set(date, sets);
    for (const name of (await readTargets(blobs, job))?.names ?? []) {
      sets[job.command === 'task' ? 'task' : 'plan'].add(name);
    }
  }
  const dates = [...new Set([...counted.keys(), ...affected.keys()])].filter((date) => date <= dateOf(to)).sort();
  return dates.map((date) => ({
    date,
    nodes: counted.get(date) ?? 0,
    taskNodes: affected.get(date)?.task.size ?? 0,
    planNodes: affected.get(date)?.plan.size ?? 0,
  }));
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
