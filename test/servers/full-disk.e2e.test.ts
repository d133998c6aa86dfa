import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it, type TestContext } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { listReports } from '../../shared/fleet/reports/node-reports.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { openPostgresStores } from '../../shared/store/postgres/stores.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { canSharePostgres, createSmallDatabase } from '../helpers/shared-postgres.ts';

const NODE = 'web01.example.com';
const MEGABYTE = 2 ** 20;
/** An empty database takes about 10 MB. */
const DISK_BYTES = 24 * MEGABYTE;
const BALLAST_BYTES = 6 * MEGABYTE;
const MOST_REPORTS = 30;
const JSON_TYPE = 'application/json';

const folder = mkdtempSync(join(tmpdir(), 'understudy-full-'));
// PostgreSQL runs as a user of its own.
chmodSync(folder, 0o755);
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

it.skipIf(!canSharePostgres())(
  'a server over a PostgreSQL with a full disk says so, loses nothing, and goes on when there is room',
  async (context: TestContext) => {
    const small = await createSmallDatabase(folder, DISK_BYTES);
    if (small === null) return context.skip('nothing can be mounted here');
    closers.push(() => small.drop());
    const ballast = join(small.folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
    for (const name of ['values-key', 'ca-key']) writeFileSync(join(folder, name), randomBytes(32).toString('hex'));
    const stores = await openPostgresStores(small.url, { directory: folder, connections: 2, isCommand: true });
    closers.push(() => stores.close());
    const manifests = join(folder, 'control-repo/environments/production/manifests');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, 'site.pp'), "notify { $facts['colour']: }");
    await deployFolder(stores, join(folder, 'control-repo'), 'production', 'test');
    const vault = openKeyFileVault(join(folder, 'ca-key'), false);
    const settings = { name: 'localhost', autosign: true, keyType: 'ec', vault } as const;
    const authority = await CertificateAuthority.open(stores.documents, stores.clock, settings);
    const { certificate: cert, key } = await authority.generate(NODE, [], false);
    mkdirSync(join(folder, 'server'));
    const keys = ['--key-file', join(folder, 'values-key'), '--ca-key-file', join(folder, 'ca-key')];
    const flags = ['--database', small.url, '--server-name', 'localhost', '--orchestrator-port', 'off', ...keys];
    const server = await LocalProcess.start({ data: join(folder, 'server'), flags });
    closers.push(() => server.end('SIGKILL'));

    const ask = (method: string, path: string, type: string, body: string) =>
      new Promise<Answer>((resolve, reject) => {
        const headers = { 'Content-Type': type, Accept: JSON_TYPE };
        const address = { host: 'localhost', port: server.port, path: `/puppet/v3/${path}`, agent: false };
        const trust = { cert, key, ca: authority.certificatePem };
        const sent = request({ ...address, ...trust, method, headers }, (response) => {
          const { statusCode: status, headers: given } = response;
          text(response).then((all) => resolve({ status, retryAfter: given['retry-after'], body: all }), reject);
        });
        sent.on('error', reject);
        sent.end(body);
      });
    const askCatalog = (colour: string) => {
      const facts = JSON.stringify({ name: NODE, values: { colour } });
      const form = new URLSearchParams({ environment: 'production', facts_format: JSON_TYPE, facts });
      const path = `catalog/${NODE}?environment=production`;
      return ask('POST', path, 'application/x-www-form-urlencoded', form.toString());
    };
    let sent = 0;
    const sendReport = () => {
      sent += 1;
      const uuid = `00000000-0000-4000-8000-${String(sent).padStart(12, '0')}`;
      const log = {
        level: 'notice',
        message: randomBytes(MEGABYTE / 2).toString('base64'),
        source: 'Puppet',
        tags: [],
      };
      const time = new Date().toISOString();
      const report = {
        ...{ host: NODE, status: 'changed', noop: false, time, transaction_uuid: uuid, report_format: 12 },
        ...{ puppet_version: '8.10.0', environment: 'production', configuration_version: 1, metrics: {} },
        ...{ logs: [{ ...log, time, file: null, line: null }], resource_statuses: {} },
      };
      return ask('PUT', `report/${NODE}?environment=production`, JSON_TYPE, JSON.stringify(report));
    };
    expect((await askCatalog('red')).body).toContain('"red"');

    let accepted = 0;
    let refused: Answer | null = null;
    while (refused === null && sent < MOST_REPORTS) {
      const answer = await sendReport();
      if (answer.status === 200) accepted += 1;
      else refused = answer;
    }
    expect(refused).toMatchObject({ status: 503, retryAfter: '120' });
    expect(accepted).toBeGreaterThan(0);
    expect((await server.waitFor(/disk is full/))[0]).toMatch(/could not extend file .*: its disk is full/);
    // A catalog that is current needs no room.
    expect((await askCatalog('red')).body).toContain('"red"');

    rmSync(ballast);
    await expect.poll(async () => (await sendReport()).status).toBe(200);
    await expect.poll(async () => (await askCatalog('blue')).body).toContain('"blue"');
    const reports = await listReports(stores, { certname: NODE, limit: 2 * MOST_REPORTS });
    expect(reports.length).toBeGreaterThanOrEqual(accepted + 1);
  },
);
