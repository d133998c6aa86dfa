import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { openPostgresStores, type PostgresStores } from '../../shared/store/postgres/stores.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { canSharePostgres, createTestDatabase } from '../helpers/shared-postgres.ts';
import { EditableControlRepo } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-side-by-side-'));
const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
const a = new PuppetAgent('a.example.com');
const slow = new PuppetAgent('slow.example.com');
const FACTS = { tier: 'silver', web_port: '8080' };
let url: string;
let stores: PostgresStores;
const servers = new Map<string, LocalProcess>();

async function start(name: string): Promise<LocalProcess> {
  const data = join(folder, name);
  mkdirSync(data);
  const shared = ['--database', url, '--server-name', 'puppet', '--key-file', join(folder, 'values-key')];
  const flags = ['--ruby', 'process', '--ca-key-file', join(folder, 'ca-key'), ...shared];
  const server = await LocalProcess.start({ data, flags });
  servers.set(name, server);
  return server;
}

const counts = async (certname: string) => {
  const { compiles, wanted } = (await stores.nodes.get(certname)) ?? {};
  return { compiles, wanted };
};

/** The names of our servers, by the numbers of their processes. */
const nameOf = (pid: number) => [...servers].find(([, server]) => server.pid === pid)?.[0];

describe.skipIf(!hasPuppet() || !canSharePostgres())('servers side by side over one database', () => {
  beforeAll(async () => {
    url = await createTestDatabase();
    for (const name of ['values-key', 'ca-key']) {
      writeFileSync(join(folder, name), randomBytes(32).toString('hex'), { mode: 0o600 });
    }
    stores = await openPostgresStores(url, { directory: folder, connections: 2, isCommand: true });
    await CertificateAuthority.open(stores.documents, stores.clock, { name: 'e2e', autosign: true, keyBits: 2048 });
    await deployFolder(stores, controlRepo.directory, 'production', 'test');
    await Promise.all([start('one'), start('two')]);
  });
  afterAll(async () => {
    await Promise.all([...servers.values()].map((server) => server.end('SIGKILL')));
    await stores?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const portOf = (name: string) => servers.get(name)?.port ?? 0;

  it('serve an agent with one certificate and one catalog, whichever it asks', async () => {
    const first = await a.run(portOf('one'), FACTS);
    expect(first.output).toContain('Downloaded certificate for a.example.com from https://localhost:');
    expect(first.output).toContain('Notice: flavour: vanilla');
    const second = await a.run(portOf('two'), FACTS);
    expect(second.output).not.toContain('Error: Could not');
    expect(second.output).toContain('Notice: flavour: vanilla');
    expect(await counts(a.certname)).toEqual({ compiles: 1, wanted: 1 });
  });

  it('know each other, and one of them does what one does alone', async () => {
    const list = async () =>
      (await stores.servers.list()).map(({ process: pid, isAlive }) => [nameOf(pid), isAlive] as const);
    expect(new Map(await list())).toEqual(
      new Map([
        ['one', true],
        ['two', true],
      ]),
    );
    const works = (await stores.servers.list()).flatMap(({ leads }) => leads).sort();
    expect(works).toEqual(['feed', 'prune', 'stages']);
  });

  it('take over the compile of one that is killed, and all that it did alone', async () => {
    const cut = slow.run(portOf('one'), { ...FACTS, seconds: '6' });
    const findReceiver = async () => {
      const row = await stores.database.get('SELECT receiver FROM jobs WHERE receipt IS NOT NULL');
      return (
        (await stores.servers.list()).find(({ name }) => String(row?.receiver).startsWith(`${name}/`))?.process ?? null
      );
    };
    await expect.poll(findReceiver, { interval: 100 }).not.toBeNull();
    const victim = nameOf((await findReceiver()) ?? 0) ?? '';
    await servers.get(victim)?.end('SIGKILL');
    await cut;
    const survivor = victim === 'one' ? 'two' : 'one';
    const again = await slow.run(portOf(survivor), { ...FACTS, seconds: '6' });
    expect(again.output).toContain('Notice: waited for 6 seconds');
    expect(await counts(slow.certname)).toEqual({ compiles: 1, wanted: 1 });
    const findLeaders = async () =>
      (await stores.servers.list()).map(({ process: pid, isAlive, leads }) => [nameOf(pid), isAlive, leads.length]);
    await expect
      .poll(async () => new Map((await findLeaders()).map(([name, ...rest]) => [name, rest])), { interval: 500 })
      .toEqual(
        new Map([
          [victim, [false, 0]],
          [survivor, [true, 3]],
        ]),
      );
    servers.delete(victim);
  });

  it('let one end in order, of which nothing is left', async () => {
    const [[name = '', server] = []] = servers;
    expect(await server?.end('SIGTERM')).toBe(0);
    servers.delete(name);
    expect((await stores.servers.list()).filter(({ isAlive }) => isAlive)).toEqual([]);
  });
});
