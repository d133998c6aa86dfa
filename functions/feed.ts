/**
 * Runs every minute: completes interrupted deploys, queues lost jobs again, and fills the
 * background queue.
 */
import { MEASURES } from '../shared/config/metrics.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { type FeedReport, feed } from '../shared/fleet/compiles/ring.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

const stores = openAwsStores(process.env);

export async function handler(): Promise<FeedReport> {
  const report = await feed(stores);
  console.info('ring fed', report);
  process.stdout.write(
    metricLine({ [MEASURES.ringLag.cloudWatch]: Math.round(report.lagMs / 1000) }, stores.clock.now()),
  );
  return report;
}
