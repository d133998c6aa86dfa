/**
 * Runs every six hours: deletes reports and bucket files whose retention has ended, and once a day
 * code. A lease keeps it single; while another one runs, the answer is null.
 */
import type { Context } from 'aws-lambda';
import { readSettings } from '../shared/config/read-setting.ts';
import { type PruneReport, prune } from '../shared/fleet/code/prune.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { runAlone } from '../shared/store/run-alone.ts';

const stores = openAwsStores(process.env);
const retention = readSettings(['keepHistory', 'keepCode', 'keepReports', 'keepBucket'], process.env);

export async function handler(
  _: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<PruneReport | null> {
  const report = await runAlone(stores, 'prune', context.getRemainingTimeInMillis(), () =>
    prune(stores, retention, true),
  );
  console.info('pruned', report);
  return report;
}
