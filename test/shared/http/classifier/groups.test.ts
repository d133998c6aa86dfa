import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT_ID } from '../../../../shared/fleet/groups/node-group.ts';
import { type ClassifierDoor, openClassifierDoor } from '../../../helpers/classifier-door.ts';
import { groupId } from '../../../helpers/group-hierarchies.ts';
import { BESIDE, isBeside } from '../../../helpers/material-beside.ts';

const GROUPS = '/classifier-api/v1/groups';
const CLASSES = { production: { ntp: ['servers', 'panic'], web: ['port'] }, test: { ntp: ['servers'] } };
let door: ClassifierDoor;
let admin: string;

beforeEach(async () => {
  door = openClassifierDoor(CLASSES);
  admin = await door.tokenOf('admin');
});

const ask = (method: string, path: string, body?: unknown, token = admin) =>
  door.ask(method, path.startsWith('/') ? path : `/classifier-api/v1/${path}`, {
    token,
    ...(body === undefined ? {} : { body }),
  });

const group = (name: string, more: object = {}) => ({ name, parent: ROOT_ID, classes: {}, ...more });

async function create(name: string, more: object = {}): Promise<string> {
  const answer = await ask('POST', 'groups', group(name, more));
  expect([answer.status, answer.body]).toEqual([303, null]);
  return answer.headers.get('Location')?.replace(`${GROUPS}/`, '') ?? '';
}

describe('groups', () => {
  it('are created, read, listed and deleted', async () => {
    const id = await create('Web', {
      description: 'x',
      rule: ['=', ['fact', 'tier'], 'web'],
      classes: { web: { port: 80 } },
      config_data: { ntp: { panic: 0 } },
      variables: { zone: 'a' },
    });
    expect(await ask('GET', `groups/${id}`)).toMatchObject({
      status: 200,
      body: {
        id,
        name: 'Web',
        description: 'x',
        environment: 'production',
        environment_trumps: false,
        parent: ROOT_ID,
        rule: ['=', ['fact', 'tier'], 'web'],
        classes: { web: { port: 80 } },
        config_data: { ntp: { panic: 0 } },
        variables: { zone: 'a' },
        last_edited: '2026-11-20T22:12:50.000Z',
        serial_number: 1,
      },
    });
    const { body } = await ask('GET', 'groups');
    expect((body as { name: string }[]).map(({ name }) => name)).toEqual(['All Nodes', 'Web']);
    expect((await ask('GET', 'groups?limit=1&offset=1')).body).toMatchObject([{ name: 'Web' }]);
    expect(await ask('DELETE', `groups/${id}`)).toMatchObject({ status: 204, body: null });
    expect(await ask('GET', `groups/${id}`)).toMatchObject({
      status: 404,
      body: { kind: 'not-found', msg: 'The resource could not be found.', details: `${GROUPS}/${id}` },
    });
    expect(door.changes()).toBe(2);
  });

  it('show what they inherit', async () => {
    const parent = await create('Base', { classes: { ntp: { servers: ['a'], panic: 1 } }, variables: { x: 1, y: 1 } });
    await create('Child', { parent, classes: { ntp: { panic: 2 } }, variables: { y: 2 } });
    const shown = async (query: string) => {
      const list = (await ask('GET', `groups${query}`)).body as {
        name: string;
        classes: unknown;
        variables: unknown;
      }[];
      const { classes, variables } = list.find(({ name }) => name === 'Child') ?? {};
      return { classes, variables };
    };
    const own = { classes: { ntp: { panic: 2 } }, variables: { y: 2 } };
    expect(await shown('')).toEqual(own);
    expect(await shown('?inherited=0')).toEqual(own);
    expect(await shown('?inherited=false')).toEqual(own);
    expect(await shown('?inherited=1')).toEqual({
      classes: { ntp: { servers: ['a'], panic: 2 } },
      variables: { x: 1, y: 2 },
    });
  });

  it('are put: created, replaced, and left as they are', async () => {
    const id = groupId(7);
    const body = group('Put', { variables: { a: 1 } });
    expect(await ask('PUT', `groups/${id}`, body)).toMatchObject({ status: 201, body: { id, serial_number: 1 } });
    expect(await ask('PUT', `groups/${id}`, body)).toMatchObject({ status: 200, body: { id, serial_number: 1 } });
    const other = group('Put', { classes: { web: {} } });
    expect(await ask('PUT', `groups/${id}`, other)).toMatchObject({
      status: 201,
      body: { variables: {}, classes: { web: {} }, serial_number: 2 },
    });
  });

  it('are edited: merged in depth, null removes', async () => {
    const id = await create('Edit', {
      rule: ['=', 'name', 'a'],
      classes: { ntp: { servers: ['a'], panic: 1 }, web: { port: 1 } },
      variables: { hash: { a: 1, b: { c: 2 } }, gone: 1 },
    });
    const delta = {
      description: 'new',
      rule: null,
      classes: { ntp: { panic: null }, web: null },
      variables: { hash: { b: { d: 3 } }, gone: null, more: [1] },
      serial_number: 1,
    };
    expect(await ask('POST', `groups/${id}`, delta)).toMatchObject({
      status: 200,
      body: {
        description: 'new',
        rule: null,
        classes: { ntp: { servers: ['a'] } },
        variables: { hash: { a: 1, b: { c: 2, d: 3 } }, more: [1] },
        serial_number: 2,
      },
    });
    const { body } = await ask('POST', `groups/${id}`, { description: 'new' });
    expect(body).toMatchObject({ serial_number: 2 });
    expect(await ask('POST', `groups/${id}`, { description: 'z', serial_number: 1 })).toMatchObject({
      status: 409,
      body: {
        kind: 'conflict',
        msg: "The group 'Edit' has changed: its serial number is 2, not 1",
        details: { serial_number: 2, submitted: 1, group: { id, description: 'new', serial_number: 2 } },
      },
    });
  });

  it('keep the change of one of two editors, and refuse the other', async () => {
    const id = await create('Two', {});
    const edits = [1, 2].map((one) => ask('POST', `groups/${id}`, { variables: { one }, serial_number: 1 }));
    const statuses = (await Promise.all(edits)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409]);
  });

  it('keep the changes of many editors of different groups', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map((one) => create(`Group ${one}`)));
    await Promise.all(ids.map((id) => ask('POST', `groups/${id}`, { variables: { id } })));
    const list = (await ask('GET', 'groups')).body as { id: string; variables: object }[];
    expect(list.filter(({ id, variables }) => 'id' in variables && variables.id === id)).toHaveLength(5);
  });

  it.each<[string, string, string, unknown, number, string, string]>([
    ['no JSON', 'POST', 'groups', '{', 400, 'malformed-request', 'The body of the request is not JSON'],
    ['a list', 'POST', 'groups', [], 400, 'schema-violation', 'The group is invalid: a group is a JSON object'],
    [
      'no classes',
      'POST',
      'groups',
      { name: 'X', parent: ROOT_ID },
      400,
      'schema-violation',
      'The group is invalid: the required keys classes are missing',
    ],
    [
      'an unknown key',
      'POST',
      'groups',
      group('X', { rules: [] }),
      400,
      'schema-violation',
      "The group is invalid: a group has no key 'rules'",
    ],
    [
      'an invalid rule',
      'POST',
      'groups',
      group('X', { rule: ['or'] }),
      400,
      'schema-violation',
      'The rule is invalid: \'or\' needs at least one condition, not ["or"]',
    ],
    [
      'classes without parameters',
      'POST',
      'groups',
      group('X', { classes: { web: null } }),
      400,
      'schema-violation',
      "The group is invalid: 'classes' must be an object of classes, each with an object of parameters",
    ],
    [
      'a parent that is no UUID',
      'POST',
      'groups',
      group('X', { parent: 'root' }),
      400,
      'malformed-uuid',
      "The 'parent' of a group must be a UUID, not 'root'",
    ],
    [
      'an unknown parent',
      'POST',
      'groups',
      group('X', { parent: groupId(99) }),
      422,
      'missing-parent',
      `The parent ${groupId(99)} of the group 'X' does not exist`,
    ],
    [
      'an invalid environment',
      'POST',
      'groups',
      group('X', { environment: 'a b' }),
      400,
      'schema-violation',
      "The group is invalid: 'environment' must be alphanumeric",
    ],
    [
      'the name of another',
      'POST',
      'groups',
      group('All Nodes'),
      422,
      'uniqueness-violation',
      "A group named 'All Nodes' already exists in the environment 'production'",
    ],
    [
      'an unknown class',
      'POST',
      'groups',
      group('X', { classes: { nope: {} } }),
      422,
      'missing-referents',
      'The class nope does not exist in the environment production',
    ],
    [
      'unknown parameters',
      'POST',
      'groups',
      group('X', { classes: { web: { a: 1, b: 2 } } }),
      422,
      'missing-referents',
      'The class parameter web a does not exist in the environment production, and 1 more',
    ],
    ['an id that is no UUID', 'GET', 'groups/x', undefined, 400, 'malformed-uuid', "'x' is not a valid UUID"],
    [
      'another rule of the root',
      'POST',
      `groups/${ROOT_ID}`,
      { rule: ['=', 'name', 'x'] },
      422,
      'root-immutable',
      'The rule of the root group cannot be changed: it matches all nodes',
    ],
    [
      'no rule of the root',
      'POST',
      `groups/${ROOT_ID}`,
      { rule: null },
      422,
      'root-immutable',
      'The rule of the root group cannot be changed: it matches all nodes',
    ],
    [
      'the end of the root',
      'DELETE',
      `groups/${ROOT_ID}`,
      undefined,
      422,
      'root-immutable',
      'The root group cannot be deleted',
    ],
    [
      'a limit that is no number',
      'GET',
      'groups?limit=x',
      undefined,
      400,
      'malformed-request',
      "The parameter 'limit' must be a whole number, not 'x'",
    ],
    [
      'an offset that is no number',
      'GET',
      'classes?offset=-1',
      undefined,
      400,
      'malformed-request',
      "The parameter 'offset' must be a whole number, not '-1'",
    ],
    [
      'a negative depth',
      'GET',
      `group-children/${ROOT_ID}?depth=-1`,
      undefined,
      400,
      'malformed-request',
      "The parameter 'depth' must be a whole number, not '-1'",
    ],
  ])('refuse %s', async (_, method, path, body, status, kind, msg) => {
    expect(await ask(method, path, body)).toMatchObject({ status, body: { kind, msg } });
    expect(door.changes()).toBe(0);
  });

  it('are not deleted while they have children, and do not inherit from those below them', async () => {
    const parent = await create('Parent');
    const child = await create('Child', { parent });
    expect(await ask('DELETE', `groups/${parent}`)).toMatchObject({
      status: 422,
      body: { kind: 'children-present', msg: "The group 'Parent' has children: Child", details: { children: [child] } },
    });
    expect(await ask('POST', `groups/${parent}`, { parent: child })).toMatchObject({
      status: 422,
      body: { kind: 'inheritance-cycle' },
    });
  });

  it('keep classes that the code has lost, but get no new ones', async () => {
    const id = await create('Old', { environment: 'undeployed', classes: { lost: { a: 1 }, web: { port: 1 } } });
    const details = [
      { kind: 'missing-class', missing: 'lost', environment: 'test', group: id, defined_by: id },
      { kind: 'missing-class', missing: 'web', environment: 'test', group: id, defined_by: id },
    ];
    const moved = await ask('POST', `groups/${id}`, { environment: 'test' });
    expect(moved).toMatchObject({ status: 422, body: { kind: 'missing-referents', details } });
    Object.assign(CLASSES, { undeployed: { web: [] } });
    expect((await ask('GET', `groups/${id}`)).body).toMatchObject({
      deleted: {
        lost: { 'puppetlabs.classifier/deleted': true, a: { 'puppetlabs.classifier/deleted': true, value: 1 } },
        web: { 'puppetlabs.classifier/deleted': false, port: { 'puppetlabs.classifier/deleted': true, value: 1 } },
      },
    });
    expect(await ask('POST', `groups/${id}`, { description: 'kept' })).toMatchObject({ status: 200 });
    expect(await ask('POST', `groups/${id}`, { classes: { other: {} } })).toMatchObject({ status: 422 });
    Reflect.deleteProperty(CLASSES, 'undeployed');
  });

  it('are validated without being changed', async () => {
    expect(await ask('POST', 'validate/group', group('New'))).toMatchObject({ status: 200, body: { name: 'New' } });
    expect(await ask('POST', 'validate/group', group('All Nodes'))).toMatchObject({ status: 422 });
    expect((await ask('GET', 'groups')).body).toHaveLength(1);
  });

  it('show those below them', async () => {
    const parent = await create('Parent');
    await create('Child', { parent });
    const tree = { name: 'Parent', children: [{ name: 'Child', children: [] }] };
    expect((await ask('GET', `group-children/${ROOT_ID}`)).body).toMatchObject([
      { name: 'All Nodes', children: [tree] },
    ]);
    expect((await ask('GET', `group-children/${ROOT_ID}?depth=1`)).body).toMatchObject([
      { children: [{ name: 'Parent', children: [] }] },
    ]);
  });
});

describe('pins', () => {
  const rules = async (id: string) =>
    (await ask('GET', `groups/${id}`)).body as { rule: unknown; serial_number: number };

  it('are added to a rule and removed from it', async () => {
    const own = ['and', ['=', ['fact', 'tier'], 'web']];
    const id = await create('Pinned', { rule: own });
    expect(await ask('POST', `groups/${id}/pin?nodes=a%2Cb`)).toMatchObject({ status: 204, body: null });
    expect(await ask('POST', `groups/${id}/pin`, { nodes: 'c' })).toMatchObject({ status: 204 });
    expect(await ask('POST', `groups/${id}/pin`, { nodes: ['a', 'c'] })).toMatchObject({ status: 204 });
    const pins = (...names: string[]) => names.map((name) => ['=', 'name', name]);
    expect(await rules(id)).toMatchObject({ rule: ['or', own, ...pins('a', 'b', 'c')], serial_number: 3 });
    await ask('POST', `groups/${id}/unpin`, { nodes: ['a', 'x'] });
    expect(await rules(id)).toMatchObject({ rule: ['or', own, ...pins('b', 'c')] });
    await ask('POST', `groups/${id}/unpin?nodes=b,c`);
    expect(await rules(id)).toMatchObject({ rule: own });
  });

  it('make the rule of a group without one', async () => {
    const id = await create('Only pins');
    await ask('POST', `groups/${id}/pin`, { nodes: ['a'] });
    expect(await rules(id)).toMatchObject({ rule: ['or', ['=', 'name', 'a']] });
    await ask('POST', `groups/${id}/unpin`, { nodes: ['a'] });
    expect(await rules(id)).toMatchObject({ rule: null });
  });

  it.each<[unknown, string]>([
    [{}, 'schema-violation'],
    [{ nodes: [] }, 'schema-violation'],
    [{ nodes: [1] }, 'schema-violation'],
    [{ nodes: ['a'], x: 1 }, 'schema-violation'],
    ['nodes', 'malformed-request'],
  ])('of %j are refused', async (body, kind) => {
    const id = await create('Refused');
    expect(await ask('POST', `groups/${id}/pin`, body)).toMatchObject({ status: 400, body: { kind } });
  });

  it('are removed from all groups', async () => {
    const [one, other] = [await create('One'), await create('Other')];
    await ask('POST', `groups/${one}/pin`, { nodes: ['a', 'b'] });
    await ask('POST', `groups/${other}/pin`, { nodes: ['a'] });
    const shown = (id: string, name: string) => ({ id, name, environment: 'production' });
    expect((await ask('POST', 'commands/unpin-from-all', { nodes: ['a', 'nowhere'] })).body).toEqual({
      nodes: [{ name: 'a', groups: [shown(one, 'One'), shown(other, 'Other')] }],
    });
    expect(await rules(one)).toMatchObject({ rule: ['or', ['=', 'name', 'b']] });
  });
});

describe('rules', () => {
  it('are shown with those inherited, and as queries', async () => {
    const parent = await create('Parent', { rule: ['=', ['fact', 'tier'], 'web'] });
    const id = await create('Child', { parent, rule: ['=', 'name', 'a'] });
    expect((await ask('GET', `groups/${id}/rules`)).body).toEqual({
      rule: ['=', 'name', 'a'],
      rule_with_inherited: ['and', ['=', 'name', 'a'], ['=', ['fact', 'tier'], 'web'], ['~', 'name', '.*']],
      translated: {
        nodes_query_format: ['and', ['=', 'certname', 'a'], ['=', ['fact', 'tier'], 'web'], ['~', 'certname', '.*']],
        inventory_query_format: ['and', ['=', 'certname', 'a'], ['=', 'facts.tier', 'web'], ['~', 'certname', '.*']],
      },
    });
  });

  it.each<[string, unknown, number, unknown]>([
    ['rules/translate', ['=', ['fact', 'a'], 'x'], 200, ['=', ['fact', 'a'], 'x']],
    ['rules/translate?format=inventory', ['=', ['fact', 'a'], 'x'], 200, ['=', 'facts.a', 'x']],
    ['rules/translate', ['>', ['fact', 'a'], 'x'], 422, { kind: 'untranslatable-rule' }],
    ['rules/translate', ['or'], 400, { kind: 'schema-violation' }],
    ['rules/translate', '[', 400, { kind: 'malformed-request' }],
    ['rules/translate?format=xml', ['=', 'name', 'x'], 400, { kind: 'malformed-request' }],
  ])('%s of %j: %j', async (path, body, status, answer) => {
    const got = await ask('POST', path, body);
    expect(got.status).toBe(status);
    if (Array.isArray(answer)) expect(got.body).toEqual(answer);
    else expect(got.body).toMatchObject(answer as object);
  });
});

describe('classes', () => {
  it('are those of the deployed code', async () => {
    const ntp = { name: 'ntp', environment: 'production', parameters: { servers: null, panic: null } };
    expect((await ask('GET', 'classes')).body).toMatchObject([ntp, { name: 'web' }, { environment: 'test' }]);
    expect((await ask('GET', 'environments')).body).toEqual([
      { name: 'production', sync_succeeded: true },
      { name: 'test', sync_succeeded: true },
    ]);
    expect((await ask('GET', 'environments/production')).body).toEqual({ name: 'production', sync_succeeded: true });
    expect((await ask('GET', 'environments/production/classes')).body).toHaveLength(2);
    expect((await ask('GET', 'environments/production/classes/ntp')).body).toEqual(ntp);
    expect((await ask('GET', 'last-class-update')).body).toEqual({ last_update: '2026-11-18T11:06:40.000Z' });
    expect((await ask('POST', 'update-classes')).status).toBe(201);
    for (const path of ['environments/x', 'environments/x/classes', 'environments/test/classes/web']) {
      expect(await ask('GET', path)).toMatchObject({
        status: 404,
        body: { kind: 'not-found', details: `/classifier-api/v1/${path}` },
      });
    }
  });
});

describe('a hierarchy', () => {
  it('is imported as it was listed', async () => {
    const parent = await create('Parent', { variables: { a: 1 } });
    await create('Child', { parent });
    const listed = (await ask('GET', 'groups')).body as object[];
    await ask('POST', `groups/${parent}`, { variables: { a: 2 } });
    expect(await ask('POST', 'import-hierarchy', listed)).toMatchObject({ status: 204, body: null });
    expect(await ask('GET', `groups/${parent}`)).toMatchObject({ body: { variables: { a: 1 }, serial_number: 3 } });
    expect((await ask('GET', 'groups')).body).toHaveLength(3);
  });

  const root = { ...group('All Nodes'), id: ROOT_ID, rule: ['~', 'name', '.*'] };
  it.each<[string, unknown, number, string]>([
    ['that is no list', {}, 400, 'schema-violation'],
    ['without root', [{ ...group('A'), id: groupId(1) }], 422, 'unreachable-groups'],
    ['with a lost group', [root, { ...group('A', { parent: groupId(2) }), id: groupId(1) }], 422, 'unreachable-groups'],
    [
      'with a cycle',
      [
        root,
        { ...group('A', { parent: groupId(2) }), id: groupId(1) },
        { ...group('B', { parent: groupId(1) }), id: groupId(2) },
      ],
      422,
      'inheritance-cycle',
    ],
    [
      'with equal names',
      [root, { ...group('A'), id: groupId(1) }, { ...group('A'), id: groupId(2) }],
      422,
      'uniqueness-violation',
    ],
    ['with a group without id', [root, group('A')], 400, 'schema-violation'],
  ])('%s is refused', async (_, body, status, kind) => {
    expect(await ask('POST', 'import-hierarchy', body)).toMatchObject({ status, body: { kind } });
  });
});

describe('classified nodes', () => {
  const node = { fact: { tier: 'web' }, trusted: {} };
  const rule = ['=', ['fact', 'tier'], 'web'];

  it('have groups, classes and variables in both versions', async () => {
    const id = await create('Web', { rule, classes: { web: { port: 80 }, ntp: {} }, variables: { zone: 'a' } });
    expect((await ask('POST', 'classified/nodes/app7', node)).body).toEqual({
      name: 'app7',
      groups: [id, ROOT_ID],
      environment: 'production',
      classes: { web: { port: 80 }, ntp: {} },
      parameters: { zone: 'a' },
    });
    expect((await ask('POST', '/classifier-api/v2/classified/nodes/app7', node)).body).toEqual({
      groups: [
        { id: ROOT_ID, name: 'All Nodes' },
        { id, name: 'Web' },
      ],
      environment: 'production',
      classes: ['web', 'ntp'],
      parameters: { web: { port: 80 } },
    });
    expect((await ask('POST', 'classified/nodes/app7')).body).toMatchObject({ groups: [ROOT_ID], classes: {} });
  });

  it('with a conflict are answered with what disagrees', async () => {
    const one = await create('One', { rule, variables: { zone: 'a' } });
    await create('Other', { rule, variables: { zone: 'b' }, environment: 'test' });
    const answer = await ask('POST', 'classified/nodes/app7', node);
    expect(answer).toMatchObject({
      status: 500,
      body: {
        kind: 'classification-conflict',
        msg: `The groups 'One', 'Other' of the node app7 have conflicting values: environment: "production" from 'One', "test" from 'Other'; variable zone: "a" from 'One', "b" from 'Other'`,
        details: {
          environment: [
            { value: 'production', from: { id: one }, defined_by: { id: one } },
            { value: 'test', from: { name: 'Other' } },
          ],
          variables: { zone: [{ value: 'a' }, { value: 'b' }] },
        },
      },
    });
    const { body } = await ask('POST', 'classified/nodes/app7/explanation', node);
    expect(body).toMatchObject({ node_as_received: { name: 'app7', ...node }, conflicts: { variables: {} } });
    expect(body).not.toHaveProperty('final_classification');
  });

  it.each([{ fact: [] }, { trusted: 'x' }, []])('with the facts %j are refused', async (body) => {
    expect(await ask('POST', 'classified/nodes/app7', body)).toMatchObject({
      status: 400,
      body: { kind: 'schema-violation' },
    });
  });

  it('are listed with their last check-in', async () => {
    await door.stores.nodes.markSeen('app7', 'production', door.clock.now());
    expect((await ask('GET', 'nodes')).body).toEqual([{ name: 'app7', check_ins: [] }]);
    expect((await ask('GET', 'nodes/app7')).body).toEqual({ name: 'app7', check_ins: [] });
    expect(await ask('GET', 'nodes/app8')).toMatchObject({ status: 404, body: { kind: 'not-found' } });
  });
});

describe.skipIf(!isBeside('accessExamples'))('the examples beside this clone', () => {
  interface Example {
    readonly title: string;
    readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
    readonly response: {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };
  }

  it('are answered in their form', async () => {
    const lines = readFileSync(join(BESIDE.accessExamples, 'examples.jsonl'), 'utf8').trim().split('\n');
    const examples = lines.map((line) => JSON.parse(line) as Example);
    door = openClassifierDoor({ production: { apache: ['keepalive_timeout', 'log_level'] } });
    await door.addUser('amari', [2]);
    const token = await door.tokenOf('amari');
    let made = '';
    for (const { title, request, response } of examples.filter(({ request: { path } }) =>
      path.includes('classifier'),
    )) {
      const answer = await ask(request.method, request.path.replace('<uuid>', made), request.body, token);
      expect([title, answer.status]).toEqual([title, response.status]);
      const location = answer.headers.get('Location');
      if (response.headers) expect(location).toMatch(/^\/classifier-api\/v1\/groups\/[0-9a-f-]{36}$/);
      made = location?.split('/').at(-1) ?? made;
      if (response.body === undefined) continue;
      const text = JSON.stringify(response.body).replaceAll('<uuid>', made);
      expect(answer.body, title).toMatchObject(JSON.parse(text));
    }
  });
});

describe('permission', () => {
  /** Creates a role with these actions on instances, and a user who has it. */
  async function tokenWith(login: string, ...had: readonly (readonly [string, string])[]): Promise<string> {
    const permissions = had.map(([action, instance]) => ({ object_type: 'node_groups', action, instance }));
    const body = { display_name: login, description: null, permissions, user_ids: [], group_ids: [] };
    const role = Number((await ask('POST', '/rbac-api/v1/roles', body)).headers.get('Location')?.split('/').at(-1));
    await door.addUser(login, [role]);
    return door.tokenOf(login);
  }

  it('is inherited by the groups below', async () => {
    const parent = await create('Parent');
    const child = await create('Child', { parent });
    const token = await tokenWith('ann', ['view', parent], ['modify_children', parent], ['edit_child_rules', parent]);
    const statusOf = async (method: string, path: string, body?: unknown) =>
      (await ask(method, path, body, token)).status;
    const listed = (await ask('GET', 'groups', undefined, token)).body as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(['Child', 'Parent']);
    expect(await statusOf('GET', `groups/${ROOT_ID}`)).toBe(403);
    expect(await statusOf('GET', `groups/${child}`)).toBe(200);
    expect(await statusOf('POST', `groups/${child}`, { rule: ['=', 'name', 'a'] })).toBe(200);
    expect(await statusOf('POST', `groups/${parent}`, { rule: ['=', 'name', 'a'] })).toBe(403);
    expect(await statusOf('POST', `groups/${child}/pin?nodes=a`)).toBe(204);
    expect(await statusOf('POST', `groups/${parent}/pin?nodes=a`)).toBe(403);
    expect(await statusOf('POST', `groups/${child}`, { variables: { a: 1 } })).toBe(403);
    expect(await statusOf('POST', `groups/${child}`, { parent: ROOT_ID })).toBe(403);
    expect(await statusOf('POST', 'groups', group('New', { parent: child }))).toBe(303);
    expect(await statusOf('POST', 'groups', group('New'))).toBe(403);
    expect(await statusOf('DELETE', `groups/${parent}`)).toBe(403);
    expect(await statusOf('POST', 'import-hierarchy', [])).toBe(403);
    expect(await statusOf('POST', 'classified/nodes/a', {})).toBe(403);
    expect(await ask('POST', 'commands/unpin-from-all', { nodes: ['a'] }, token)).toMatchObject({
      body: { nodes: [{ groups: [{ name: 'Child' }] }] },
    });
  });

  it.each<[string, object, string]>([
    ['classes', { classes: { web: {} } }, 'edit_classification'],
    ['parameters', { classes: { ntp: { servers: ['a'] } } }, 'edit_params_and_vars'],
    ['variables', { variables: { a: 1 } }, 'edit_params_and_vars'],
    ['variables, by the stronger one', { variables: { a: 1 } }, 'edit_classification'],
    ['data', { config_data: { ntp: { panic: 2 } } }, 'edit_config_data'],
    ['the environment', { environment: 'test' }, 'set_environment'],
    ['what trumps', { environment_trumps: true }, 'set_environment'],
    ['the name', { name: 'Other' }, 'modify_children'],
  ])('is needed to change %s', async (_, delta, action) => {
    const id = await create('Group', { classes: { ntp: { servers: [] } } });
    const [viewer, editor] = [
      await tokenWith('ann', ['view', '*']),
      await tokenWith('bob', [action, ROOT_ID], ['view', '*']),
    ];
    expect(await ask('POST', `groups/${id}`, delta, viewer)).toMatchObject({
      status: 403,
      body: { kind: 'permission-denied' },
    });
    expect((await ask('POST', `groups/${id}`, delta, editor)).status).toBe(200);
  });

  it('is needed to see by a validation what a group has', async () => {
    const id = await create('Secret', { variables: { password: 'hidden' } });
    const body = { id, ...group('Secret') };
    expect((await ask('POST', 'validate/group', body)).body).toMatchObject({ variables: { password: 'hidden' } });
    const token = await tokenWith('ann');
    expect((await ask('POST', 'validate/group', body, token)).status).toBe(403);
    expect((await ask('POST', 'validate/group', group('New'), token)).status).toBe(200);
  });

  it('for node groups does not show the facts of check-ins', async () => {
    const token = await tokenWith('ann', ['view', '*']);
    const permission = { object_type: 'nodes', action: 'view_data', instance: '*' };
    for (const path of ['nodes', 'nodes/app7']) {
      expect(await ask('GET', path, undefined, token)).toMatchObject({
        status: 403,
        body: { details: { permission } },
      });
    }
  });

  it("is nobody's without a token", async () => {
    expect(await door.ask('GET', GROUPS)).toMatchObject({ status: 401, body: { kind: 'user-unauthenticated' } });
  });
});
