import type { ServersView } from '../../shared/store/ports/servers.ts';

const NOON = Date.UTC(2026, 10, 29, 12);

/** Two servers over a database with an asynchronous standby, and a third that died. */
export const TWO_SERVERS: ServersView = {
  own: 'one-1a2b3c4d',
  servers: [
    describeServer('one', '1a2b3c4d', ['feed', 'prune']),
    describeServer('two', '5e6f7a8b', ['stages']),
    { ...describeServer('three', '9c0d1e2f', []), seenAt: NOON - 600_000, isAlive: false },
  ],
  database: {
    address: 'postgresql://understudy@db1,db2/fleet',
    version: '15.4',
    replication: 'asynchronous',
    lagBytes: 4096,
    hasChecksums: true,
    clockOffsetMs: -250,
    connections: { open: 4, idle: 3, waiting: 1 },
  },
  leaders: { feed: 'one-1a2b3c4d', inventory: null, prune: 'one-1a2b3c4d', stages: 'two-5e6f7a8b' },
  warnings: ['the database replicates asynchronously', "no server has led the work 'inventory' for 45 s"],
};

function describeServer(host: string, chance: string, leads: readonly string[]) {
  const name = `${host}-${chance}`;
  return {
    ...{ name, host, release: '0.1.0', process: 4711, startedAt: NOON - 3600_000, seenAt: NOON },
    ...{ isAlive: true, leads },
  };
}
