import { Gauge, type Registry } from 'prom-client';
import { MEASURES } from '../../config/metrics.ts';
import type { ReadServers, ServersView } from '../../store/ports/servers.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { toMetric } from '../server-metrics.ts';

type Labels = Readonly<Record<string, string>>;

/** The values of a metric, each with its labels. */
type ReadValues = (view: ServersView) => readonly (readonly [Labels, number])[];

/**
 * Shows the servers that share a database, and the database; `read` is called at each scrape. While
 * the database is unavailable, none of these metrics has a value.
 */
export function showServers(registry: Registry, read: ReadServers): void {
  showGauge('servers', ({ servers }) => {
    const alive = servers.filter(({ isAlive }) => isAlive).length;
    return byState({ alive, dead: servers.length - alive });
  });
  showGauge('leads', ({ own, leaders }) =>
    Object.entries(leaders).map(([work, leader]) => [{ work }, Number(leader === own)]),
  );
  showGauge('databaseLag', ({ database: { lagBytes } }) => (lagBytes === null ? [] : [[{}, lagBytes]]));
  showGauge('databaseSynchronous', ({ database: { replication } }) =>
    replication === 'unknown' ? [] : [[{}, Number(replication === 'synchronous')]],
  );
  showGauge('databaseClockOffset', ({ database }) => [[{}, database.clockOffsetMs / 1000]]);
  showGauge('databaseConnections', ({ database }) => byState(database.connections));

  function showGauge(
    measure: 'servers' | 'leads' | `database${'Lag' | 'Synchronous' | 'ClockOffset' | 'Connections'}`,
    readValues: ReadValues,
  ): void {
    const { labels } = MEASURES[measure];
    new Gauge<string>({
      ...toMetric<string>(MEASURES[measure]),
      registers: [registry],
      async collect() {
        const view = await read().catch((error: unknown) => {
          if (error instanceof StoreUnavailable) return null;
          throw error;
        });
        this.reset();
        // Without labels, it would be 0 now.
        if (labels.length === 0) this.remove();
        for (const [of, value] of view === null ? [] : readValues(view)) this.set(of, value);
      },
    });
  }
}

function byState(counts: Readonly<Record<string, number>>): readonly (readonly [Labels, number])[] {
  return Object.entries(counts).map(([state, count]) => [{ state }, count]);
}
