import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noteBackup } from '../../../../shared/fleet/code/last-backup.ts';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import { GitSourceStore } from '../../../../shared/fleet/sources/code-source-store.ts';
import { KEPT_VALUES, keptValueKey } from '../../../../shared/fleet/values/kept-value-list.ts';
import { type ConsoleDoor, openConsoleDoor } from '../../../helpers/console-door.ts';
import { askAsDescribed } from '../../../helpers/described-door.ts';

const SOURCES = '/understudy/v1/code-sources';
let door: ConsoleDoor;
let cookie: string;

beforeAll(async () => {
  door = await openConsoleDoor();
  cookie = await door.logIn('sources', [1]);
});
afterEach(async () => {
  const store = new GitSourceStore(door.http.services);
  for (const { name } of await store.list()) await store.delete(name);
});

/** Asks as an administrator. */
const ask = (id: string, path: string, body?: unknown) => askAsDescribed({ door, cookie }, id, path, body);

describe('sources of code', () => {
  it('are added, listed without passwords, and forgotten', async () => {
    const url = 'https://ci:s3cret@git.example.com/control.git';
    expect(await ask('putCodeSource', `${SOURCES}/main`, { url, prefix: '' })).toEqual([200, { source: 'main' }]);
    await new GitSourceStore(door.http.services).noteEnvironment({
      environment: 'production',
      source: 'main',
      branch: 'production',
      commit: 'c0ffee',
    });
    const main = {
      name: 'main',
      url: 'https://…@git.example.com/control.git',
      prefix: null,
      hasKey: false,
      webhook: null,
      environments: [{ environment: 'production', branch: 'production', commit: 'c0ffee', rolledBack: null }],
      lastSync: null,
    };
    expect(await ask('listCodeSources', SOURCES)).toEqual([200, { canSync: false, sources: [main] }]);
    expect(await ask('deleteCodeSource', `${SOURCES}/main`)).toEqual([200, { removed: 'main' }]);
    expect((await ask('deleteCodeSource', `${SOURCES}/main`))[0]).toBe(404);
  });

  it('keep their key and their secret when they change', async () => {
    const store = new GitSourceStore(door.http.services);
    await store.put({
      name: 'main',
      url: 'ssh://git@a/x',
      key: '/etc/key',
      prefix: null,
      author: null,
      secretFile: '/etc/hook',
    });
    await ask('putCodeSource', `${SOURCES}/main`, { url: 'git@b.example.com:x.git', prefix: 'team' });
    expect(await store.get('main')).toEqual({
      name: 'main',
      url: 'git@b.example.com:x.git',
      key: '/etc/key',
      prefix: 'team',
      secretFile: '/etc/hook',
      author: { id: expect.any(String), login: 'sources' },
    });
    const [, listed] = await ask('listCodeSources', SOURCES);
    expect(listed).toMatchObject({ sources: [{ hasKey: true, webhook: `${SOURCES}/main/webhook` }] });
  });

  it.each([
    [{ url: 'file:///etc' }, "Folders of the server are added there: 'understudy code sources add'"],
    [{ url: 'ext::sh -c x' }, "'ext::sh -c x' is no URL of a git repository: "],
    [{ url: 'https://a/x', prefix: 'a-b' }, "'a-b' is no prefix of environments: letters, digits and _"],
    [{ url: 'https://a/x', prefix: 1 }, "'prefix' must be a text or null"],
    [{}, "'url' must be a text"],
  ])('are refused: %j', async (body, message) => {
    const [status, fault] = await ask('putCodeSource', `${SOURCES}/main`, body);
    expect([status, JSON.stringify(fault)]).toEqual([400, expect.stringContaining(message)]);
  });

  it('are not fetched by a server that synchronises none', async () => {
    expect((await ask('syncCodeSource', `${SOURCES}/main/sync`, {}))[0]).toBe(404);
    await ask('putCodeSource', `${SOURCES}/main`, { url: 'https://git.example.com/control.git' });
    const [status, fault] = await ask('syncCodeSource', `${SOURCES}/main/sync`, {});
    expect([status, JSON.stringify(fault)]).toEqual([503, expect.stringContaining("'understudy code sources sync'")]);
  });
});

describe('kept values', () => {
  const value = { environment: 'production', name: 'postgres::password', changedAt: 7, by: 'db01.example.com' };
  const key = keptValueKey(value.environment, value.name);

  it('are listed without their texts, and rotated', async () => {
    await door.http.documents.create(KEPT_VALUES, key, { ...value, version: 'v1', sealed: 'sealed' });
    const list = (query = '') => ask('listKeptValues', `/understudy/v1/values${query}`);
    expect(await list()).toEqual([200, { values: [value], hasMore: false }]);
    expect(await list('?environment=staging')).toEqual([200, { values: [], hasMore: false }]);
    expect((await list('?environment=a-b'))[0]).toBe(400);
    const path = '/understudy/v1/environments/production/values/rotate';
    const rotate = (body: object) => ask('rotateKeptValue', path, body);
    expect((await rotate({}))[0]).toBe(400);
    const rotated = { environment: 'production', name: value.name, nodes: 0, isComplete: true };
    expect(await rotate({ name: value.name })).toEqual([200, rotated]);
    expect((await rotate({ name: value.name }))[0]).toBe(404);
  });
});

it('the last backup is told', async () => {
  expect(await ask('getBackups', '/understudy/v1/backups')).toEqual([200, { last: null }]);
  const last = { at: 7, file: '/backups/monday', blobs: 12 };
  await noteBackup(door.http.documents, last);
  expect(await ask('getBackups', '/understudy/v1/backups')).toEqual([200, { last }]);
});

describe('how nodes run by themselves', () => {
  const PATH = '/understudy/v1/policies/environments/test';
  const KEY = 'environments/test';

  it('is changed by users who may run Puppet', async () => {
    const { access } = door;
    const permissions = ['configuration:edit', 'configuration:view', 'console_page:view'].map((text) => {
      const [objectType = '', action = ''] = text.split(':');
      return { objectType, action, instance: '*' };
    });
    const { id } = await access.roles.create({ displayName: 'Policies', description: null, permissions });
    const own = await door.logIn('policies', [id]);
    const put = (body: object | null, by: string) =>
      door.ask(PATH, { method: body === null ? 'DELETE' : 'PUT', cookie: by, ...(body && { body }) });
    const policies = new FreshnessPolicies(door.http.documents);
    expect((await put({ notify: 'now' }, own)).status).toBe(403);
    expect((await put({ freshness: 'stale' }, own)).status).toBe(200);
    expect((await put({ freshness: 'stale', notify: 'paced' }, cookie)).status).toBe(200);
    expect((await put({ freshness: 'wait', notify: 'paced' }, own)).status).toBe(200);
    expect((await policies.getStored(KEY))?.author?.login).toBe('sources');
    expect((await put({ notify: 'paced', canary: 0 }, own)).status).toBe(403);
    expect((await put(null, own)).status).toBe(403);
    expect((await put({ notify: 'off' }, own)).status).toBe(200);
    expect((await put(null, own)).status).toBe(403);
    expect((await put(null, cookie)).status).toBe(200);
  });
});
