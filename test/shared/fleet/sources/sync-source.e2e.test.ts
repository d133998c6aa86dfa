import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar/fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { rollBack } from '../../../../shared/fleet/code/code-history.ts';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import { loadSnapshot } from '../../../../shared/fleet/snapshots/snapshot-cache.ts';
import {
  type GitSource,
  GitSourceStore,
  type SyncOutcome,
} from '../../../../shared/fleet/sources/code-source-store.ts';
import { GitMirror } from '../../../../shared/fleet/sources/git-mirror.ts';
import { GitSync } from '../../../../shared/fleet/sources/git-sync.ts';
import { askUrl } from '../../../../shared/fleet/sources/git-url.ts';
import { installModules } from '../../../../shared/fleet/sources/install-modules.ts';
import { GIT_LIMITS, type GitSettings, runGit } from '../../../../shared/fleet/sources/run-git.ts';
import { guardSource } from '../../../../shared/fleet/sources/source-guard.ts';
import { type SyncPorts, type SyncReport, syncSource } from '../../../../shared/fleet/sources/sync-source.ts';
import { beginStage, printBegunStage } from '../../../../shared/fleet/stages/begin-stage.ts';
import { endStage, promoteStage } from '../../../../shared/fleet/stages/finish-stage.ts';
import { stageDeploy } from '../../../../shared/fleet/stages/stage-by-policy.ts';
import { createStagePlan } from '../../../../shared/fleet/stages/stage-plan.ts';
import { UrlGuard } from '../../../../shared/util/url-guard.ts';
import { openAccessWorld } from '../../../helpers/access-world.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';
import { prepareFolder } from '../../../helpers/deploy-folder.ts';
import { intercept } from '../../../helpers/intercept.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-git-'));
const control = join(folder, 'control');
const module = join(folder, 'module');
const archives = new Map<string, Uint8Array>();
let world: CompileWorld;
let git: GitSettings;
let said: string[];

const inRepo = (repo: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'protocol.file.allow=always', ...args], {
    cwd: repo,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

function commit(repo: string, files: Readonly<Record<string, string>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), content);
  }
  inRepo(repo, 'add', '-A');
  inRepo(repo, 'commit', '-q', '-m', 'x', '--allow-empty');
  return inRepo(repo, 'rev-parse', 'HEAD');
}

beforeAll(async () => {
  const content = join(folder, 'tar/acme-disk-1.2.3');
  mkdirSync(join(content, 'manifests'), { recursive: true });
  writeFileSync(join(content, 'manifests/init.pp'), 'class disk { }');
  archives.set('/disk.tar.gz', gzipSync(await buffer(packTar(join(folder, 'tar')))));
  archives.set('/broken.tar.gz', Buffer.from('no archive'));
});
beforeEach(() => {
  for (const repo of [control, module]) {
    mkdirSync(repo, { recursive: true });
    inRepo(repo, 'init', '-q', '-b', 'production');
  }
  commit(control, { 'manifests/site.pp': '# one' });
  world = new CompileWorld();
  git = { folder: join(world.directory, 'git'), path: process.env.PATH, user: null, ...GIT_LIMITS };
  said = [];
});
afterEach(() => {
  world.close();
  for (const repo of [control, module]) rmSync(repo, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The Forge and a place for tarballs. */
async function answer(url: string | URL | Request): Promise<Response> {
  const { pathname } = new URL(String(url));
  const archive = archives.get(pathname);
  if (archive) return new Response(Buffer.from(archive));
  const sha256 = createHash('sha256')
    .update(archives.get('/disk.tar.gz') ?? '')
    .digest('hex');
  const release = { file_uri: '/disk.tar.gz', file_sha256: sha256 };
  if (pathname === '/v3/releases/acme-disk-1.2.3') return Response.json(release);
  if (pathname === '/v3/modules/acme-disk') return Response.json({ current_release: release });
  return new Response('', { status: 404 });
}

function source(more: Partial<GitSource> = {}): GitSource {
  return { name: 'main', url: `file://${control}`, key: null, prefix: null, secretFile: null, author: null, ...more };
}

function sync(
  more: Partial<GitSource> = {},
  only: readonly string[] | null = null,
  gate?: () => Promise<void>,
  stores: SyncPorts['stores'] = world.stores,
): Promise<SyncReport> {
  const modules = { git, fetch: answer, forge: 'https://forge.example' };
  const ports = { stores, modules, preparation: gate ? { gate } : {} };
  return syncSource(source(more), only, ports, {
    onDeployed: ({ environment, changed }) => said.push(`${environment} ${changed ? 'deployed' : 'unchanged'}`),
    onStaged: (begun) => said.push(printBegunStage(begun)),
    onRemoved: (environment) => said.push(`${environment} removed`),
    onHeld: (what) => said.push(what),
    onTrouble: (what) => said.push(what),
  });
}

async function filesOf(environment: string): Promise<readonly string[]> {
  const record = await world.stores.environments.get(environment);
  if (record === null) return [];
  const { files } = await loadSnapshot(world.stores.blobs, record.codeId);
  return Object.keys(files).map((path) => path.replace(`environments/${environment}/`, ''));
}

it('reports the objects of a fetch to who watches, and the reason of one that fails', async () => {
  commit(control, { 'manifests/site.pp': '# one', 'manifests/other.pp': '# two' });
  const steps: unknown[] = [];
  const observe = (...step: readonly unknown[]) => void steps.push(step);
  await new GitMirror(`file://${control}`, null, git).fetch(observe);
  expect(steps).toContainEqual(['compressing objects', 3, 3]);
  await expect(new GitMirror(`file://${folder}/nothing`, null, git).fetch(observe)).rejects.toThrow(
    `git fetch: fatal: '${folder}/nothing' does not appear to be a git repository`,
  );
});

describe('a Puppetfile', () => {
  let server: Server;
  let port: number;
  const asked: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { Location: 'http://127.0.0.1:9/secret' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterAll(() => server.close());

  /** Installs a line of a Puppetfile of a source from elsewhere. */
  async function install(line: string): Promise<string> {
    const environment = join(folder, 'environment');
    mkdirSync(environment, { recursive: true });
    writeFileSync(join(environment, 'Puppetfile'), line);
    const guards = await guardSource(source({ url: 'https://git.example.com/x' }), world.stores, resolve);
    const ports = { git, fetch: askUrl, forge: 'https://forge.example', key: null, guard: guards.modules };
    return installModules(environment, 'production', ports).then(
      () => 'installed',
      (error: unknown) => String(error),
    );
  }
  const resolve = async (host: string) => [host === 'rebound.example' ? '127.0.0.1' : '10.0.0.7'];

  it.each([
    ["mod 'a', :git => 'file:///srv/secret'", 'only https://, http://, ssh://, git:// may be written there'],
    ["mod 'a', :git => 'https://127.0.0.1:1/x'", '127.0.0.1 is an address of the server itself'],
    ["mod 'a', :git => 'ssh://rebound.example/x'", '127.0.0.1 is an address of the server itself'],
    ["mod 'a', :type => 'tarball', :source => 'http://169.254.169.254/latest'", '169.254.169.254 is an address'],
    ["mod 'a', :type => 'tarball', :source => 'http://[::ffff:7f00:1]/x'", '::ffff:7f00:1 is an address of the server'],
  ])('that says %s leads nowhere', async (line, reason) => {
    expect(await install(line)).toContain(reason);
  });

  it.each([
    ['git', (url: string) => `mod 'a', :git => '${url}'`],
    ['a tarball', (url: string) => `mod 'a', :type => 'tarball', :source => '${url}'`],
  ])('has each hop of %s looked at', async (_, write) => {
    const guard = new UrlGuard('private', new Set(['localhost']), async () => ['127.0.0.1']);
    const environment = join(folder, 'environment');
    mkdirSync(environment, { recursive: true });
    writeFileSync(join(environment, 'Puppetfile'), write(`http://localhost:${port}/x`));
    const ports = { git, fetch: askUrl, forge: 'https://forge.example', key: null, guard };
    await expect(installModules(environment, 'production', ports)).rejects.toThrow(/127\.0\.0\.1/);
    expect(asked.splice(0).every((path) => path.startsWith('/x'))).toBe(true);
  });

  it.each([
    ['git', (url: string) => `mod 'a', :git => '${url}'`],
    ['a tarball', (url: string) => `mod 'a', :type => 'tarball', :source => '${url}'`],
  ])('has %s asked at the address that was looked at, whatever its name has by then', async (_, write) => {
    // No name server knows this host: only the guard gives it an address.
    const guard = new UrlGuard('private', new Set(['repo.invalid']), async () => ['127.0.0.1']);
    const environment = join(folder, 'environment');
    mkdirSync(environment, { recursive: true });
    writeFileSync(join(environment, 'Puppetfile'), write(`http://repo.invalid:${port}/y`));
    const ports = { git, fetch: askUrl, forge: 'https://forge.example', key: null, guard };
    await expect(installModules(environment, 'production', ports)).rejects.toThrow();
    expect(asked.splice(0)).toContainEqual(expect.stringMatching(/^\/y/));
  });

  it('is looked at, too, where the Forge leads elsewhere', async () => {
    const guard = new UrlGuard('private', new Set(), async () => ['169.254.169.254']);
    const environment = join(folder, 'environment');
    mkdirSync(environment, { recursive: true });
    writeFileSync(join(environment, 'Puppetfile'), "mod 'acme-a', '1.0.0'");
    const ports = { git, fetch: askUrl, forge: `http://localhost:${port}`, key: null, guard };
    await expect(installModules(environment, 'production', ports)).rejects.toThrow(
      '127.0.0.1 is an address of the server itself',
    );
    asked.splice(0);
  });
});

describe('a source of a user', () => {
  it.each([
    ['https://10.1.2.3/x', '10.1.2.3 is a private address'],
    ['https://internal.example.com/x', '10.0.0.7 is a private address'],
    ['git://[::1]/x', '::1 is an address of the server itself'],
  ])('at %s is not fetched', async (url, reason) => {
    const { id, login } = await openAccessWorld({}, world.stores.documents).addUser('amari', [4]);
    const ports = { stores: world.stores, modules: { git, fetch: askUrl, forge: '' }, preparation: {} };
    const observer = { onDeployed() {}, onStaged() {}, onHeld() {}, onRemoved() {}, onTrouble() {} };
    const resolve = async () => ['10.0.0.7'];
    const given = source({ url, author: { id, login } });
    await expect(syncSource(given, null, { ...ports, resolve }, observer)).rejects.toThrow(reason);
  });
});

describe('a synchronisation', () => {
  it('gives each file the time of the last commit that changed it', async () => {
    const at = (day: string) => vi.stubEnv('GIT_COMMITTER_DATE', `${day}T00:00:00Z`);
    at('2020-01-02');
    commit(control, { 'manifests/a.pp': '1', 'manifests/b c.pp': '1', 'manifests/é.pp': '1' });
    at('2021-01-02');
    commit(control, { 'manifests/b c.pp': '2' });
    vi.unstubAllEnvs();
    await sync();
    const record = await world.stores.environments.get('production');
    const { times } = await loadSnapshot(world.stores.blobs, record?.codeId ?? '');
    const yearOf = (name: string) =>
      new Date((times?.[`environments/production/manifests/${name}.pp`] ?? 0) * 1000).getUTCFullYear();
    expect(['a', 'b c', 'é'].map(yearOf)).toEqual([2020, 2021, 2020]);
  });

  it('of a source whose user may not deploy any more fetches nothing', async () => {
    const access = openAccessWorld({}, world.stores.documents);
    const { id, login } = await access.addUser('amari', [4]);
    const author = { id, login };
    await expect(sync({ author })).rejects.toThrow('only https://, http://, ssh://, git:// may be written there');
    await access.access.revoke(await access.access.accounts.getById(id));
    commit(control, { 'manifests/site.pp': '# two' });
    await expect(sync({ author })).rejects.toThrow("source 'main' is not used: the user amari is gone or revoked");
  });

  it('is remembered with what was not deployed, and why', async () => {
    const ports = { stores: world.stores, modules: { git, fetch: answer, forge: '' }, preparation: {} };
    const seen: (SyncOutcome | null)[] = [];
    const outcome = async () => (await sources.sources.listSyncs(world.stores.clock.now())).get('main') ?? null;
    const looks: Promise<unknown>[] = [];
    const note = () => looks.push(outcome().then((one) => seen.push(one)));
    const sources = new GitSync(ports, {
      onDeployed: note,
      onStaged: note,
      onHeld: note,
      onRemoved: note,
      onTrouble: note,
    });
    expect(await outcome()).toBeNull();
    await sources.sync(source(), null);
    inRepo(control, 'branch', 'a-b');
    await sources.sync(source(), null);
    await Promise.all(looks);
    expect(seen.map((outcome) => outcome?.isRunning)).toEqual([true, true, true, true]);
    const renamed = "branch 'a-b' is deployed as environment 'a_b'";
    expect(await outcome()).toMatchObject({ isRunning: false, troubles: [renamed] });
    await expect(sources.sync(source({ url: `file://${folder}/none` }), null)).rejects.toThrow('git');
    expect((await outcome())?.troubles).toMatchObject([expect.stringContaining('git')]);
    expect((await outcome())?.isRunning).toBe(false);

    // A server that died, and one that comes late with what it did before.
    const { sources: store } = sources;
    const now = world.stores.clock.now();
    await store.noteSync('main', { at: now, isRunning: true, troubles: ['one'] });
    await store.noteSync('main', { at: now - 1, isRunning: false, troubles: [] });
    expect((await store.listSyncs(now + 60_000)).get('main')).toEqual({ at: now, isRunning: true, troubles: ['one'] });
    const cut = { at: now, isRunning: false, troubles: ['one', 'the server ended before the synchronisation did'] };
    expect((await store.listSyncs(now + 3_700_000)).get('main')).toEqual(cut);
  });
});

describe('a policy that stages deploys', () => {
  const UNCHANGED = { deployed: ['production'], failed: [], held: [], removed: [] };
  const NOTHING = { deployed: [], failed: [], held: [], removed: [] };
  const HELD = { deployed: [], failed: [], held: ['production'], removed: [] };
  const REFUSED = { deployed: [], failed: ['production'], held: [], removed: [] };
  const inForce = async () => {
    const record = await world.stores.environments.get('production');
    return { codeId: record?.codeId.slice(0, 12), staged: record?.stage?.codeId.slice(0, 12) };
  };
  let first: string | undefined;

  beforeEach(async () => {
    await sync();
    for (const name of ['n1', 'n2']) await world.run(checkIn(name, {}));
    const entry = { stageCanaries: 1, stageWhenWorse: 'abort' } as const;
    await new FreshnessPolicies(world.stores.documents).put('environments/production', entry);
    first = (await inForce()).codeId;
    said = [];
  });

  it('gives a new commit to canaries, once, and the next one to them in its place', async () => {
    const one = commit(control, { 'manifests/site.pp': '# two' }).slice(0, 12);
    expect(await sync()).toEqual(NOTHING);
    const { codeId, staged } = await inForce();
    expect([codeId, said]).toEqual([
      first,
      [`production staged for 1 canary: code ${staged}, by git main production ${one}`],
    ]);
    const record = await world.stores.environments.get('production');
    expect(record?.stage).toMatchObject({ canaries: [expect.any(String)], plan: { whenWorse: 'abort' } });
    expect(await sync()).toEqual(NOTHING);
    expect(said.length).toBe(1);
    const next = commit(control, { 'manifests/site.pp': '# three' }).slice(0, 12);
    expect(await sync()).toEqual(NOTHING);
    const { staged: other } = await inForce();
    expect(said.at(-1)).toBe(
      `production staged for 1 canary: code ${other} in place of the staged ${staged}, by git main production ${next}`,
    );
    await promoteStage('production', world.stores);
    expect(await sync()).toEqual(UNCHANGED);
    expect(await inForce()).toEqual({ codeId: other, staged: undefined });
  });

  it('takes a stage back when the branch has the code in force again', async () => {
    commit(control, { 'manifests/site.pp': '# two' });
    await sync();
    commit(control, { 'manifests/site.pp': '# one' });
    expect(await sync()).toEqual(UNCHANGED);
    expect(await inForce()).toEqual({ codeId: first, staged: undefined });
  });

  it('stages code again that was taken back, once the branch had the code in force since', async () => {
    commit(control, { 'manifests/site.pp': '# two' });
    await sync();
    const { staged } = await inForce();
    await endStage('production', world.stores, 'joe');
    expect(await world.stores.environments.get('production')).toMatchObject({
      takenBack: { codeId: expect.stringContaining(String(staged)), by: 'joe', at: expect.any(Number) },
    });
    commit(control, { 'manifests/site.pp': '# one' });
    await sync();
    expect(await world.stores.environments.get('production')).not.toHaveProperty('takenBack');
    commit(control, { 'manifests/site.pp': '# two' });
    expect(await sync()).toEqual(NOTHING);
    expect(await inForce()).toEqual({ codeId: first, staged });
  });

  it('knows what was taken back when the process ends at any write of a stage', async () => {
    commit(control, { 'manifests/site.pp': '# two' });
    const { environments } = world.stores;
    let left = 0;
    const dying = intercept(environments, {
      replace: async (...args) => {
        const done = await environments.replace(...args);
        left -= 1;
        if (left === 0) throw new Error('the process ends');
        return done;
      },
    });
    const ports = { ...world.stores, environments: dying };
    // The write that begins the stage is made, and nothing after it.
    left = 1;
    expect(await sync({}, null, undefined, ports)).toEqual(REFUSED);
    expect((await inForce()).staged).toBeDefined();
    for (const write of [1, 2]) {
      left = write;
      await endStage('production', ports, 'joe').catch(() => undefined);
    }
    expect(await inForce()).toEqual({ codeId: first, staged: undefined });
    expect(await sync()).toEqual(HELD);
    expect(said.at(-1)).toContain('was rolled back by joe');
  });

  it('does not stage again what was taken back, and leaves stages of others alone', async () => {
    commit(control, { 'manifests/site.pp': '# two' });
    await sync();
    const { staged } = await inForce();
    await endStage('production', world.stores, 'joe');
    expect(await sync()).toEqual(HELD);
    expect(said.at(-1)).toBe(`production is held: code ${staged} was rolled back by joe; the next change goes on`);
    world.write({ 'environments/production/manifests/site.pp': '# by hand' });
    const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
    const canaries = { count: 1 };
    const stage = { environment: 'production', codeId, by: 'jane', canaries, plan: createStagePlan({}) };
    await beginStage(stage, world.stores);
    commit(control, { 'manifests/site.pp': '# three' });
    expect(await sync()).toEqual(REFUSED);
    expect(said.at(-1)).toContain(`the staged deploy of ${codeId.slice(0, 12)} in environment 'production' has to end`);
  });

  it('lets the newest code take the place of the stage, by git and by a deploy', async () => {
    commit(control, { 'manifests/site.pp': '# two' });
    await sync();
    const { staged: ofGit } = await inForce();
    const deploy = async (text: string) => {
      world.write({ 'environments/production/manifests/site.pp': text });
      const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
      const report = await stageDeploy({ environment: 'production', codeId, by: 'jane' }, world.stores);
      return [report?.kind, (await inForce()).staged === codeId.slice(0, 12)];
    };
    expect(await deploy('# over HTTP')).toEqual(['staged', true]);
    const { staged: ofJane } = await inForce();
    expect(await sync()).toEqual(NOTHING);
    expect(await inForce()).toEqual({ codeId: first, staged: ofJane });
    const next = commit(control, { 'manifests/site.pp': '# three' }).slice(0, 12);
    expect(await sync()).toEqual(NOTHING);
    const { staged: newest } = await inForce();
    expect(said).toEqual([
      expect.stringContaining(`code ${ofGit}, by git`),
      `production staged for 1 canary: code ${newest} in place of the staged ${ofJane}, by git main production ${next}`,
    ]);
    expect(await deploy('# over HTTP again')).toEqual(['staged', true]);
    await endStage('production', world.stores, 'joe');
    expect(await sync()).toEqual(HELD);
    expect(said.at(-1)).toContain(`code ${newest} was rolled back by jane`);
  });

  it('keeps the stage of a deploy while the branch has the code in force', async () => {
    world.write({ 'environments/production/manifests/site.pp': '# over HTTP' });
    const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
    await stageDeploy({ environment: 'production', codeId, by: 'jane' }, world.stores);
    expect(await sync()).toEqual(NOTHING);
    expect(await inForce()).toEqual({ codeId: first, staged: codeId.slice(0, 12) });
    commit(control, { 'manifests/site.pp': '# two' });
    expect(await sync()).toEqual(NOTHING);
    expect((await inForce()).staged).not.toBe(codeId.slice(0, 12));
  });

  it('has the gate look first, and stages no environment without nodes', async () => {
    commit(control, { 'manifests/site.pp': '# two' });
    expect(await sync({}, null, () => Promise.reject(new Error('it does not compile')))).toEqual(REFUSED);
    expect(await inForce()).toEqual({ codeId: first, staged: undefined });
    await new FreshnessPolicies(world.stores.documents).put('default', { stageCanaries: '5%' });
    inRepo(control, 'branch', 'empty');
    expect((await sync()).deployed).toEqual(['empty']);
    commit(control, { 'manifests/site.pp': '# three' });
    inRepo(control, 'branch', '-f', 'empty');
    said = [];
    expect((await sync()).deployed).toEqual(['empty']);
    expect(said[0]).toBe('empty deployed');
  });
});

/** Ways to take code back that a branch has, from the commit of `# two` on. */
const WAYS_BACK = {
  'a rollback': async () => {
    await rollBack(world.stores, 'production', null, 'joe');
  },
  'a rollback of a promoted stage': async () => {
    await promoteStage('production', world.stores);
    await rollBack(world.stores, 'production', null, 'joe');
  },
  'a rollback of a stage': async () => {
    await rollBack(world.stores, 'production', null, 'joe');
  },
  'a stage that is aborted': async () => {
    await endStage('production', world.stores, 'joe');
  },
};

describe('code that was taken back', () => {
  const inForce = async () => {
    const { codeId, stage } = (await world.stores.environments.get('production')) ?? {};
    return { codeId, staged: stage?.codeId };
  };

  it.each<readonly [way: keyof typeof WAYS_BACK, stageCanaries: 'off' | number]>([
    ['a rollback', 'off'],
    ['a rollback of a promoted stage', 1],
    ['a rollback of a stage', 1],
    ['a stage that is aborted', 1],
  ])('by %s does not come again, until its source had other code (canaries: %s)', async (way, stageCanaries) => {
    await sync();
    await world.run(checkIn('a', {}));
    await new FreshnessPolicies(world.stores.documents).put('default', { stageCanaries });
    const before = await inForce();
    commit(control, { 'manifests/site.pp': '# two' });
    await sync();
    const { codeId, staged = codeId } = await inForce();
    await WAYS_BACK[way]();
    for (let round = 0; round < 2; round += 1) {
      expect(await sync()).toEqual({ deployed: [], failed: [], held: ['production'], removed: [] });
      expect(said.at(-1)).toBe(
        `production is held: code ${staged?.slice(0, 12)} was rolled back by joe; the next change goes on`,
      );
      expect(await inForce()).toEqual({ codeId: before.codeId, staged: undefined });
    }
    commit(control, { 'manifests/site.pp': '# three' });
    expect((await sync()).held).toEqual([]);
    const next = await inForce();
    expect([next.codeId, next.staged].filter((one) => one !== undefined && one !== before.codeId)).toHaveLength(1);
    if (next.staged !== undefined) await promoteStage('production', world.stores);
    await sync();
    commit(control, { 'manifests/site.pp': '# two' });
    expect((await sync()).held).toEqual([]);
    expect(Object.values(await inForce())).toContain(staged);
  });

  it('with a rollback past a stage is the newest code of the source', async () => {
    await sync();
    await world.run(checkIn('a', {}));
    const { codeId: first } = await inForce();
    commit(control, { 'manifests/site.pp': '# two' });
    await sync();
    await world.runJobs();
    await new FreshnessPolicies(world.stores.documents).put('default', { stageCanaries: 1 });
    commit(control, { 'manifests/site.pp': '# three' });
    await sync();
    const { staged } = await inForce();
    await rollBack(world.stores, 'production', first ?? '', 'joe');
    expect((await sync()).held).toEqual(['production']);
    expect(said.at(-1)).toContain(`code ${staged?.slice(0, 12)} was rolled back by joe`);
    expect(await inForce()).toEqual({ codeId: first, staged: undefined });
  });

  it('may be deployed by somebody, and is the code of the branch then', async () => {
    await sync();
    commit(control, { 'manifests/site.pp': '# two' });
    await sync();
    const { codeId: second } = await inForce();
    await rollBack(world.stores, 'production', null, 'joe');
    await rollBack(world.stores, 'production', null, 'joe');
    expect(await inForce()).toEqual({ codeId: second });
    expect((await sync()).held).toEqual([]);
  });
});

describe('branches of a repository', () => {
  it('are environments, named as r10k names them, and go with their branches', async () => {
    inRepo(control, 'branch', 'feature/x-1');
    expect(await sync()).toEqual({ deployed: ['feature_x_1', 'production'], failed: [], held: [], removed: [] });
    expect(said).toEqual([
      "branch 'feature/x-1' is deployed as environment 'feature_x_1'",
      'feature_x_1 deployed',
      'production deployed',
    ]);
    expect(await filesOf('feature_x_1')).toEqual(['manifests/site.pp']);
    const head = inRepo(control, 'rev-parse', 'HEAD').slice(0, 12);
    expect((await world.stores.environments.get('production'))?.by).toBe(`git main production ${head}`);
    inRepo(control, 'branch', '-D', 'feature/x-1');
    said = [];
    expect(await sync()).toEqual({ deployed: ['production'], failed: [], held: [], removed: ['feature_x_1'] });
    expect(said).toEqual(['production unchanged', 'feature_x_1 removed']);
    expect(await world.stores.environments.get('feature_x_1')).toBeNull();
    // The working folders are gone, the copies of repositories are kept.
    expect(readdirSync(git.folder).every((name) => name.endsWith('.git'))).toBe(true);
  });

  it('get the prefix of their source, and leave what others deployed alone', async () => {
    world.write({ 'environments/production/manifests/site.pp': '# by hand' });
    const { codeId } = await world.deploy();
    expect(await sync()).toEqual({ deployed: [], failed: ['production'], held: [], removed: [] });
    expect(said).toEqual([
      "branch 'production' was not deployed: environment 'production' was deployed by test; 'understudy code remove production' makes room for the branch",
    ]);
    expect((await world.stores.environments.get('production'))?.codeId).toBe(codeId);
    expect((await sync({ prefix: 'team' })).deployed).toEqual(['team_production']);
    said = [];
    expect((await sync({ name: 'other', prefix: 'team' })).failed).toEqual(['team_production']);
    expect(said).toEqual([
      "branch 'production' was not deployed: environment 'team_production' belongs to the source 'main'",
    ]);
  });

  it('that give one name are refused but for the first', async () => {
    for (const name of ['a-b', 'a_b']) inRepo(control, 'branch', name);
    expect(await sync({}, ['a-b', 'a_b'])).toEqual({ deployed: ['a_b'], failed: ['a_b'], held: [], removed: [] });
    expect(said.at(-1)).toBe("branch 'a_b' was not deployed: branch 'a-b' is environment 'a_b', too");
  });

  it('stay in force when the check of a deploy refuses them, or nothing can be fetched', async () => {
    await sync();
    const before = await world.stores.environments.get('production');
    commit(control, { 'manifests/site.pp': 'class {' });
    const refuse = async () => {
      throw new Error('environment production was not deployed: invalid');
    };
    expect((await sync({}, null, refuse)).failed).toEqual(['production']);
    await expect(sync({ url: `file://${folder}/none` })).rejects.toThrow(/^git fetch: fatal: '.*none' does not appear/);
    expect(await world.stores.environments.get('production')).toEqual(before);
  });

  it('run no hook, no filter and no program of the repository or the machine', async () => {
    const marker = join(folder, 'marker');
    const touch = `#!/bin/sh\ntouch ${marker}\n`;
    await sync();
    const [mirror = ''] = readdirSync(git.folder);
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
      mkdirSync(join(git.folder, mirror, 'hooks'), { recursive: true });
      writeFileSync(join(git.folder, mirror, 'hooks', hook), touch);
      chmodSync(join(git.folder, mirror, 'hooks', hook), 0o755);
    }
    symlinkSync('/etc/passwd', join(control, 'manifests/link.pp'));
    commit(control, { '.gitattributes': '* filter=evil\n', 'manifests/site.pp': '# two' });
    rmSync(join(control, 'manifests/link.pp'));
    commit(control, { '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ${marker}\n` });
    expect((await sync()).deployed).toEqual(['production']);
    expect(existsSync(marker)).toBe(false);
  });

  it('with links out of the repository are refused', async () => {
    symlinkSync('/etc/passwd', join(control, 'manifests/link.pp'));
    commit(control, {});
    expect((await sync()).failed).toEqual(['production']);
    expect(said[0]).toContain("is a symbolic link to '/etc/passwd', outside of the control repo");
  });
});

describe('a Puppetfile', () => {
  it('brings modules from git, from a tarball and from the Forge', async () => {
    const pinned = commit(module, { 'manifests/init.pp': 'class apt { }' });
    inRepo(module, 'tag', 'v1');
    commit(module, { 'manifests/init.pp': 'class apt { } # newer', 'manifests/more.pp': '' });
    inRepo(module, 'branch', 'dev');
    const url = `file://${module}`;
    commit(control, {
      Puppetfile: `forge 'https://forge.puppet.com'
moduledir 'modules'
mod 'acme/disk', '1.2.3'   # pinned
mod 'acme-newest',
  :type => 'tarball', source: 'https://files.example/disk.tar.gz'
mod 'tagged', git: '${url}', tag: 'v1'
mod "pinned", :git => "${url}",
  :commit => "${pinned}"
mod 'follows', git: '${url}', branch: :control_branch, default_branch: 'dev', install_path: 'site'
mod 'own', local: true
`,
      'modules/own/manifests/init.pp': 'class own { }',
      'modules/disk/manifests/stale.pp': '',
    });
    expect((await sync()).failed).toEqual([]);
    expect(await filesOf('production')).toEqual([
      'Puppetfile',
      'manifests/site.pp',
      'modules/disk/manifests/init.pp',
      'modules/newest/manifests/init.pp',
      'modules/own/manifests/init.pp',
      'modules/pinned/manifests/init.pp',
      'modules/tagged/manifests/init.pp',
      'site/follows/manifests/init.pp',
      'site/follows/manifests/more.pp',
    ]);
  });

  it.each([
    [
      "\nmod 'acme/none', '1.0.0'",
      "Puppetfile, line 2: module 'none': https://forge.example/v3/releases/acme-none-1.0.0 answers 404",
    ],
    [
      "mod 'x', type: 'tarball', source: 'https://h/broken.tar.gz'",
      "Puppetfile, line 1: module 'x': the file is no gzipped tar archive: incorrect header check",
    ],
    [
      `mod 'x', type: 'tarball', source: 'https://h/disk.tar.gz', version: '${'0'.repeat(64)}'`,
      expect.stringMatching(
        /^Puppetfile, line 1: module 'x': https:\/\/h\/disk.tar.gz has the sha256 [0-9a-f]{64}, not 0{64}$/,
      ),
    ],
  ])('is refused: %s', async (text, message) => {
    commit(control, { Puppetfile: text });
    expect((await sync()).failed).toEqual(['production']);
    expect(said).toHaveLength(1);
    expect(said[0]?.replace("branch 'production' was not deployed: ", '')).toEqual(message);
  });
});

describe('a Puppetfile with links', () => {
  it('is refused when its folder of modules is one, and what that names stays', async () => {
    const outside = join(folder, 'outside');
    mkdirSync(join(outside, 'kept'), { recursive: true });
    writeFileSync(join(outside, 'kept/file'), 'x');
    symlinkSync(outside, join(control, 'modules'));
    commit(control, { Puppetfile: `mod 'kept', git: 'file://${module}', branch: 'main'` });
    expect((await sync()).failed).toEqual(['production']);
    expect(said).toEqual([
      "branch 'production' was not deployed: Puppetfile, line 1: module 'kept': 'modules' is a symbolic link",
    ]);
    expect(existsSync(join(outside, 'kept/file'))).toBe(true);
  });

  it('is not read when it is a link itself', async () => {
    symlinkSync('/etc/passwd', join(control, 'Puppetfile'));
    commit(control, {});
    expect((await sync()).failed).toEqual(['production']);
    expect(said).toEqual(["branch 'production' was not deployed: 'Puppetfile' is a symbolic link"]);
  });
});

describe('git', () => {
  it('ends when it takes too long, or when the repository is too large', async () => {
    const slow = { ...git, limitMs: 50 };
    await expect(runGit(['hash-object', '--stdin-paths', '--path=x'], { ...slow, path: '/nowhere' })).rejects.toThrow(
      'git cannot be run',
    );
    commit(control, { 'data/large.txt': 'x'.repeat(100_000) });
    git = { ...git, limitBytes: 1000 };
    await expect(sync()).rejects.toThrow('the repository has more than 1000 bytes');
  });

  it('is told the source of code by its name', async () => {
    const store = new GitSourceStore(world.stores);
    await store.put(source({ key: '/etc/key' }));
    expect(await store.list()).toEqual([source({ key: '/etc/key' })]);
    await expect(store.put(source({ name: '../x' }))).rejects.toThrow("'../x' is no name of a source");
    await expect(store.put(source({ prefix: 'a b' }))).rejects.toThrow("'a b' is no prefix of environments");
    await expect(store.put(source({ key: 'key' }))).rejects.toThrow("'key' must be an absolute path");
    await sync();
    expect(await store.delete('main')).toBe(true);
    expect([await store.list(), await store.listEnvironments(), await store.delete('main')]).toEqual([[], [], false]);
  });
});
