import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, type TestContext } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { listReports } from '../../shared/fleet/reports/node-reports.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { openPostgresStores } from '../../shared/store/postgres/stores.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { canSharePostgres, createSmallDatabase } from '../helpers/shared-postgres.ts';
import { SmallLogPostgres } from './small-log-postgres.ts';

const NODE = 'web01.example.com';
const MEGABYTE = 2 ** 20;
/** An empty database takes about 10 MB. */
const DISK_BYTES = 24 * MEGABYTE;
const BALLAST_BYTES = 6 * MEGABYTE;
/** The log is full after a few reports. */
const LOG_BYTES = 32 * MEGABYTE;
const LEFT_BYTES = 4 * MEGABYTE;
const MOST_REPORTS = 30;
const JSON_TYPE = 'application/json';

let folder: string;
let closers: (() => unknown)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-full-'));
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  closers = [];
});

afterEach(async () => {
  for (const close of closers.toReversed()) await close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** A server over a database, and a node that asks it. */
class Site {
  readonly #certificate: Awaited<ReturnType<CertificateAuthority['generate']>>;
  readonly #trusted: string;
  readonly server: LocalProcess;
  /** Reports that were sent. */
  sent = 0;
  /** Reports that were accepted. */
  accepted = 0;

  private constructor(
    server: LocalProcess,
    certificate: Awaited<ReturnType<CertificateAuthority['generate']>>,
    trusted: string,
  ) {
    this.server = server;
    this.#certificate = certificate;
    this.#trusted = trusted;
  }

  static async open(url: string): Promise<Site> {
    for (const name of ['values-key', 'ca-key']) writeFileSync(join(folder, name), randomBytes(32).toString('hex'));
    const stores = await openPostgresStores(url, { directory: folder, connections: 2, isCommand: true });
    const manifests = join(folder, 'control-repo/environments/production/manifests');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, 'site.pp'), "notify { $facts['colour']: }");
    await deployFolder(stores, join(folder, 'control-repo'), 'production', 'test');
    const vault = openKeyFileVault(join(folder, 'ca-key'), false);
    const settings = { name: 'localhost', autosign: true, keyType: 'ec', vault } as const;
    const authority = await CertificateAuthority.open(stores.documents, stores.clock, settings);
    const certificate = await authority.generate(NODE, [], false);
    await stores.close();
    mkdirSync(join(folder, 'server'));
    const keys = ['--key-file', join(folder, 'values-key'), '--ca-key-file', join(folder, 'ca-key')];
    const flags = ['--database', url, '--server-name', 'localhost', '--orchestrator-port', 'off', ...keys];
    const server = await LocalProcess.start({ data: join(folder, 'server'), flags });
    closers.push(() => server.end('SIGKILL'));
    return new Site(server, certificate, authority.certificatePem);
  }

  askCatalog(colour: string): Promise<Answer> {
    const facts = JSON.stringify({ name: NODE, values: { colour } });
    const form = new URLSearchParams({ environment: 'production', facts_format: JSON_TYPE, facts });
    const path = `catalog/${NODE}?environment=production`;
    return this.#ask('POST', path, 'application/x-www-form-urlencoded', form.toString());
  }

  async sendReport(): Promise<Answer> {
    this.sent += 1;
    const uuid = `00000000-0000-4000-8000-${String(this.sent).padStart(12, '0')}`;
    const message = randomBytes(MEGABYTE / 2).toString('base64');
    const time = new Date().toISOString();
    const report = {
      ...{ host: NODE, status: 'changed', noop: false, time, transaction_uuid: uuid, report_format: 12 },
      ...{ puppet_version: '8.10.0', environment: 'production', configuration_version: 1, metrics: {} },
      logs: [{ level: 'notice', message, source: 'Puppet', tags: [], time, file: null, line: null }],
      resource_statuses: {},
    };
    const answer = await this.#ask('PUT', `report/${NODE}?environment=production`, JSON_TYPE, JSON.stringify(report));
    if (answer.status === 200) this.accepted += 1;
    return answer;
  }

  /** Sends reports until one is refused. */
  async fill(): Promise<Answer | null> {
    while (this.sent < MOST_REPORTS) {
      const answer = await this.sendReport();
      if (answer.status !== 200) return answer;
    }
    return null;
  }

  #ask(method: string, path: string, type: string, body: string): Promise<Answer> {
    const { certificate: cert, key } = this.#certificate;
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': type, Accept: JSON_TYPE };
      const address = { host: 'localhost', port: this.server.port, path: `/puppet/v3/${path}`, agent: false };
      const sent = request({ ...address, cert, key, ca: this.#trusted, method, headers }, (response) => {
        const { statusCode: status, headers: given } = response;
        text(response).then((all) => resolve({ status, retryAfter: given['retry-after'], body: all }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** Waits until the site takes reports and compiles again, and looks for what it acknowledged. */
async function expectToGoOn(site: Site, url: string): Promise<void> {
  await expect.poll(async () => (await site.sendReport()).status).toBe(200);
  await expect.poll(async () => (await site.askCatalog('blue')).body).toContain('"blue"');
  const stores = await openPostgresStores(url, { directory: folder, connections: 2, isCommand: true });
  closers.push(() => stores.close());
  const reports = await listReports(stores, { certname: NODE, limit: 1000 });
  expect(reports.length).toBeGreaterThanOrEqual(site.accepted);
}

it.skipIf(!canSharePostgres())(
  'a server over a PostgreSQL with a full disk says so, loses nothing, and goes on when there is room',
  async (context: TestContext) => {
    const small = await createSmallDatabase(folder, DISK_BYTES);
    if (small === null) return context.skip('nothing can be mounted here');
    closers.push(() => small.drop());
    const ballast = join(small.folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
    const site = await Site.open(small.url);
    expect((await site.askCatalog('red')).body).toContain('"red"');

    expect(await site.fill()).toMatchObject({ status: 503, retryAfter: '120' });
    expect(site.accepted).toBeGreaterThan(0);
    expect((await site.server.waitFor(/disk is full/))[0]).toMatch(/could not extend file .*: its disk is full/);
    // A catalog that is current needs no room.
    expect((await site.askCatalog('red')).body).toContain('"red"');

    rmSync(ballast);
    await expectToGoOn(site, small.url);
  },
);

it.skipIf(!canSharePostgres())(
  'a server over a PostgreSQL whose log has a full disk waits for it, loses nothing, and goes on',
  async (context: TestContext) => {
    const postgres = await SmallLogPostgres.start(folder, LOG_BYTES);
    if (postgres === null) return context.skip('nothing can be mounted here');
    closers.push(() => postgres.stop());
    const site = await Site.open(postgres.url);
    expect((await site.askCatalog('red')).body).toContain('"red"');
    const ballast = join(postgres.folder, 'ballast');
    const { bavail, bsize } = statfsSync(postgres.folder);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - LEFT_BYTES));

    // PostgreSQL panics, and cannot recover while it has no room.
    expect(await site.fill()).toMatchObject({ status: 503 });
    expect(site.accepted).toBeGreaterThan(0);
    await expect.poll(() => postgres.runs()).toBe(false);
    expect(await site.askCatalog('red')).toMatchObject({ status: 503 });

    rmSync(ballast);
    postgres.begin();
    await expectToGoOn(site, postgres.url);
  },
);
