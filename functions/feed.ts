/**
 * Runs every minute: completes interrupted deploys, queues lost jobs again, and fills the
 * background queue.
 */
import { MEASURES } from '../shared/config/metrics.ts';
import { RING_VARIABLE, readRingHours } from '../shared/config/ring.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { DEFAULT_RING, type FeedReport, feed } from '../shared/fleet/compiles/ring.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

const stores = openAwsStores(process.env);
const turnMs = readRingHours(process.env[RING_VARIABLE]) * 3600_000;

export async function handler(): Promise<FeedReport> {
  const report = await feed(stores, { ...DEFAULT_RING, turnMs });
  console.info('ring fed', report);
  process.stdout.write(
    metricLine({ [MEASURES.ringLag.cloudWatch]: Math.round(report.lagMs / 1000) }, stores.clock.now()),
  );
  return report;
}
