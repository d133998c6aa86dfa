import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkSharedDatabase } from '../../../../shared/cli/commands/check-shared-database.ts';
import { PostgresConnection } from '../../../../shared/store/postgres/connection.ts';
import { readDatabasePlace } from '../../../../shared/store/postgres/place.ts';
import { prepareTables } from '../../../../shared/store/postgres/schema.ts';
import { canSharePostgres } from '../../../helpers/shared-postgres.ts';
import { PostgresPair } from '../../../servers/postgres-pair.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-check-'));
const SHARING = { servers: 3, databaseConnections: 16, workers: 4 };
let pair: PostgresPair;
let database: PostgresConnection;

async function find(check: string, url = pair.url) {
  return (await checkSharedDatabase(url, SHARING)).find((finding) => finding.check === check);
}

describe.skipIf(!canSharePostgres())('a database with a standby', () => {
  beforeAll(async () => {
    // PostgreSQL may run as another user.
    chmodSync(folder, 0o755);
    pair = await PostgresPair.start(join(folder, 'pair'));
    database = new PostgresConnection(readDatabasePlace(pair.url), { connections: 1, name: 'test' });
    await prepareTables(database);
  });
  afterAll(async () => {
    await database?.close();
    pair?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has nothing that must be mended while it replicates synchronously', async () => {
    await expect
      .poll(() => find('replication'))
      .toMatchObject({
        verdict: 'ok',
        text: expect.stringMatching(/^synchronous, \d+ bytes? behind$/),
      });
    const findings = await checkSharedDatabase(pair.url, SHARING);
    const slow = ['latency', 'commit'];
    const others = findings.filter(({ check, verdict }) => verdict !== 'ok' && !slow.includes(check));
    expect([findings.length, others]).toEqual([12, []]);
    expect(findings.filter(({ verdict }) => verdict === 'fails')).toEqual([]);
  });

  it('is to show its replication to the role of the servers', async () => {
    await database.run('CREATE ROLE limited LOGIN');
    const limited = pair.url.replace('understudy@', 'limited@');
    expect(await find('replication', limited)).toMatchObject({
      verdict: 'warns',
      text: 'it cannot be seen: GRANT pg_monitor to the role of the servers',
    });
    await database.run('GRANT pg_monitor TO limited');
    expect(await find('replication', limited)).toMatchObject({ verdict: 'ok' });
  });

  it('is weak while it replicates asynchronously', async () => {
    await database.run("ALTER SYSTEM SET synchronous_standby_names = ''");
    await database.run('SELECT pg_reload_conf()');
    await expect
      .poll(() => find('replication'))
      .toMatchObject({
        verdict: 'warns',
        text: expect.stringMatching(/^asynchronous, \d+ bytes? behind: the last answers are lost/),
      });
  });
});
