import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { createToken } from '../../../shared/access/tokens/deploy-tokens.ts';
import { type LocalServer, startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';
import { noteDamage } from '../../../shared/store/embedded/damage/damage-log.ts';
import { openKeyFileVault } from '../../../shared/store/embedded/key-file-vault.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { StoreRefused } from '../../../shared/store/ports/store-errors.ts';
import { deployFolder } from '../../helpers/deploy-folder.ts';

let folder: string;
let example: string;
let own: string;
/** A second opener of the data directory, as a command is. */
let stores: EmbeddedStores;
let lines: string[];
/** What the start showed of its progress. */
let steps: (string | null)[];
let server: LocalServer | null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-start-'));
  example = join(folder, 'example');
  own = join(folder, 'own');
  stores = openEmbeddedStores(join(folder, 'data'));
  await CertificateAuthority.open(stores.documents, stores.clock, { name: 'x', autosign: true, keyBits: 2048 });
  write(example, 'production', '# example');
  lines = [];
  steps = [];
  server = null;
});
afterEach(async () => {
  await server?.stop();
  stores.close();
  rmSync(folder, { recursive: true });
});

function write(repo: string, environment: string, content: string): void {
  const file = join(repo, 'environments', environment, 'manifests/site.pp');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

async function start(...args: readonly string[]): Promise<void> {
  const flags = ['--data', join(folder, 'data'), '--port', '0', '--autosign', ...args];
  server = await startLocalServer(readLocalOptions(flags, { workers: 1 }), {
    example: { directory: example, isOffered: false },
    hostname: 'localhost',
    uid: process.getuid?.() ?? 0,
    workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
    print: (printed) => lines.push(...printed.split('\n')),
    onFailure: (error) => lines.push(error.message),
    readLoad: () => 0,
    showStep: (step) => steps.push(step),
  });
}

async function deployOwn(...environments: readonly string[]): Promise<void> {
  for (const environment of environments) {
    write(own, environment, `# own ${environment}`);
    await deployFolder(stores, own, environment, 'command line');
  }
}

const here = () => ({ host: '127.0.0.1', port: server?.port, rejectUnauthorized: false });

async function upload(environment: string, body: string): Promise<string> {
  const asked = request({
    ...here(),
    method: 'PUT',
    path: `/understudy/v1/code/${environment}`,
    headers: { 'X-Authentication': 'secret' },
  });
  asked.end(body);
  const [response] = await once(asked, 'response');
  return text(response);
}

/** What is printed, from the first of these words on. */
const printed = (...words: readonly string[]) =>
  lines.flatMap((line) => words.flatMap((word) => (line.includes(word) ? [line.slice(line.indexOf(word))] : [])));

describe('a lock that a process left behind when it was killed', () => {
  it('keeps neither the port closed nor a deploy from its work', async () => {
    await deployOwn('production');
    const lock = { until: stores.clock.now() + 14 * 60_000, by: 0.5, holder: 'earlier-boot pid:[1] 1 1' };
    await stores.documents.put('code-work', 'pruning', lock);
    await stores.documents.put('code-work', 'upload-1', lock);
    write(own, 'production', '# changed');
    const before = stores.clock.now();
    await start('--control-repo', own);
    expect(steps).toEqual([
      'checking the options',
      'opening the data directory',
      'opening the certificate authority',
      'opening the ports',
      null,
    ]);
    await expect.poll(() => printed('deployed production')).toHaveLength(1);
    expect(stores.clock.now() - before).toBeLessThan(15_000);
  }, 60_000);

  it('of a command that is still at work is respected, and the server serves meanwhile', async () => {
    await deployOwn('production');
    const held = { until: stores.clock.now() + 3000, by: 0.5, holder: stores.processes?.self ?? '' };
    await stores.documents.put('code-work', 'pruning', held);
    write(own, 'production', '# changed');
    await start('--control-repo', own);
    expect(printed('deployed production')).toEqual([]);
    expect((await stores.environments.get('production'))?.by).toBe('command line');
    await expect.poll(() => printed('deployed production')).toHaveLength(1);
    expect(stores.clock.now()).toBeGreaterThanOrEqual(held.until);
  });
});

it('sends the job of a node whose reason was accepted by a process that died before it sent one', async () => {
  await deployOwn('production');
  const at = stores.clock.now();
  await stores.nodes.markSeen('web01.example.com', 'production', at);
  expect(await stores.nodes.want('web01.example.com', 'facts', at, { asked: true })).toMatchObject({ isJobDue: true });
  await start('--control-repo', own);
  await expect.poll(async () => (await stores.queue.getDepth()).express.visible).toBe(1);
});

it('refuses to start without the key file that seals the CA, and creates no other one', async () => {
  const keyFile = join(folder, 'data/ca-key-file');
  const vault = openKeyFileVault(keyFile, true);
  const record = (await stores.documents.get('ca', 'authority')) ?? {};
  await stores.documents.put('ca', 'authority', { ...record, key: await vault.seal(String(record.key)) });
  rmSync(keyFile);
  const files = () => readdirSync(join(folder, 'data')).filter((name) => name !== 'server.lock');
  const before = files();
  await expect(start()).rejects.toThrow(
    new StoreRefused(
      `the key file '${keyFile}' is missing, and the CA's key in the store is sealed with it: put it back from its backup`,
    ),
  );
  expect(files()).toEqual(before);
  expect(await stores.environments.list()).toEqual([]);
});

it('warns of damage that was found in the data directory, in the status', async () => {
  await start();
  noteDamage(join(folder, 'data'), { kind: 'row', name: "'a' of table documents" });
  const asked = request({ ...here(), path: '/status/v1/services/server' });
  asked.end();
  const [response] = await once(asked, 'response');
  expect(JSON.parse(await text(response)).active_alerts).toContainEqual({
    severity: 'warning',
    message:
      "Damage was found in the data directory: row 'a' of table documents: 'understudy verify --repair' says what is lost and heals what it can",
  });
});

describe('a start without --control-repo', () => {
  const inForce = async () => (await stores.environments.list()).map(({ name, codeId, by }) => [name, codeId, by]);

  it('leaves in force what is deployed, says so, and takes uploads', async () => {
    await deployOwn('production', 'staging');
    const before = await inForce();
    await start();
    expect(printed('No --control-repo', 'deployed', 'removed').slice(0, 1)).toEqual([
      'No --control-repo is given: the deployed environments stay in force (production, staging)',
    ]);
    await stores.clock.sleep(1500);
    expect(await inForce()).toEqual(before);
    expect(lines.join('\n')).not.toMatch(/deployed production|removed staging/);
    await createToken(stores, 'secret', 'pipeline', null);
    expect(await upload('staging', 'no archive')).toContain('"understudy/invalid-archive"');
  });

  it('says that there is no code, and keeps the example up to date where it is wanted', async () => {
    await start();
    expect(printed('No code')).toEqual([
      "No code is deployed, so agents get an error and change nothing. 'understudy code deploy' deploys some, and so does --control-repo DIR",
    ]);
    expect(await inForce()).toEqual([]);
    await server?.stop();
    await start('--example');
    expect(printed('deployed production')).toHaveLength(1);
    await server?.stop();
    lines = [];
    write(example, 'production', '# the example, changed');
    await start('--example');
    await expect.poll(() => printed('deployed production')).toHaveLength(1);
  });
});
