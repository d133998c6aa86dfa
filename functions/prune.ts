/** Every six hours: takes away code, reports and bucket files that were kept long enough. */
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
