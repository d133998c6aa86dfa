import { afterEach, expect, it, vi } from 'vitest';
import { DatabaseClock } from '../../../../shared/store/postgres/database-clock.ts';
import { warnOfDatabase } from '../../../../shared/store/postgres/database-state.ts';
import type { SqlConnection } from '../../../../shared/store/sql/connection.ts';
import { POSTGRES } from '../../../../shared/store/sql/dialect.ts';

afterEach(() => vi.restoreAllMocks());

/** A database whose clock is right. */
function createDatabase(): SqlConnection {
  const begun = Date.now() - performance.now();
  const unused = () => Promise.reject(new Error('not asked'));
  return {
    dialect: POSTGRES,
    get: async () => ({ now: begun + performance.now() }),
    ...{ run: unused, selectAll: unused, runInTransaction: unused, runWithoutDamaged: unused, mendAndRun: unused },
  };
}

it.each([3_600_000, -3_600_000])(
  'is that of the database on a machine that is %i ms off, which is said',
  async (off) => {
    const database = createDatabase();
    const real = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => real() + off);
    const clock = await DatabaseClock.start(database);
    expect(Math.abs(clock.now() - real())).toBeLessThan(1000);
    const { machineMs } = clock.describe();
    expect(Math.abs(machineMs - off)).toBeLessThan(1000);
    clock.stop();
    const state = {
      address: 'db',
      version: '15',
      replication: 'synchronous',
      lagBytes: 0,
      hasChecksums: true,
    } as const;
    const connections = { open: 1, idle: 1, waiting: 0 };
    expect(warnOfDatabase({ ...state, connections, clockOffsetMs: machineMs })).toEqual([
      `the clock of this machine is ${off / 1000} s off that of the database`,
    ]);
    expect(warnOfDatabase({ ...state, connections, clockOffsetMs: 12 })).toEqual([]);
  },
);
