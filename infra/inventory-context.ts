import type { Node } from 'constructs';
import { FACT_SECONDS, readBlockList } from '../shared/config/fact-settings.ts';
import { INVENTORY_DAYS, INVENTORY_FUNCTIONS, INVENTORY_QUERIES } from '../shared/config/inventory.ts';
import { SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:inventory`; README.md of this folder
 * describes each.
 */
export interface InventoryContext {
  /** Capacity units of Aurora; 0 as the least pauses it. */
  readonly capacity: { readonly min: number; readonly max: number };
  /** Minutes without a connection after which the database pauses. */
  readonly pauseMinutes: number;
  /** Seconds between two writes of facts that change at each run. */
  readonly factInterval: number;
  /** Facts that are not kept, separated by commas. */
  readonly blockedFacts: string;
  /** Days; 0 for never. */
  readonly nodeTtl: number;
  readonly nodePurgeTtl: number;
  readonly reportTtl: number;
  /** What one query may take. */
  readonly querySeconds: number;
  readonly queryRows: number;
  readonly queryMegabytes: number;
}

const KEY = 'understudy:inventory';

/** Reads and checks the context; null without it. Throws an Error that names what is wrong. */
export function inventoryContext(node: Node): InventoryContext | null {
  const given: unknown = node.tryGetContext(KEY);
  if (given === undefined || given === false || given === 'false') return null;
  const reader = new SettingsReader(KEY, given === true || given === 'true' ? {} : given);
  const capacity = reader.enter('capacity');
  const min = capacity.readNumber('min', 0, 128, 0);
  const max = capacity.readNumber('max', Math.max(1, min), 256, Math.max(4, min));
  capacity.assertAllRead();
  const { querySeconds, queryRows } = INVENTORY_FUNCTIONS;
  const { megabytes } = INVENTORY_QUERIES;
  const most = (name: string, least: number, usual: number) => reader.readNumber(name, least, usual, usual);
  const days = (name: string, usual: number) => reader.readNumber(name, 0, INVENTORY_DAYS.most, usual);
  const context = {
    capacity: { min, max },
    pauseMinutes: reader.readNumber('pauseMinutes', 5, 1440, 5),
    factInterval: reader.readNumber('factInterval', FACT_SECONDS.least, FACT_SECONDS.most, FACT_SECONDS.usual),
    blockedFacts: reader.readOptional('blockedFacts', (one, name) => one.readText(name)).blockedFacts ?? '',
    nodeTtl: days('nodeTtl', INVENTORY_DAYS.node),
    nodePurgeTtl: days('nodePurgeTtl', INVENTORY_DAYS.nodePurge),
    reportTtl: days('reportTtl', INVENTORY_DAYS.report),
    querySeconds: most('querySeconds', 1, querySeconds),
    queryRows: most('queryRows', 1, queryRows),
    queryMegabytes: reader.readNumber('queryMegabytes', megabytes.least, megabytes.most, megabytes.usual),
  };
  reader.assertAllRead();
  readBlockList(context.blockedFacts);
  return context;
}
