import { cacheFor } from '../../util/cache-for.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReadServers, Servers, ServersView } from '../ports/servers.ts';
import { warnOfDatabase } from './database-state.ts';

const KEPT_MS = 15_000;
/** Another server takes the place of a dead leader within this time. */
const HANDOVER_MS = 30_000;

interface Viewing {
  readonly servers: Servers;
  readonly clock: Pick<Clock, 'now'>;
  /** The name of this server. */
  readonly own: string;
  /** The works of this server that one server at a time does. */
  readonly listWorks: () => Iterable<string>;
}

/**
 * Views the servers that share a database, at most once in 15 seconds, with four small queries. It
 * warns of a work that had no leader for 30 seconds, whenever somebody looked.
 */
export function viewServers({ servers, clock, own, listWorks }: Viewing): ReadServers {
  const leaderlessSince = new Map<string, number>();
  return cacheFor(KEPT_MS, clock, async (): Promise<ServersView> => {
    const [list, database] = await Promise.all([servers.list(), servers.describeDatabase()]);
    const now = clock.now();
    const leaders = Object.fromEntries(
      [...listWorks()].sort().map((work) => {
        const leader = list.find(({ isAlive, leads }) => isAlive && leads.includes(work));
        return [work, leader?.name ?? null];
      }),
    );
    const warnings = warnOfDatabase(database).concat(
      Object.entries(leaders).flatMap(([work, leader]) => {
        if (leader !== null) leaderlessSince.delete(work);
        else if (!leaderlessSince.has(work)) leaderlessSince.set(work, now);
        const waitedMs = now - (leaderlessSince.get(work) ?? now);
        if (waitedMs < HANDOVER_MS) return [];
        return [`no server has led the work '${work}' for ${Math.round(waitedMs / 1000)} s`];
      }),
    );
    return { own, servers: list, database, leaders, warnings };
  });
}
