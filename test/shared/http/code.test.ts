import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar/fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createToken, listTokens, revokeToken } from '../../../shared/access/tokens/deploy-tokens.ts';
import { createRuby } from '../../../shared/cli/commands/ruby-choice.ts';
import { directorySource } from '../../../shared/fleet/code/code-source.ts';
import { forgetUploadedCode } from '../../../shared/fleet/code/uploaded-code.ts';
import { createWorkerContext } from '../../../shared/fleet/compiles/create-worker-context.ts';
import { workOff } from '../../../shared/fleet/compiles/work-off.ts';
import { FreshnessPolicies } from '../../../shared/fleet/policies/freshness-policies.ts';
import { endStage } from '../../../shared/fleet/stages/finish-stage.ts';
import { type FrontDoor, openFrontDoor } from '../../../shared/http/front-door.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-code-http-'));
const errors: unknown[] = [];
let stores: EmbeddedStores;
let uploads: FrontDoor;
let fixed: FrontDoor;

beforeAll(async () => {
  stores = openEmbeddedStores(join(folder, 'data'));
  const common = {
    authorityName: 'test',
    autosign: false,
    log: { logError: (message: string, cause: unknown) => errors.push([message, cause]) },
  };
  uploads = await openFrontDoor(stores, common);
  write({ 'repo/environments/fixed/manifests/site.pp': '# fixed' });
  fixed = await openFrontDoor(stores, { ...common, codeSource: directorySource(stores, join(folder, 'repo')) });
  await createToken(stores, 'secret', 'pipeline', null);
});
afterAll(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The archive of a folder with these files. */
async function archive(name: string, files: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
  write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`${name}/${path}`, text])));
  return Uint8Array.from(gzipSync(await buffer(packTar(join(folder, name)))));
}

interface Asked {
  readonly door?: FrontDoor;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly token?: string | null;
}

async function ask(method: string, path: string, { door = uploads, body, token = 'secret' }: Asked = {}) {
  const headers: Record<string, string> = token === null ? {} : { 'X-Authentication': token };
  const response = await door.app.request(path, { method, headers, ...(body ? { body } : {}) }, { peer: null });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** Does the jobs of workers until `work` is done. */
async function withWorker<T>(work: Promise<T>): Promise<T> {
  const ruby = createRuby({ host: 'wasm', user: null, memoryLimitBytes: null }, undefined);
  const server = { name: 'puppet', ip: null, release: '0' };
  const context = createWorkerContext({ stores, ruby, limitMs: 60_000, processVariables: {}, server });
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const [job] = await stores.queue.receive(1, 0);
    if (job) await workOff(job, stores.queue, context);
    else await new Promise((resolve) => setTimeout(resolve, 2));
  }
  ruby.close();
  return end;
}

describe('a token', () => {
  it.each([
    ['POST', '/code-manager/v1/deploys'],
    ['GET', '/code-manager/v1/deploys/status'],
    ['GET', '/code-manager/v1/deploys/status/1'],
    ['PUT', '/understudy/v1/code/production'],
    ['POST', '/file-sync/v1/commit'],
    ['POST', '/file-sync/v1/publish'],
    ['POST', '/file-sync/v1/force-sync'],
    ['GET', '/file-sync/v1/latest-commits'],
  ])('is demanded by %s %s', async (method, path) => {
    const refused = { kind: 'puppetlabs.rbac/user-unauthenticated', msg: 'Route requires authentication' };
    expect(await ask(method, path, { token: null })).toEqual({ status: 401, body: refused });
    expect(await ask(method, path, { token: 'other' })).toEqual({
      status: 401,
      body: { ...refused, msg: 'The token is unknown or has expired' },
    });
  });

  it('is also taken as a bearer or as a parameter', async () => {
    const path = '/file-sync/v1/latest-commits';
    const bearer = await uploads.app.request(path, { headers: { Authorization: 'Bearer secret' } }, { peer: null });
    expect(bearer.status).toBe(200);
    expect((await ask('GET', `${path}?token=secret`, { token: null })).status).toBe(200);
  });

  it('ends when it expires or is revoked; its secret is kept nowhere', async () => {
    await createToken(stores, 'short', 'someone', 1);
    await expect
      .poll(() => ask('GET', '/file-sync/v1/latest-commits', { token: 'short' }))
      .toMatchObject({ status: 401 });
    const { id } = await createToken(stores, 'long', 'someone', null);
    expect((await ask('GET', '/file-sync/v1/latest-commits', { token: 'long' })).status).toBe(200);
    expect(JSON.stringify(await listTokens(stores))).not.toContain('long');
    expect(await revokeToken(stores, id)).toBe(true);
    expect(await revokeToken(stores, id)).toBe(false);
    expect((await ask('GET', '/file-sync/v1/latest-commits', { token: 'long' })).status).toBe(401);
  });
});

describe('an upload', () => {
  it('is put in force by a deploy, not before', async () => {
    const body = await archive('first', { 'manifests/site.pp': '# one', 'data/common.yaml': 'x: 1\n' });
    const staged = await ask('PUT', '/understudy/v1/code/production', { body });
    expect(staged).toEqual({
      status: 200,
      body: { environment: 'production', code_id: expect.stringMatching(/^[0-9a-f]{64}$/), files: 2 },
    });
    const { code_id: codeId } = staged.body;
    expect(await stores.environments.get('production')).toBeNull();
    const deployed = await ask('POST', '/code-manager/v1/deploys', {
      body: JSON.stringify({ environments: ['production'], wait: true }),
    });
    expect(deployed).toEqual({
      status: 200,
      body: [
        {
          environment: 'production',
          id: 1,
          status: 'complete',
          'deploy-signature': codeId,
          'file-sync': { 'environment-commit': codeId, 'code-commit': codeId },
        },
      ],
    });
    expect(await stores.environments.get('production')).toMatchObject({ codeId, by: 'pipeline', settled: 1 });
    expect(await ask('GET', '/code-manager/v1/deploys/status/1')).toEqual({ status: 200, body: deployed.body[0] });
    expect(await ask('GET', '/code-manager/v1/deploys/status?id=1')).toEqual({ status: 200, body: deployed.body[0] });
  });

  it('is committed by file sync as well', async () => {
    const body = await archive('second', { 'manifests/site.pp': '# two' });
    const { code_id: codeId } = (await ask('PUT', '/understudy/v1/code/staging', { body })).body;
    const commit = { 'repo-id': 'puppet-code', 'submodule-id': 'staging' };
    expect(await ask('POST', '/file-sync/v1/commit', { body: JSON.stringify(commit) })).toEqual({
      status: 200,
      body: {
        'puppet-code': { status: 'successful', submodules: { staging: { commit: codeId, status: 'successful' } } },
      },
    });
    const { body: latest } = await ask('GET', '/file-sync/v1/latest-commits');
    expect(latest['puppet-code'].submodules.staging).toMatchObject({ commit: codeId, author: { name: 'pipeline' } });
  });

  it.each([
    ['no archive', async () => new TextEncoder().encode('hello')],
    ['half of one', async () => (await archive('half', { 'manifests/site.pp': 'x'.repeat(5000) })).slice(0, 60)],
    ['a way out', async () => Uint8Array.from(gzipSync(await escaping()))],
  ])('is refused when it is %s', async (_, make) => {
    const refused = await ask('PUT', '/understudy/v1/code/other', { body: await make() });
    expect(refused).toMatchObject({ status: 400, body: { kind: 'understudy/invalid-archive' } });
    expect(await ask('POST', '/code-manager/v1/deploys', { body: '{"environments":["other"]}' })).toMatchObject({
      status: 200,
      body: [{ status: 'failed', error: { msg: "no code of environment 'other' was uploaded" } }],
    });
  });

  it('without anything of an environment is refused unless that is asked for', async () => {
    const body = await archive('nothing', { 'README.md': 'x' });
    expect(await ask('PUT', '/understudy/v1/code/nothing', { body })).toEqual({
      status: 400,
      body: {
        kind: 'understudy/invalid-archive',
        msg: 'the archive is not an environment: it has no file of environment.conf, hiera.yaml, fileserver.conf, manifests, modules or the like; ?allow-empty=true accepts it anyway',
      },
    });
    expect(await stores.documents.get('staged-code', 'nothing')).toBeNull();
    expect(await ask('PUT', '/understudy/v1/code/nothing?allow-empty=true', { body })).toMatchObject({
      status: 200,
      body: { environment: 'nothing', files: 1 },
    });
    await forgetUploadedCode(stores, 'nothing');
  });

  it('goes only to an environment that can be one, and only where code is uploaded', async () => {
    expect(await ask('PUT', '/understudy/v1/code/a%2Fb', { body: 'x' })).toEqual({
      status: 400,
      body: { kind: 'understudy/invalid-environment', msg: "'a/b' is no name of an environment" },
    });
    expect(await ask('PUT', '/understudy/v1/code/production', { body: 'x', door: fixed })).toEqual({
      status: 409,
      body: { kind: 'understudy/no-uploads', msg: 'This server deploys its own control repo and takes no uploads' },
    });
  });
});

/** A link to the outside, and a file behind it. */
async function escaping(): Promise<Buffer> {
  mkdirSync(join(folder, 'escape'), { recursive: true });
  symlinkSync('/etc', join(folder, 'escape', 'modules'));
  return buffer(packTar(join(folder, 'escape')));
}

describe('POST deploys', () => {
  it('deploys all environments of the control repo', async () => {
    const dry = await ask('POST', '/code-manager/v1/deploys', {
      door: fixed,
      body: '{"deploy-all":true,"dry-run":true}',
    });
    expect(dry).toEqual({ status: 200, body: { environments: [{ environment: 'fixed' }] } });
    expect(await stores.environments.get('fixed')).toBeNull();
    const deployed = await ask('POST', '/code-manager/v1/deploys', { door: fixed, body: '{"deploy-all":true}' });
    expect(deployed).toEqual({
      status: 200,
      body: [{ environment: 'fixed', id: expect.any(Number), status: 'queued' }],
    });
    const { id } = deployed.body[0];
    await expect
      .poll(() => ask('GET', `/code-manager/v1/deploys/status/${id}`))
      .toMatchObject({ body: { status: 'complete' } });
  });

  it('tells which failed and why', async () => {
    const asked = { door: fixed, body: '{"environments":["gone","fixed"],"wait":true}' };
    const { body } = await ask('POST', '/code-manager/v1/deploys', asked);
    expect(body).toMatchObject([
      {
        environment: 'gone',
        status: 'failed',
        error: {
          kind: 'puppetlabs.code-manager/deploy-failure',
          msg: expect.stringMatching(/^control repo '.*' has no environment 'gone'/),
        },
      },
      { environment: 'fixed', status: 'complete' },
    ]);
    const { body: status } = await ask('GET', '/code-manager/v1/deploys/status');
    expect(status['deploys-status'].failed.map(({ environment }: { environment: string }) => environment)).toEqual([
      'gone',
      'other',
    ]);
    const { deployed } = status['file-sync-storage-status'];
    expect(deployed.map(({ environment }: { environment: string }) => environment)).toEqual([
      'fixed',
      'production',
      'staging',
    ]);
  });

  it.each([
    ['of a process that has ended', { at: Date.now(), holder: 'earlier-boot pid:[1] 1 1' }],
    ['that is older than any function lives', { at: Date.now() - 16 * 60_000 }],
  ])('that was cut short before its code was in force, %s, has failed', async (_, how) => {
    const left = { id: 190, environment: 'cut', status: 'deploying', by: 'x', codeId: null, error: null, ...how };
    await stores.documents.put('code-deploys', '000000000190', left);
    const { body } = await ask('GET', '/code-manager/v1/deploys/status/190');
    expect(body).toMatchObject({
      environment: 'cut',
      status: 'failed',
      error: { msg: 'the process that deployed it ended before the code was in force' },
    });
    const { body: all } = await ask('GET', '/code-manager/v1/deploys/status');
    expect(all['deploys-status'].deploying).toEqual([]);
    await stores.documents.delete('code-deploys', '000000000190');
  });

  it('that is under way is told as that', async () => {
    const holder = stores.processes?.self ?? null;
    const left = {
      id: 190,
      environment: 'cut',
      status: 'deploying',
      at: 0,
      by: 'x',
      codeId: null,
      error: null,
      holder,
    };
    await stores.documents.put('code-deploys', '000000000190', left);
    const { body: all } = await ask('GET', '/code-manager/v1/deploys/status');
    expect(all['deploys-status'].deploying).toMatchObject([{ environment: 'cut' }]);
    await stores.documents.delete('code-deploys', '000000000190');
  });

  it.each([
    ['nonsense', 'The body is not JSON: '],
    ['[]', 'The body must be a JSON object'],
    ['{}', "either 'deploy-all' must be true or 'environments' a list of names"],
    ['{"environments":[]}', "either 'deploy-all' must be true or 'environments' a list of names"],
    ['{"environments":["a b",3]}', 'invalid environment names: ["a b",3]'],
    ['{"deploy-all":"yes"}', "'deploy-all' must be true or false"],
    ['{"environment":"production"}', 'unknown keys: environment'],
  ])('refuses %s', async (body, message) => {
    expect(await ask('POST', '/code-manager/v1/deploys', { body })).toEqual({
      status: 400,
      body: { kind: 'puppetlabs.code-manager/schema-violation', msg: expect.stringContaining(message) },
    });
  });

  it('has no number that was not given', async () => {
    expect(await ask('GET', '/code-manager/v1/deploys/status/4711')).toEqual({
      status: 404,
      body: { kind: 'puppetlabs.code-manager/deploy-not-found', msg: 'There is no deploy 4711' },
    });
  });
});

it('expected failures are told the pipeline, not the log', () => expect(errors).toEqual([]));

describe('the token of a user', () => {
  const denied = (environment: string) => ({
    status: 403,
    body: {
      kind: 'puppetlabs.rbac/permission-denied',
      msg: `amari does not have the permission environment:deploy_code:${environment}`,
    },
  });
  const deploy = (body: object, token: string) =>
    ask('POST', '/code-manager/v1/deploys', { door: fixed, token, body: JSON.stringify({ ...body, wait: true }) });
  let token: string;

  beforeAll(async () => {
    const { access } = fixed;
    const permissions = [{ objectType: 'environment', action: 'deploy_code', instance: 'fixed' }];
    const { id } = await access.roles.create({ displayName: 'Fixers', description: null, permissions });
    const names = { login: 'amari', email: '', displayName: '', isGroup: false, password: null };
    const amari = await access.accounts.create({ ...names, roleIds: [id] });
    token = await access.tokens.create(amari, { lifetimeMs: 3600_000 });
  });

  it('deploys the environments for which the user has the permission', async () => {
    write({ 'repo/environments/fixed/manifests/site.pp': '# by a user' });
    expect(await deploy({ environments: ['fixed'] }, token)).toMatchObject({
      status: 200,
      body: [{ status: 'complete' }],
    });
    expect(await stores.environments.get('fixed')).toMatchObject({ by: 'amari' });
  });

  it('deploys no others, and none of a list with one of them', async () => {
    expect(await deploy({ environments: ['other'] }, token)).toEqual(denied('other'));
    expect(await deploy({ environments: ['fixed', 'other'] }, token)).toEqual(denied('other'));
    expect(await deploy({ 'deploy-all': true }, token)).toEqual(denied('*'));
    expect(await ask('PUT', '/understudy/v1/code/other', { token, body: 'x' })).toEqual(denied('other'));
    expect(await ask('POST', '/file-sync/v1/publish', { door: fixed, token })).toEqual(denied('*'));
    const preview = (body: object) =>
      ask('POST', '/understudy/v1/deploys/preview', { door: fixed, token, body: JSON.stringify(body) });
    expect(await preview({ environment: 'fixed', codeEnvironment: 'other' })).toEqual(denied('other'));
    expect(await preview({ environment: 'other', codeEnvironment: 'fixed' })).toEqual(denied('other'));
    const commit = { 'repo-id': 'puppet-code', 'submodule-id': 'other' };
    expect(await ask('POST', '/file-sync/v1/commit', { token, body: JSON.stringify(commit) })).toEqual(denied('other'));
  });

  it('ends with the user', async () => {
    const amari = await fixed.access.accounts.findByLogin('amari');
    if (amari) await fixed.access.revoke(amari);
    expect(await deploy({ environments: ['fixed'] }, token)).toMatchObject({ status: 401 });
  });
});

describe('a deploy of an environment whose policy has deploys checked', () => {
  const deploy = () =>
    ask('POST', '/code-manager/v1/deploys', { body: JSON.stringify({ environments: ['checked'], wait: true }) });

  it('is refused when a manifest is invalid, and previewed with its faults', async () => {
    await new FreshnessPolicies(stores.documents).put('environments/checked', { deployCheck: 'on' });
    const upload = async (name: string, content: string) => {
      const body = await archive(name, { 'manifests/site.pp': content });
      expect((await ask('PUT', '/understudy/v1/code/checked', { body })).status).toBe(200);
    };
    await upload('sound', '# one');
    expect((await deploy()).body).toMatchObject([{ status: 'complete' }]);
    const before = await stores.environments.get('checked');
    await upload('broken', 'class x { } }');
    const path = 'environments/checked/manifests/site.pp';
    const preview = ask('POST', '/understudy/v1/deploys/preview', { body: '{"environment": "checked"}' });
    expect(await withWorker(preview)).toMatchObject({
      status: 200,
      body: {
        environment: 'checked',
        inForce: before?.codeId,
        files: { changed: [path] },
        faults: [{ path, line: 1 }],
      },
    });
    expect((await withWorker(deploy())).body).toMatchObject([
      {
        status: 'failed',
        error: { msg: `environment checked was not deployed:\n  ${path}:1: Syntax error at '}'` },
      },
    ]);
    expect(await stores.environments.get('checked')).toEqual(before);
    await upload('sound-again', '# two');
    expect((await withWorker(deploy())).body).toMatchObject([{ status: 'complete' }]);
  });
});

describe('a preview with the code of a branch', () => {
  const preview = (body: object, token = 'secret') =>
    ask('POST', '/understudy/v1/deploys/preview', { body: JSON.stringify(body), token });

  it('compares it with the code in force of the environment of the nodes', async () => {
    for (const [name, content] of [
      ['trunk', '# one'],
      ['branch', '# two'],
    ] as const) {
      const body = await archive(`${name}-code`, { 'manifests/site.pp': content });
      expect((await ask('PUT', `/understudy/v1/code/${name}`, { body })).status).toBe(200);
      const deployed = JSON.stringify({ environments: [name], wait: true });
      expect((await ask('POST', '/code-manager/v1/deploys', { body: deployed })).body).toMatchObject([
        { status: 'complete' },
      ]);
    }
    const inForce = await stores.environments.get('branch');
    expect(await withWorker(preview({ environment: 'trunk', codeEnvironment: 'branch' }))).toMatchObject({
      status: 200,
      body: {
        ...{ environment: 'trunk', codeEnvironment: 'branch', codeId: inForce?.codeId },
        files: { added: [], changed: ['environments/trunk/manifests/site.pp'], removed: [] },
      },
    });
    const codeId = inForce?.codeId;
    expect(await preview({ environment: 'trunk', codeId })).toMatchObject({
      status: 404,
      body: { msg: `Environment 'trunk' had no code '${codeId}'` },
    });
    expect(
      await withWorker(preview({ environment: 'trunk', codeEnvironment: 'branch', codeId, nodes: 0 })),
    ).toMatchObject({ status: 200 });
  });

  it('says that the branch is not deployed, or is no name', async () => {
    expect(await preview({ environment: 'trunk', codeEnvironment: 'none' })).toMatchObject({
      status: 404,
      body: { msg: "Environment 'none' is not deployed" },
    });
    expect(await preview({ environment: 'trunk', codeEnvironment: '../x' })).toMatchObject({
      status: 400,
      body: { msg: "'codeEnvironment' must be the name of an environment" },
    });
  });
});

describe('a deploy of an environment whose policy stages deploys', () => {
  const inForce = async () => {
    const record = await stores.environments.get('trial');
    return [record?.codeId, record?.stage?.codeId];
  };
  const upload = async (name: string, content: string): Promise<string> => {
    const body = await archive(name, { 'manifests/site.pp': content });
    return (await ask('PUT', '/understudy/v1/code/trial', { body })).body.code_id;
  };
  const deploy = (more: object = {}) =>
    ask('POST', '/code-manager/v1/deploys', { body: JSON.stringify({ environments: ['trial'], wait: true, ...more }) });

  it('gives it to some nodes first, unless the request says otherwise', async () => {
    await new FreshnessPolicies(stores.documents).put('environments/trial', { stageCanaries: 1 });
    const first = await upload('trial-1', '# one');
    expect((await deploy()).body).toMatchObject([{ status: 'complete', 'deploy-signature': first }]);
    expect(await inForce()).toEqual([first, undefined]);
    const certname = 'trial.example.com';
    await stores.nodes.markSeen(certname, 'trial', 1);
    await stores.nodes.want(certname, 'new', 1, { asked: true });
    await stores.queue.send('express', [{ certname, generation: 1, reason: 'new', at: 1 }]);
    const built = async () => (await stores.nodes.get(certname))?.built;
    await withWorker(vi.waitFor(async () => expect(await built()).toBe(1)));
    const second = await upload('trial-2', '# two');
    const { body } = await deploy();
    expect(body).toMatchObject([{ status: 'complete', 'deploy-signature': second, staged: true }]);
    expect(await inForce()).toEqual([first, second]);
    expect((await ask('GET', `/code-manager/v1/deploys/status/${body[0].id}`)).body).toEqual(body[0]);
    const third = await upload('trial-3', '# three');
    expect((await deploy()).body).toMatchObject([{ staged: true }]);
    expect(await inForce()).toEqual([first, third]);
    expect((await deploy({ stage: false })).body).toMatchObject([
      { status: 'failed', error: { msg: expect.stringContaining('has to end first') } },
    ]);
    await endStage('trial', stores, 'joe');
    expect((await deploy({ stage: false })).body).toMatchObject([{ status: 'complete', 'deploy-signature': third }]);
    expect(await inForce()).toEqual([third, undefined]);
    expect((await deploy({ stage: 'no' })).status).toBe(400);
  });
});

describe('the webhook of Code Manager', () => {
  const call = (query: string, body: unknown, token: string | null = null) =>
    ask('POST', `/code-manager/v1/webhook?${query}`, { door: fixed, token, body: JSON.stringify(body) });
  const NONE = '0'.repeat(40);

  it.each<readonly [string, unknown]>([
    ['github', { ref: 'refs/heads/fixed', after: 'a1', deleted: false }],
    ['gitlab', { object_kind: 'push', ref: 'refs/heads/fixed', after: 'a1' }],
    ['bitbucket', { push: { changes: [{ new: { type: 'branch', name: 'fixed' }, old: null }] } }],
    ['bitbucket-server', { eventKey: 'repo:refs_changed', changes: [{ refId: 'refs/heads/fixed', type: 'UPDATE' }] }],
    ['tfs-git', { eventType: 'git.push', resource: { refUpdates: [{ name: 'refs/heads/fixed', newObjectId: 'a1' }] } }],
  ])('deploys the branches of a push of type %s', async (type, body) => {
    const { status, body: deploys } = await call(`type=${type}&token=secret`, body);
    expect([status, deploys]).toEqual([200, [{ environment: 'fixed', id: expect.any(Number), status: 'queued' }]]);
  });

  it('puts the prefix before the name of a branch', async () => {
    const { body } = await call('type=github&prefix=dev&token=secret', { ref: 'refs/heads/a-b' });
    expect(body).toMatchObject([{ environment: 'dev_a_b', status: 'failed' }]);
  });

  it.each<readonly [string, unknown]>([
    ['a tag', { ref: 'refs/tags/v1' }],
    ['a deleted branch', { ref: 'refs/heads/fixed', after: NONE }],
    ['a test call', { zen: 'x' }],
  ])('deploys nothing for %s', async (_, body) => {
    expect(await call('type=github&token=secret', body)).toEqual({ status: 200, body: [] });
  });

  it('refuses calls without a token, and those that it does not understand', async () => {
    expect((await call('type=github', { ref: 'refs/heads/fixed' })).status).toBe(401);
    expect(await call('type=svn&token=secret', {})).toMatchObject({
      status: 400,
      body: { kind: 'puppetlabs.code-manager/schema-violation' },
    });
    expect((await call('type=github&prefix=a%2Fb&token=secret', { ref: 'refs/heads/x' })).status).toBe(400);
    const text = { door: fixed, token: 'secret', body: 'no JSON' };
    expect((await ask('POST', '/code-manager/v1/webhook?type=github', text)).status).toBe(400);
  });
});
