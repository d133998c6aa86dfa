import type { SettingValues } from '../config/settings.ts';
import { DAY_MS } from '../util/day.ts';
import type { InventoryRetention } from './commands/maintenance.ts';
import type { ReadLimits } from './database/inventory-database.ts';

/** The limits of one query of the API. */
export function queryLimitsOf({
  puppetdbQueryTime,
  puppetdbQueryRows,
  puppetdbQueryMemory,
}: Pick<SettingValues, 'puppetdbQueryTime' | 'puppetdbQueryRows' | 'puppetdbQueryMemory'>): ReadLimits {
  return { timeMs: puppetdbQueryTime * 1000, rows: puppetdbQueryRows, megabytes: puppetdbQueryMemory };
}

/** The retention of nodes and reports. */
export function inventoryRetentionOf({
  puppetdbNodeTtl,
  puppetdbNodePurgeTtl,
  puppetdbReportTtl,
}: Pick<SettingValues, 'puppetdbNodeTtl' | 'puppetdbNodePurgeTtl' | 'puppetdbReportTtl'>): InventoryRetention {
  const span = (days: number) => (days === 0 ? null : days * DAY_MS);
  return { nodeMs: span(puppetdbNodeTtl), purgeMs: span(puppetdbNodePurgeTtl), reportMs: span(puppetdbReportTtl) };
}
