/** What an operator must set so that peaks are served: from the figures of the bill. */
import type { Fleet } from './bill.ts';
import type { MeasuredUse } from './use.ts';
import { CONTAINER, INDEX_WRITES, WORK } from './work.ts';

/** Units a second that DynamoDB gives a partition, and a new table on demand. */
const TABLE = { partitionReads: 3000, partitionWrites: 1000, newReads: 12_000, newWrites: 4000 } as const;
/** Shards of what all runs of a fleet write. */
const RUN_SHARDS = 16;
/** Agents that run by cron begin within this time of minute 0 and 30. */
const HERD_SECONDS = 60;
/** A fleet's catalogs are to be compiled this long after a deploy. */
const DEPLOY_SECONDS = 15 * 60;
/** The share of a container's CPU from which on it sheds requests. */
const FULL_SHARE = 0.9;
/** Held requests of one container. */
const MOST_HELD = 4000;

/** A figure of a peak, and the setting that follows; null where none does. */
export interface CapacityRow {
  readonly peak: string;
  readonly value: number;
  readonly unit: string;
  readonly setting: string | null;
}

/** Peaks of a fleet: all agents at minute 0 and 30, and a deploy that changes all nodes at noon. */
export function planCapacity({ nodes, interval }: Fleet, use: MeasuredUse): readonly CapacityRow[] {
  const runsASecond = nodes / HERD_SECONDS;
  const spread = nodes / (interval * 60);
  const containers = (runs: number, share: number) =>
    Math.max(CONTAINER.least, Math.ceil((runs * WORK.run.cpuSeconds) / (CONTAINER.cpu * share)));
  const runWrites = runsASecond * use.run.writeUnits;
  const jobs = nodes / DEPLOY_SECONDS;
  const jobWrites = jobs * (use.deploy.writeUnits + use.deploy.nodeWrites * INDEX_WRITES.job);
  const reads = Math.max(runsASecond * use.run.readUnits, jobs * use.deploy.readUnits);
  const writes = Math.max(runWrites, jobWrites);
  const expressJobs = Math.ceil(jobs * WORK.compile.seconds);
  const atOnce = containers(runsASecond, FULL_SHARE);
  return [
    row(
      'runs, spread over the interval',
      spread,
      'a second',
      `containers.max >= ${containers(spread, CONTAINER.busyShare)}`,
    ),
    row('runs, all within a minute', runsASecond, 'a second', `containers.max >= ${atOnce}, or agents come again`),
    row('runs that are held or shed with as many containers', Math.max(0, nodes - atOnce * MOST_HELD), 'runs', null),
    row('writes to a shard of unchanged runs', runWrites / RUN_SHARDS, `of ${TABLE.partitionWrites} a second`, null),
    row('reads of the tables', reads, 'units a second', warm('reads', reads, TABLE.newReads)),
    row('writes to the tables', writes, 'units a second', warm('writes', writes, TABLE.newWrites)),
    row('compiles after a deploy for all', jobs, 'a second', `expressConcurrency >= ${expressJobs}`),
    row('partitions that the reads need', Math.ceil(reads / TABLE.partitionReads), 'partitions', null),
  ];
}

function row(peak: string, value: number, unit: string, setting: string | null): CapacityRow {
  return { peak, value, unit, setting };
}

/** Tables are warm for what new ones have. */
function warm(name: string, units: number, usual: number): string | null {
  return units <= usual ? null : `warmThroughput.${name} >= ${Math.ceil(units)}`;
}
