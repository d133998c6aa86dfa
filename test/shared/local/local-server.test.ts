import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { type LocalServer, startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';
import { openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { Asking } from '../../e2e/replay/asking.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-stuck-'));
const data = join(folder, 'data');
const controlRepo = join(folder, 'control-repo');
const NODE = 'web01.example.com';
const REPORT = '{"metrics":{},"logs":[],"resource_statuses":{}}';
const LARGE = 'x'.repeat(2_000_000);
let server: LocalServer;
let asking: Asking;

beforeAll(async () => {
  const files = { 'manifests/site.pp': '', 'modules/a/files/large.txt': LARGE, 'modules/a/lib/facter/b.rb': 'b' };
  for (const [path, text] of Object.entries(files)) {
    const file = join(controlRepo, 'environments/production', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const stores = openEmbeddedStores(data);
  await CertificateAuthority.open(stores.documents, stores.clock, { name: 'x', autosign: true, keyBits: 2048 });
  stores.close();
  server = await startLocalServer(
    readLocalOptions(['--control-repo', controlRepo, '--data', data, '--port', '0', '--autosign'], { workers: 1 }),
    {
      hostname: 'localhost',
      uid: process.getuid?.() ?? 0,
      workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
      print: () => {},
      onFailure: () => {},
      readLoad: () => 0,
    },
  );
  asking = new Asking(server.port);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('while every compile worker is busy', () => {
  it('files, node, facts, reports and backups are served, and a catalog waits', async () => {
    const ask = (method: string, path: string, type = 'application/json', body = '') => {
      const url = `/puppet/v3/${path}${path.includes('?') ? '&' : '?'}environment=production`;
      return asking.ask({ method, url, who: NODE, headers: { 'Content-Type': type }, body });
    };
    const facts = JSON.stringify({ name: NODE, values: {} });
    const form = `facts_format=application%2Fjson&facts=${encodeURIComponent(encodeURIComponent(facts))}`;
    let isAnswered = false;
    const catalog = ask('POST', `catalog/${NODE}`, 'application/x-www-form-urlencoded', form).then(
      () => {
        isAnswered = true;
      },
      () => {},
    );
    const stores = openEmbeddedStores(data);
    await expect.poll(async () => (await stores.queue.getDepth()).waiting.inFlight).toBe(1);
    stores.close();
    for (let round = 0; round < 20; round += 1) {
      expect((await ask('GET', 'file_content/modules/a/large.txt')).body).toBe(LARGE);
      expect(JSON.parse((await ask('GET', 'file_metadatas/plugins?recurse=true')).body)).toHaveLength(3);
      expect((await ask('GET', 'file_metadata/modules/a/large.txt')).status).toBe(200);
      expect((await ask('GET', `node/${NODE}`)).status).toBe(200);
      expect((await ask('PUT', `report/${NODE}`, 'application/json', REPORT)).status).toBe(200);
      expect((await ask('PUT', `facts/${NODE}`, 'application/json', facts)).status).toBe(200);
    }
    expect(isAnswered).toBe(false);
    // Ends the request that waits, and after its grace the worker that cannot be told.
    await server.stop();
    await catalog;
  });
});
