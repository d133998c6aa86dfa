/** Runs every six hours: deletes code, reports and bucket files whose retention has ended. */
import { readRetention } from '../shared/config/retention.ts';
import { type PruneReport, prune } from '../shared/fleet/code/prune.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

const stores = openAwsStores(process.env);
const retention = readRetention((variable) => process.env[variable]);

export async function handler(): Promise<PruneReport> {
  const report = await prune(stores, retention);
  console.info('pruned', report);
  return report;
}
