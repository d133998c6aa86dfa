import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { type LocalServer, startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions, UsageExit } from '../../../shared/local/options.ts';
import { openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { visibilityOf } from '../../../shared/store/sql/tables.ts';
import { Asking } from '../../e2e/replay/asking.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-limit-'));
const data = join(folder, 'data');
const controlRepo = join(folder, 'control-repo');
const defaults = { workers: 1 };
const site = `node 'slow.example.com' { Integer[1, 9000000000].each |$i| { $x = $i } }
node default { notify { 'quick': } }
`;
let server: LocalServer;
let asking: Asking;

beforeAll(async () => {
  const manifest = join(controlRepo, 'environments/production/manifests/site.pp');
  mkdirSync(dirname(manifest), { recursive: true });
  writeFileSync(manifest, site);
  const stores = openEmbeddedStores(data);
  await CertificateAuthority.open(stores.documents, stores.clock, { name: 'x', autosign: true, keyBits: 2048 });
  stores.close();
  const args = [
    '--control-repo',
    controlRepo,
    '--data',
    data,
    '--port',
    '0',
    '--autosign',
    '--compile-time-limit',
    '2',
  ];
  server = await startLocalServer(readLocalOptions(args, defaults), {
    hostname: 'localhost',
    uid: process.getuid?.() ?? 0,
    workerModule: new URL('../../../functions/local-worker.ts', import.meta.url),
    print: () => {},
    onFailure: () => {},
    readLoad: () => 0,
  });
  asking = new Asking(server.port);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function catalog(certname: string) {
  const url = `/puppet/v3/catalog/${certname}?environment=production`;
  const facts = encodeURIComponent(encodeURIComponent(JSON.stringify({ name: certname, values: {} })));
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  const body = `facts_format=application%2Fjson&facts=${facts}`;
  return asking.ask({ method: 'POST', url, who: certname, headers, body });
}

it('stops a compile after the time that the operator gives it, and the worker compiles the next node', async () => {
  const slow = await catalog('slow.example.com');
  expect([slow.status, slow.body]).toEqual([
    500,
    '{"message":"Server Error: The compile was stopped: it took more than 2000 milliseconds on node slow.example.com","issue_kind":"RUNTIME_ERROR"}',
  ]);
  expect((await catalog('quick.example.com')).status).toBe(200);
});

it.each(['0', '3601', 'long'])('takes no limit of %s seconds', (limit) => {
  expect(() => readLocalOptions(['--compile-time-limit', limit], defaults)).toThrow(UsageExit);
});

it('keeps a job from others for longer than it may take', () => {
  const longest = 2 * 3600 * 1000;
  expect(visibilityOf(longest)).toBeGreaterThan(longest);
  expect(visibilityOf(1000)).toBe(15 * 60_000);
});
