import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { CONNECTIONS } from '../../shared/config/connections.ts';
import { type EdgeServer, startEdgeServer } from '../../shared/http/listener/edge-server.ts';
import { createInventoryTlsApp } from '../../shared/http/operator/inventory-tls-app.ts';
import { answerInventory } from '../../shared/http/routes/inventory/inventory-app.ts';
import { systemClock } from '../../shared/store/system-clock.ts';
import { FixedAccess } from '../helpers/fixed-access.ts';
import { type InventoryWorld, openInventoryWorld } from '../helpers/inventory-world.ts';
import { MemoryDocuments } from '../helpers/memory-stores.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { makeFolderOnDisk } from '../helpers/temporary-folder.ts';
import { type PuppetRun, runPuppet } from './puppet-process.ts';

const TERMINI = '/usr/lib/ruby/vendor_ruby/puppet/util/puppetdb.rb';
const isInstalled = hasPuppet() && existsSync(TERMINI);
/** A PuppetDB without TLS that gets the same commands and queries, where one is given. */
const real = process.env.TEST_PUPPETDB;
/** New names for each run: a real PuppetDB keeps those of the last. */
const [EXPORTER, COLLECTOR, STRANGER] = ['exporter', 'collector', 'stranger'].map(
  (name) => `${name}${process.pid}.example.com`,
) as [string, string, string];

const folder = makeFolderOnDisk('termini');
const sent: { readonly address: string; readonly headers: Headers; readonly body: Uint8Array<ArrayBuffer> }[] = [];
let world: InventoryWorld;
let server: EdgeServer;
let authority: CertificateAuthority;

beforeAll(async () => {
  if (!isInstalled) return;
  world = await openInventoryWorld();
  authority = await CertificateAuthority.open(new MemoryDocuments(), systemClock, {
    name: 'termini',
    autosign: true,
    keyBits: 2048,
  });
  const app = createInventoryTlsApp({
    ...world.services,
    answer: (request) => answerInventory(request, world.services),
    access: new FixedAccess({}),
    isRevoked: async () => false,
    allowedCertnames: new Set([EXPORTER, COLLECTOR]),
    log: { logError: () => {} },
  });
  world.services.queue.start();
  server = await startEdgeServer({
    app: {
      fetch: async (request, bindings) => {
        const { pathname, search } = new URL(request.url);
        if (pathname === '/pdb/cmd/v1') {
          const body = new Uint8Array(await request.clone().arrayBuffer());
          sent.push({ address: `${pathname}${search}`, headers: new Headers(request.headers), body });
        }
        return app.fetch(request, bindings);
      },
    },
    credentials: await authority.serverCredentials('localhost', ['localhost']),
    trusted: authority.certificatePem,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    connections: CONNECTIONS.inventory,
    reportFailure: () => {},
  });
});

afterAll(async () => {
  await server?.close(0);
  await world?.services.queue.stop();
  await world?.remove();
});

/** `puppet apply` with PuppetDB's termini and report processor, as Debian packages them. */
async function apply(certname: string, manifest: string): Promise<PuppetRun> {
  const own = join(folder, certname);
  const write = (path: string, text: string) => {
    mkdirSync(join(own, path, '..'), { recursive: true });
    writeFileSync(join(own, path), text, { mode: 0o600 });
  };
  const { certificate, key } = await authority.generate(certname, [], false);
  write(`ssl/certs/${certname}.pem`, certificate);
  write(`ssl/private_keys/${certname}.pem`, key);
  write('ssl/certs/ca.pem', authority.certificatePem);
  write('etc/puppetdb.conf', `[main]\nserver_urls = https://localhost:${server.port}\n`);
  const cached = (terminus: string, cache: string) => ({ terminus, cache });
  const routes = { catalog: cached('compiler', 'puppetdb'), facts: cached('facter', 'puppetdb_apply') };
  write('etc/routes.yaml', JSON.stringify({ apply: routes }));
  write('manifest.pp', manifest);
  const flags = {
    certname,
    confdir: join(own, 'etc'),
    vardir: join(own, 'var'),
    ssldir: join(own, 'ssl'),
    storeconfigs_backend: 'puppetdb',
    reports: 'puppetdb',
    certificate_revocation: 'false',
    environmentpath: join(own, 'environments'),
    basemodulepath: join(own, 'modules'),
  };
  mkdirSync(join(own, 'environments/production'), { recursive: true });
  const settings = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const run = ['apply', '--storeconfigs', '--color', 'false', ...settings, join(own, 'manifest.pp')];
  return runPuppet(run, { HOME: own });
}

async function ask(query: string): Promise<readonly unknown[]> {
  const { text } = await world.send({ path: '/pdb/query/v4', parameters: { query } });
  return JSON.parse(text);
}

/** Waits until all commands are applied. */
async function settle(): Promise<void> {
  while ((await world.services.reader.countQueued()) !== 0) await systemClock.sleep(20);
}

const QUERIES = [
  'nodes[certname, deactivated, facts_environment, latest_report_status, latest_report_noop] {}',
  'inventory[certname, facts, trusted, environment] {}',
  'fact_contents[certname, path, value] { name ~ "^(os|kernel|trusted)$" }',
  'resources[certname, type, title, tags, exported, file, line, parameters] {}',
  'edges[certname, source_type, source_title, relationship, target_type, target_title] {}',
  'catalogs[certname, version, transaction_uuid, catalog_uuid, code_id, job_id, producer] {}',
  'reports[certname, status, noop, puppet_version, report_format, transaction_uuid, start_time, end_time, logs, metrics] {}',
  'events[certname, status, timestamp, resource_type, resource_title, property, new_value, old_value, message, file, line, containment_path, containing_class] {}',
];

/** Rows in an order of their own. Tags, and members of objects, have no order. */
function sortRows(rows: readonly unknown[]): readonly string[] {
  return rows.map((row) => JSON.stringify(sortMembers(row))).toSorted();
}

function sortMembers(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => sortMembers(item));
    return name === 'tags' || name === 'data' ? items.map((item) => JSON.stringify(item)).toSorted() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => key !== 'href');
  return Object.fromEntries(
    members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sortMembers(one, key)]),
  );
}

describe.skipIf(!isInstalled)("PuppetDB's termini", () => {
  it('store facts, catalogs and reports here, and collect exported resources', async () => {
    const target = join(folder, 'motd');
    const exporter = `file { '${target}': content => 'hello' } -> notify { 'done': } @@notify { 'from exporter': tag => 'Shared' }`;
    expect((await apply(EXPORTER, exporter)).output).toContain("defined 'message' as 'done'");
    await settle();
    const { output } = await apply(COLLECTOR, "Notify <<| tag == 'shared' |>>");
    expect(output).toContain("defined 'message' as 'from exporter'");
    await settle();
    expect(await ask('nodes[certname, latest_report_status] { order by certname }')).toEqual([
      { certname: COLLECTOR, latest_report_status: 'changed' },
      { certname: EXPORTER, latest_report_status: 'changed' },
    ]);
    expect(await ask('resources[certname, exported] { title = "from exporter" order by certname }')).toEqual([
      { certname: COLLECTOR, exported: false },
      { certname: EXPORTER, exported: true },
    ]);
    expect(await ask(`events[status, property, new_value] { resource_title = "${target}" }`)).toEqual([
      { status: 'success', property: 'ensure', new_value: 'file' },
    ]);
    expect(await ask('edges[source_title] { target_title = "done" and relationship = "before" }')).toEqual([
      { source_title: target },
    ]);
    expect(await ask('facts[certname] { name = "kernel" and value = "Linux" }')).toHaveLength(2);
  });

  it('get the refusal of PuppetDB for a certname that is not on the list', async () => {
    const { output } = await apply(STRANGER, "notify { 'x': }");
    expect(output).toContain('[403 ');
    expect(output).toContain(`The client certificate name ${STRANGER} doesn't appear in the certificate allowlist`);
    expect(await ask('nodes[certname] { certname ~ "stranger" }')).toEqual([]);
  });

  it.skipIf(real === undefined)('give a real PuppetDB what it answers as this server does', async () => {
    for (const { address, headers, body } of sent) {
      if (address.includes(STRANGER)) continue;
      const kept = ['content-type', 'content-encoding', 'accept'];
      const more = Object.fromEntries(
        kept.flatMap((name) => (headers.get(name) === null ? [] : [[name, headers.get(name) ?? '']])),
      );
      const answer = await fetch(`${real}${address}&secondsToWaitForCompletion=60`, {
        method: 'POST',
        headers: more,
        body,
      });
      expect([address, answer.status]).toEqual([address, 200]);
    }
    for (const query of QUERIES) {
      const only = query.replace('{', `{ certname in ["${EXPORTER}", "${COLLECTOR}"] and `).replace(' and }', ' }');
      const parameters = new URLSearchParams({ query: only });
      const answer = await fetch(`${real}/pdb/query/v4?${parameters}`);
      const expected: unknown = await answer.json();
      const own = await ask(only);
      expect(own.length, only).toBeGreaterThan(0);
      expect(sortRows(own), only).toEqual(sortRows(Array.isArray(expected) ? expected : []));
    }
  });
});
