import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { deployEnvironment } from '../../../shared/fleet/code/deploy.ts';
import { type FrontDoor, openFrontDoor } from '../../../shared/http/front-door.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { createPeer } from '../../helpers/http-services.ts';
import { type Compared, compared } from './comparison.ts';
import { CompileWorker } from './compile-worker.ts';
import { writeRecordedControlRepo } from './recorded-control-repo.ts';
import { type AgentExchange, hasRecordings, headerOf, recordedExchanges } from './recorded-exchanges.ts';

const exchanges = hasRecordings() ? recordedExchanges() : [];
const folder = mkdtempSync(join(tmpdir(), 'understudy-recordings-'));
const AGENT = 'agent01.example.com';
let stores: EmbeddedStores;
let door: FrontDoor;
let worker: CompileWorker;
const faults: unknown[] = [];

/** What we answer differently on purpose. */
const DIFFERENCES: readonly (readonly [reason: string, url: RegExp, body: unknown])[] = [
  ['reports are kept by the one processor that we have', /\/report\/.*environment=(production|staging)/, ['store']],
];

beforeAll(async () => {
  if (exchanges.length === 0) return;
  const controlRepo = join(folder, 'control-repo');
  writeRecordedControlRepo(controlRepo, exchanges);
  stores = openEmbeddedStores(join(folder, 'data'));
  for (const name of ['production', 'staging']) await deployEnvironment(stores, controlRepo, name, 'test');
  const options = { name: 'replay', autosign: false, keyBits: 2048 };
  await CertificateAuthority.open(stores.documents, stores.clock, options);
  const log = { logError: (message: string, cause: unknown) => faults.push([message, cause]) };
  door = await openFrontDoor(stores, { authorityName: 'replay', autosign: false, log });
  worker = new CompileWorker(stores, (error) => faults.push(error));
});

afterAll(async () => {
  await worker?.stop();
  stores?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask({ method, url, status, peer_cn, request_headers, request_body }: AgentExchange): Promise<Compared> {
  const headers = new Headers();
  for (const name of ['accept', 'content-type', 'x-puppet-version', 'user-agent']) {
    const value = headerOf(request_headers, name);
    if (value !== undefined) headers.set(name, value);
  }
  // Our list of revocations is younger than the recording.
  const since = headerOf(request_headers, 'if-modified-since');
  if (since !== undefined) headers.set('If-Modified-Since', status === 304 ? new Date().toUTCString() : since);
  const hasBody = method === 'PUT' || method === 'POST';
  const staging = await stores.environments.get('staging');
  const address = `https://localhost${url.replace(/code_id=[^&]*/, `code_id=${staging?.codeId}`)}`;
  const request = new Request(address, { method, headers, body: hasBody ? String(request_body) : null });
  const who = peer_cn === null ? null : { ...createPeer(peer_cn), issuer: door.authority.issuerName };
  const response = await door.app.fetch(request, { peer: who });
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
  return withoutNames(compared(answer, '/etc/puppetlabs/code'));
}

function recorded({ status, response_headers, response_body }: AgentExchange): Compared {
  const names = response_headers.filter((_, index) => index % 2 === 0);
  const headers = Object.fromEntries(
    names.map((name) => [name.toLowerCase(), headerOf(response_headers, name.toLowerCase())]),
  );
  const body = typeof response_body === 'string' ? response_body : (response_body.text_start ?? '');
  const known = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? '']));
  return withoutNames(compared({ status, headers: known, body }, '/srv/agent-test/control-repo'));
}

/**
 * Certificates are other ones, and as many as the authority has; and what belonged to the user
 * `puppet` there belongs to root here.
 */
function withoutNames({ status, headers, body }: Compared): Compared {
  const text = JSON.stringify(body ?? null)
    .replaceAll(/"(owner|group)":\d+/g, '"$1":"someone"')
    .replaceAll(/(?:-----BEGIN ([\w ]+)-----.*?-----END \1-----(?:\\n)*)+/g, '$1 ');
  return { status, headers, body: JSON.parse(text) };
}

interface StaticCatalog {
  readonly metadata?: object;
  readonly recursive_metadata?: object;
}

function isCatalog(body: unknown): body is StaticCatalog {
  return typeof body === 'object' && body !== null && 'catalog_uuid' in body;
}

/**
 * A listing of which the recording is cut off, or of which not all files were sent: what both have
 * must be the same.
 */
function commonEntries(ours: unknown, theirs: unknown): readonly [unknown, unknown] {
  // What is cut off is no JSON, and so is still as it came.
  const start = typeof theirs === 'string' ? JSON.parse(`${theirs.slice(0, theirs.lastIndexOf(',{"path"'))}]`) : theirs;
  const theirEntries = new Map(entriesOf(start));
  const both = entriesOf(ours).filter(([name]) => theirEntries.has(name));
  expect(both.length).toBeGreaterThan(1);
  return [both, both.map(([name]) => [name, theirEntries.get(name)])];
}

function entriesOf(listing: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(listing)) throw new Error('a listing is a list');
  return listing.map((entry) => {
    const { path, ...rest } = entry;
    // From which of the modules a folder's metadata comes depends on what modules there are.
    const described = JSON.parse(
      JSON.stringify({ ...rest, owner: 'someone', group: 'someone' }).replaceAll(
        /\{[cm]time\}[^"]*|\{time\}/g,
        '{time}',
      ),
    );
    return [entry.relative_path, entry.type === 'file' ? { ...described, path: typeof path } : described];
  });
}

describe.skipIf(!hasRecordings())('what agents asked a Puppet Server is answered alike', () => {
  it('of the certificate authority, once it has signed', async () => {
    const steps = exchanges.filter(({ url }) => url.startsWith('/puppet-ca/'));
    for (const step of steps) {
      // The second request of the agent came after its first one was signed.
      if (step.status === 400 || (step.status === 200 && /certificate\/agent/.test(step.url))) {
        await door.authority.sign(AGENT);
      }
      expect([step.url, await ask(step)]).toEqual([step.url, recorded(step)]);
    }
    expect(steps.length).toBeGreaterThan(5);
  });

  it.each(
    exchanges.filter(({ url }) => !url.startsWith('/puppet-ca/')).map((each) => [each.method, each.url, each] as const),
  )('%s %s', async (_method, url, exchange) => {
    const ours = await ask(exchange);
    const theirs = recorded(exchange);
    if (/file_metadatas\/(plugins|locales).*recurse=true/.test(url) && ours.status === 200) {
      const [some, same] = commonEntries(ours.body, theirs.body);
      expect({ ...ours, body: some }).toEqual({ ...theirs, body: same });
      return;
    }
    if (isCatalog(ours.body) && isCatalog(theirs.body) && theirs.body.metadata === undefined) {
      // That server had no code ids, and so made no static catalogs.
      expect(Object.keys(ours.body.metadata ?? {}).length).toBeGreaterThan(0);
      const { metadata: _, recursive_metadata: __, ...plain } = ours.body;
      expect({ ...ours, body: plain }).toEqual(theirs);
      return;
    }
    const known = DIFFERENCES.find(([, pattern]) => pattern.test(url));
    expect(ours, known?.[0]).toEqual(known ? { ...theirs, body: known[2] } : theirs);
  });

  it('without a fault of ours', () => {
    expect(faults).toEqual([]);
  });
});
