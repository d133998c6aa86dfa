import type { ReadServers } from '../store/ports/servers.ts';
import { StoreUnavailable } from '../store/ports/store-errors.ts';

/** Warns of the database that servers share, and of works without a leader. */
export async function warnOfServers(read: ReadServers | undefined): Promise<readonly string[]> {
  try {
    return (await read?.())?.warnings ?? [];
  } catch (error) {
    // The status has its own words for a database that is away.
    if (error instanceof StoreUnavailable) return [];
    throw error;
  }
}

/**
 * The servers and their database for the counters of the status page, without addresses: anyone may
 * read them. Empty where no others share the stores. Throws StoreUnavailable.
 */
export async function countServers(read: ReadServers | undefined): Promise<Readonly<Record<string, unknown>>> {
  if (read === undefined) return {};
  const { own, servers, database, leaders } = await read();
  const { address: _, ...shown } = database;
  return { own, servers: servers.map(({ host: _host, process: _process, ...one }) => one), database: shown, leaders };
}
