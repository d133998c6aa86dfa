/**
 * Runs every hour: deletes what the inventory keeps no longer, applies commands that wait, and
 * continues the day's pass over all nodes. The event `{"pass": true}` requests one.
 */
import type { Context } from 'aws-lambda';
import { INVENTORY_FUNCTIONS, INVENTORY_VARIABLES } from '../shared/config/inventory.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { readFactKeeping } from '../shared/config/read-setting.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { APPLY_NEXT } from '../shared/inventory/commands/apply-next.ts';
import { maintainInventory } from '../shared/inventory/commands/maintenance.ts';
import { InventoryFeed } from '../shared/inventory/feed/inventory-feed.ts';
import { continueScheduledPass, requestPass } from '../shared/inventory/feed/scheduled-pass.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { invalidateForAnswers, readIdleMs, readInventoryRetention, withInventory } from './inventory-database.ts';

const stores = openAwsStores(process.env);

export async function handler(
  event: { readonly pass?: boolean } | null,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<{ readonly commands: number; readonly isPassComplete: boolean; readonly nodesBrought: number }> {
  const { clock, documents } = stores;
  const blockedFacts = readFactKeeping(process.env)?.blocked ?? [];
  return withInventory(async (database, identity) => {
    const retention = readInventoryRetention();
    const hasTime = () => context.getRemainingTimeInMillis() > INVENTORY_FUNCTIONS.passSeconds * 1000;
    await maintainInventory(database, retention, clock.now());
    let commands = 0;
    while (hasTime() && (await database.perform(APPLY_NEXT, { now: clock.now(), blockedFacts })) !== null)
      commands += 1;
    // For changes that were sent as commands, and for those that the feed left.
    await invalidateForAnswers(database, stores);
    const producer = process.env[INVENTORY_VARIABLES.producer] ?? 'puppet';
    const onTrouble = (message: string) => console.warn(message);
    const options = { stores, database, identity, producer, idleMs: readIdleMs(), blockedFacts, onTrouble };
    const feed = new InventoryFeed(options);
    if (event?.pass === true) await requestPass(documents, feed);
    const isPassComplete = await continueScheduledPass(stores, feed, hasTime);
    const { nodesBrought } = feed;
    process.stdout.write(metricLine({ [MEASURES.inventoryNodesBrought.cloudWatch]: nodesBrought }, clock.now()));
    return { commands, isPassComplete, nodesBrought };
  });
}
