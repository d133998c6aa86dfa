import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { showServers } from '../../../shared/http/operator/servers-metrics.ts';
import type { ReadServers } from '../../../shared/store/ports/servers.ts';
import { StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import { TWO_SERVERS } from '../../helpers/two-servers.ts';

async function scrape(registry: Registry): Promise<readonly string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

it('shows servers, what this one leads, and the database, and nothing while it is away', async () => {
  const registry = new Registry();
  let read: ReadServers = async () => TWO_SERVERS;
  showServers(registry, () => read());
  const shown = [
    'understudy_servers{state="alive"} 2',
    'understudy_servers{state="dead"} 1',
    'understudy_leads{work="feed"} 1',
    'understudy_leads{work="inventory"} 0',
    'understudy_leads{work="prune"} 1',
    'understudy_leads{work="stages"} 0',
    'understudy_database_lag_bytes 4096',
    'understudy_database_synchronous 0',
    'understudy_database_clock_offset_seconds -0.25',
    'understudy_database_connections{state="open"} 4',
    'understudy_database_connections{state="idle"} 3',
    'understudy_database_connections{state="waiting"} 1',
  ];
  expect(await scrape(registry)).toEqual(shown);
  read = () => Promise.reject(new StoreUnavailable('the database'));
  expect(await scrape(registry)).toEqual([]);
  const database = { ...TWO_SERVERS.database, replication: 'synchronous', lagBytes: null } as const;
  read = async () => ({ ...TWO_SERVERS, database });
  const changed = shown.filter((line) => !line.includes('_lag_'));
  expect(await scrape(registry)).toEqual(changed.map((line) => line.replace('_synchronous 0', '_synchronous 1')));
  read = async () => ({ ...TWO_SERVERS, database: { ...database, replication: 'unknown' } });
  expect(await scrape(registry)).toEqual(changed.filter((line) => !line.includes('_synchronous')));
});
