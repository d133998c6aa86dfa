import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasPostgres } from '../helpers/real-postgres.ts';
import { hasBalancer } from './balancer.ts';
import { runServers } from './run-servers.ts';

it.skipIf(!hasPostgres() || !hasBalancer())(
  'servers behind a balancer lose nothing when one of them, or the primary of their database, is killed',
  async () => {
    const { violations, figures, disturbances, certificates } = await runServers({
      ...{
        seed: 7,
        servers: 2,
        nodes: 24,
        realAgents: 0,
        disturbances: 3,
        until: Number.POSITIVE_INFINITY,
        parent: tmpdir(),
      },
      logFile: join(tmpdir(), 'understudy-servers-test.log'),
    });
    expect(violations).toEqual([]);
    expect(Object.keys(disturbances)).toHaveLength(3);
    expect(figures.catalogsAtRest).toBe(48);
    expect(certificates).toBeGreaterThan(0);
  },
);
