import { beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../../../../shared/access/accounts/account.ts';
import { MOST_ACTIVITIES, pruneActivities } from '../../../../shared/access/accounts/activity-log.ts';
import { type AccessDoor, openAccessDoor } from '../../../helpers/access-door.ts';
import { type ClassifierDoor, openClassifierDoor } from '../../../helpers/classifier-door.ts';

const V1 = '/activity-api/v1/events';
const V2 = '/activity-api/v2/events';
const DAY = 24 * 3600_000;
const ADMIN = '42bf351c-f9ec-40af-84ad-e976fec7f4bd';
const ROOT = '00000000-0000-4000-8000-000000000000';
let door: AccessDoor;
let admin: string;
let amari: Account;

interface Commit {
  readonly object: { readonly id: string; readonly name: string };
  readonly objects: readonly { readonly id: string; readonly name: string; readonly type: string }[];
  readonly subject: { readonly id: string; readonly name: string };
  readonly timestamp: string;
  readonly events: readonly { readonly message: string }[];
}

async function ask(path: string, token = admin) {
  return door.ask('GET', path, { token });
}

async function commitsOf(path: string, token = admin): Promise<readonly Commit[]> {
  const { status, body } = await ask(path, token);
  expect(status).toBe(200);
  return (body as { commits: readonly Commit[] }).commits;
}

const messagesOf = async (path: string, token = admin) =>
  (await commitsOf(path, token)).map(({ events }) => events[0]?.message);

beforeEach(async () => {
  door = openAccessDoor();
  amari = await door.addUser('amari', [3]);
  admin = await door.tokenOf('admin');
});

/** Four changes, a minute apart. */
async function change() {
  const send = async (method: string, path: string, body: unknown) => {
    door.clock.time += 60_000;
    const { status } = await door.ask(method, path, { token: admin, body });
    expect(status).toBeLessThan(300);
  };
  await send('POST', '/rbac-api/v1/command/users/revoke', { user_id: amari.id });
  await send('POST', '/rbac-api/v1/command/users/reinstate', { user_id: amari.id });
  await send('POST', '/rbac-api/v1/roles', {
    display_name: 'Auditors, "all"',
    description: null,
    permissions: [],
    user_ids: [amari.id],
    group_ids: [],
  });
  await send('POST', '/rbac-api/v1/auth/token', { login: 'amari', password: 'Welc0me!' });
}

describe('v1/events', () => {
  it('has the newest first, with subject, object and time', async () => {
    await change();
    const { body } = await ask(`${V1}?service_id=rbac&limit=2`);
    const object = { id: amari.id, name: 'amari' };
    expect(body).toEqual({
      commits: [
        { object, subject: object, timestamp: '2026-11-20T22:16:50.000Z', events: [{ message: 'token created' }] },
        { object, subject: object, timestamp: '2026-11-20T22:16:50.000Z', events: [{ message: 'logged in' }] },
      ],
      offset: 0,
      limit: 2,
      'total-rows': 5,
    });
  });

  it.each<[string, readonly string[]]>([
    ['order=asc&limit=2', ['revoke: amari', 'reinstate: amari']],
    ['offset=3', ['reinstate: amari', 'revoke: amari']],
    ['offset=9', []],
    ['object_type=roles', ['role created: Auditors, "all"']],
    ['object_type=users&object_id=x,AMARI', ['token created', 'logged in', 'reinstate: amari', 'revoke: amari']],
    ['object_type=users&object_id=x', []],
    ['object_type=node', []],
    [`subject_type=users&subject_id=${ADMIN}`, ['role created: Auditors, "all"', 'reinstate: amari', 'revoke: amari']],
    ['subject_type=users&subject_id=AMARI', ['token created', 'logged in']],
    ['subject_type=robots', []],
    ['after_service_commit_time=2026-11-20T22:15:50Z', ['token created', 'logged in']],
    ['before_service_commit_time=2026-11-20T22:15:50Z', ['reinstate: amari', 'revoke: amari']],
    [
      'after_service_commit_time=2026-11-20T22:13:50Z&before_service_commit_time=2026-11-20T22:15:50Z',
      ['reinstate: amari'],
    ],
  ])('selects by %s', async (query, messages) => {
    await change();
    expect(await messagesOf(`${V1}?service_id=rbac&${query.replaceAll('AMARI', amari.id)}`)).toEqual(messages);
  });

  it.each([
    ['', "The parameter 'service_id' is needed"],
    [
      'service_id=x',
      "The parameter 'service_id' must be one of rbac, classifier, pe-console, code-manager, orchestrator",
    ],
    ['service_id=rbac&subject_id=x', "The parameter 'subject_id' needs 'subject_type'"],
    ['service_id=rbac&object_id=x', "The parameter 'object_id' needs 'object_type'"],
    ['service_id=rbac&limit=0', "The parameter 'limit' must be a whole number from 1 on"],
    ['service_id=rbac&offset=-1', "The parameter 'offset' must be a whole number from 0 on"],
    ['service_id=rbac&order=up', "The parameter 'order' must be asc or desc"],
    [
      'service_id=rbac&after_service_commit_time=now',
      "'after_service_commit_time' must be a time in the form of ISO 8601",
    ],
  ])('refuses %j', async (query, msg) => {
    expect(await ask(`${V1}?${query}`)).toMatchObject({ status: 400, body: { kind: 'schema-violation', msg } });
  });

  it('is empty for services that keep none', async () => {
    await change();
    expect(await commitsOf(`${V1}?service_id=pe-console`)).toEqual([]);
  });

  it('needs a user who may look at the console', async () => {
    const token = await door.tokenWith('users:edit:*');
    expect(await ask(`${V1}?service_id=rbac`, token)).toMatchObject({
      status: 403,
      body: { kind: 'permission-denied', msg: 'helper does not have the permission console_page:view:*' },
    });
    expect(await door.ask('GET', `${V1}?service_id=rbac`)).toMatchObject({ status: 401 });
  });
});

describe('v1/events.csv and v2/events.csv', () => {
  const columns =
    'Submit Time,Subject Type,Subject Id,Subject Name,Object Type,Object Id,Object Name,Type,What,Description,Message';

  it.each([
    ['/activity-api/v1/events.csv?service_id=rbac&object_type=roles', '', ''],
    ['/activity-api/v2/events.csv?query=[{"object_type":"roles"}]', ',Ip Address', ','],
  ])('%s writes a line for each object', async (path, title, cell) => {
    await change();
    const { status, headers, body } = await ask(path);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const name = '"Auditors, ""all"""';
    const message = '"role created: Auditors, ""all"""';
    const id = /,roles,(\d+),/.exec(String(body))?.[1];
    expect(body).toBe(
      `${columns}${title}\n2026-11-20 22:15:50.000,users,${ADMIN},admin,roles,${id},${name},create,role,create_role,${message}${cell}\n`,
    );
  });
});

describe('v2/events', () => {
  it('has all objects, and needs no service', async () => {
    await change();
    const { body } = await ask(`${V2}?limit=1&offset=2`);
    const { commits, pagination } = body as { commits: readonly Commit[]; pagination: unknown };
    expect(commits[0]).toMatchObject({
      objects: [{ name: 'Auditors, "all"', type: 'roles' }],
      subject: { id: ADMIN, name: 'admin' },
    });
    expect(pagination).toEqual({ total: 5, limit: 1, offset: 2 });
  });

  it.each<[string, unknown, readonly string[]]>([
    [
      'a subject without a type',
      [{ subject_id: ADMIN }],
      ['role created: Auditors, "all"', 'reinstate: amari', 'revoke: amari'],
    ],
    ['two types', [{ object_type: 'roles' }, { object_type: 'user_groups' }], ['role created: Auditors, "all"']],
    [
      'a range, with its ends',
      [{ start: '2026-11-20T22:14:50Z', end: '2026-11-20T22:15:50Z' }],
      ['role created: Auditors, "all"', 'reinstate: amari'],
    ],
    ['a query in an object', { query: [{ object_type: 'roles' }] }, ['role created: Auditors, "all"']],
  ])('selects by %s', async (_, query, messages) => {
    await change();
    expect(await messagesOf(`${V2}?query=${encodeURIComponent(JSON.stringify(query))}`)).toEqual(messages);
  });

  it.each<[unknown, number, string]>([
    ['x', 400, "The parameter 'query' must be a JSON array of at most 100 objects"],
    [[1], 400, "The parameter 'query' must be a JSON array of at most 100 objects"],
    [[{ nope: 1 }], 400, "The query has the unknown key 'nope'"],
    [[{ object_id: '3' }], 400, "The key 'object_id' needs 'object_type'"],
    [[{ object_type: 'roles', object_id: 3 }], 400, "The key 'object_id' must be a text"],
    [[{ start: '2026-11-20T22:14:50Z' }], 400, "'end' must be a time in the form of ISO 8601"],
    [[{ ip_address: '10.' }], 501, 'Activities have no addresses of clients'],
  ])('refuses %j', async (query, status, msg) => {
    const path = `${V2}?query=${encodeURIComponent(JSON.stringify(query))}`;
    expect(await ask(path)).toMatchObject({ status, body: { msg } });
  });
});

describe('changes of node groups', () => {
  let classifier: ClassifierDoor;

  beforeEach(async () => {
    classifier = openClassifierDoor({ production: {} });
    door = classifier;
    admin = await door.tokenOf('admin');
    const body = { name: 'Web', parent: ROOT, classes: {}, rule: ['or', ['=', 'name', 'web01.example.com']] };
    await door.ask('POST', '/classifier-api/v1/groups', { token: admin, body });
    const nodes = { nodes: ['web01.example.com'] };
    await door.ask('POST', '/classifier-api/v1/commands/unpin-from-all', { token: admin, body: nodes });
  });

  it('are those of the classifier', async () => {
    const found = await commitsOf(`${V1}?service_id=classifier&order=asc&object_type=node_groups`);
    expect(found.map(({ object: { name }, events: [event] }) => [name, event?.message])).toEqual([
      ['Web', 'node group created: Web'],
      ['Web', 'nodes unpinned: web01.example.com'],
    ]);
  });

  it('are shown to those who may look at all groups', async () => {
    const token = await door.tokenWith('console_page:view:*');
    expect(await messagesOf(V2, token)).toEqual([]);
    const body = { role_id: 3, user_ids: [(await door.access.accounts.findByLogin('helper'))?.id] };
    await door.ask('POST', '/rbac-api/v1/command/roles/add-users', { token: admin, body });
    expect(await messagesOf(`${V2}?service_id=classifier`, token)).toHaveLength(2);
  });
});

describe('the store', () => {
  it('forgets activities after 90 days, and all but the newest', async () => {
    await change();
    door.clock.time += 90 * DAY - 60_000;
    admin = await door.tokenOf('admin');
    expect(await messagesOf(V2)).toEqual(['token created', 'logged in']);
    await pruneActivities(door.documents, door.clock.now());
    expect(await door.documents.countKeys('access-activities', 10)).toBe(2);
    await pruneActivities(door.documents, door.clock.now(), 1);
    expect(await messagesOf(V2)).toEqual(['token created']);
  });

  it('reads no more than the newest', async () => {
    const objects = [{ type: 'users', id: 'x', name: 'x' }] as const;
    for (let index = 0; index < MOST_ACTIVITIES + 5; index += 1) {
      const message = String(index);
      await door.access.activities.add(
        { id: ADMIN, name: 'admin' },
        { service: 'rbac', action: 'edit', objects, message },
      );
    }
    const { body } = await ask(`${V1}?service_id=rbac&order=asc&limit=1`);
    expect(body).toMatchObject({ commits: [{ events: [{ message: '5' }] }], 'total-rows': MOST_ACTIVITIES });
  });
});
