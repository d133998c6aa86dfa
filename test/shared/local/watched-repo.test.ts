import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { GitSourceStore } from '../../../shared/fleet/sources/code-source-store.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';
import { chooseWatchedRepo, describeUnwatched } from '../../../shared/local/watched-repo.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { deployFolder } from '../../helpers/deploy-folder.ts';

const PACKAGED = join(import.meta.dirname, '../../../infra/linux/server.yaml');
const EXAMPLE = '/the/example';

let folder: string;
let stores: EmbeddedStores;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-watched-'));
  stores = openEmbeddedStores(join(folder, 'data'));
});
afterEach(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

const NO_CODE =
  "No code is deployed, so agents get an error and change nothing. 'understudy code deploy' deploys some, and so does --control-repo DIR";
const ENTRIES = { 'npm start': true, 'understudy server': false };
type Entry = keyof typeof ENTRIES;

/** What data directories hold at the start. */
const DATA = {
  fresh: async () => {},
  'the example': () => deploy('example control repo'),
  'other code': () => deploy('command line'),
  'the example, then other code': async () => {
    await deploy('example control repo');
    await deploy('command line', 'staging');
  },
  'a CA': async () => {
    const { documents, clock } = stores;
    await CertificateAuthority.open(documents, clock, { name: 'x', autosign: true, keyType: 'ec' });
  },
  'a node': () => stores.nodes.markSeen('web01.example.com', 'production', 1),
  'staged code': () => stores.documents.put('staged-code', 'production', { codeId: 'x', at: 1, by: 'x' }),
  'a git source': async () => {
    const source = {
      name: 'main',
      url: 'https://git.example.com/x.git',
      key: null,
      prefix: null,
      secretFile: null,
      author: null,
    };
    await new GitSourceStore(stores).put(source);
  },
};
type Data = keyof typeof DATA;

async function deploy(by: string, environment = 'production'): Promise<void> {
  const file = join(folder, 'repo/environments', environment, 'manifests/site.pp');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  await deployFolder(stores, join(folder, 'repo'), environment, by);
}

/** The folder that a start watches, or what it says when there is none. */
async function choose(entry: Entry, data: Data, args: readonly string[], variables = {}): Promise<string> {
  await DATA[data]();
  const options = readLocalOptions(args, { workers: 1 }, variables);
  const watched = await chooseWatchedRepo(options, { directory: EXAMPLE, isOffered: ENTRIES[entry] }, stores);
  return watched?.directory ?? describeUnwatched(options, stores);
}

const inForce = (names: string) => `No --control-repo is given: the deployed environments stay in force (${names})`;
const EXAMPLE_IN_FORCE = inForce("production, which is the example's: 'understudy code remove' removes it");
const IGNORED = '--example changes nothing, because other code is deployed or expected. ';

describe('the code of a start follows from how it is started and what the data directory holds', () => {
  it.each<readonly [entry: Entry, data: Data, args: readonly string[], expected: string]>([
    // A trial in a checkout.
    ['npm start', 'fresh', [], EXAMPLE],
    ['npm start', 'fresh', ['--autosign', '--host', '::1'], EXAMPLE],
    ['npm start', 'the example', [], EXAMPLE],
    ['npm start', 'the example', ['--host', '0.0.0.0'], EXAMPLE_IN_FORCE],
    ['npm start', 'other code', [], inForce('production')],
    ['npm start', 'the example, then other code', [], inForce('production, staging')],
    ['npm start', 'a CA', [], NO_CODE],
    ['npm start', 'a node', [], NO_CODE],
    ['npm start', 'staged code', [], NO_CODE],
    ['npm start', 'a git source', [], NO_CODE],
    // Not one any more.
    ['npm start', 'fresh', ['--host', '0.0.0.0'], NO_CODE],
    ['npm start', 'fresh', ['--host', 'puppet.example.com'], NO_CODE],
    ['npm start', 'fresh', ['--config', PACKAGED], NO_CODE],
    ['npm start', 'fresh', ['--config', PACKAGED, '--host', '127.0.0.1'], NO_CODE],
    ['npm start', 'fresh', ['--ca-upstream', 'https://puppet:8140'], NO_CODE],
    ['npm start', 'fresh', ['--compiler-upstream', 'https://puppet:8140'], NO_CODE],
    ['npm start', 'fresh', ['--control-repo', '/srv/code'], '/srv/code'],
    // A service.
    ['understudy server', 'fresh', [], NO_CODE],
    ['understudy server', 'fresh', ['--config', PACKAGED], NO_CODE],
    ['understudy server', 'a CA', ['--config', PACKAGED], NO_CODE],
    ['understudy server', 'the example', ['--config', PACKAGED], EXAMPLE_IN_FORCE],
    ['understudy server', 'other code', ['--config', PACKAGED], inForce('production')],
    ['understudy server', 'other code', ['--config', PACKAGED, '--control-repo', '/srv/code'], '/srv/code'],
    // The example on demand.
    ['understudy server', 'fresh', ['--example'], EXAMPLE],
    ['understudy server', 'a CA', ['--config', PACKAGED, '--example'], EXAMPLE],
    ['understudy server', 'a node', ['--example', '--host', '0.0.0.0'], EXAMPLE],
    ['understudy server', 'the example', ['--example'], EXAMPLE],
    ['understudy server', 'other code', ['--example'], `${IGNORED}${inForce('production')}`],
    ['understudy server', 'a git source', ['--example'], `${IGNORED}${NO_CODE}`],
  ])('%s, data with %s, %j', async (entry, data, args, expected) => {
    expect(await choose(entry, data, args)).toBe(expected);
  });

  it('settings in environment variables count as options', async () => {
    expect(await choose('npm start', 'fresh', [], { UNDERSTUDY_CONFIG: PACKAGED })).toBe(NO_CODE);
    expect(await choose('npm start', 'fresh', [], { UNDERSTUDY_HOST: '0.0.0.0' })).toBe(NO_CODE);
    expect(await choose('understudy server', 'fresh', [], { UNDERSTUDY_EXAMPLE: 'true' })).toBe(EXAMPLE);
  });

  it('the example and another control repo exclude each other', () => {
    expect(() => readLocalOptions(['--example', '--control-repo', '/srv/code'], { workers: 1 })).toThrow(
      "error: option '--example' cannot be used with option '--control-repo <dir>'",
    );
  });
});
