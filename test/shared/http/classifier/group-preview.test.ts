import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ROOT_ID } from '../../../../shared/fleet/groups/node-group.ts';
import { type ClassifierDoor, openClassifierDoor } from '../../../helpers/classifier-door.ts';
import { jsonContent, OpenApi } from '../../../helpers/openapi.ts';

const PATH = '/understudy/v1/groups/preview';
let door: ClassifierDoor;
let admin: string;

beforeEach(async () => {
  door = openClassifierDoor({ production: { web: ['port'] } });
  admin = await door.tokenOf('admin');
  for (let n = 0; n < 60; n += 1) {
    await door.stores.nodes.markSeen(`${n % 2 === 0 ? 'web' : 'db'}${String(n).padStart(2, '0')}`, 'production', 1);
  }
});

const group = (more: object = {}) => ({
  name: 'Web',
  parent: ROOT_ID,
  classes: {},
  rule: ['~', 'name', '^web'],
  ...more,
});

const preview = (body: unknown, token: string | null = admin) => door.ask('POST', PATH, { token, body });

/** A stored group; its id. */
async function save(body: object): Promise<string> {
  const answer = await door.ask('POST', '/classifier-api/v1/groups', { token: admin, body });
  return answer.headers.get('Location')?.split('/').at(-1) ?? '';
}

/** A user with these permissions on node groups: action and instance. */
async function tokenWith(login: string, ...had: readonly (readonly [string, string])[]): Promise<string> {
  const permissions = had.map(([action, instance]) => ({ objectType: 'node_groups', action, instance }));
  const { id } = await door.access.roles.create({ displayName: login, description: null, permissions });
  await door.addUser(login, [id]);
  return door.tokenOf(login);
}

describe('the preview of a group', () => {
  it('counts the nodes of a new one, and says what they get', async () => {
    const { status, body } = await preview(group({ classes: { web: { port: 80 } } }));
    const webs = Array.from({ length: 30 }, (_, n) => `web${String(2 * n).padStart(2, '0')}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      matching: 30,
      nodes: webs,
      gained: 30,
      lost: 0,
      changed: 30,
      catalogs: 30,
      changes: webs.map((certname) => ({
        certname,
        kind: 'joins',
        summary:
          'joins Web; environment: not set to "production"; class web: not set to "declared"; class web port: not set to 80',
      })),
      isComplete: true,
    });
    const api = new OpenApi();
    const described = api.operations.find(({ path }) => path === PATH);
    const schema = described && jsonContent(api.responses(described).get('200'))?.schema;
    expect(api.faults(schema ?? false, body)).toEqual([]);
  });

  it('names at most 50 nodes', async () => {
    const { body } = await preview(group({ rule: ['~', 'name', '.'], variables: { a: 1 } }));
    const { nodes, changes, ...counts } = body as { nodes: unknown[]; changes: unknown[] };
    expect([nodes.length, changes.length, counts]).toEqual([
      50,
      50,
      { matching: 60, gained: 60, lost: 0, changed: 60, catalogs: 60, isComplete: true },
    ]);
  });

  it('is cut when its time is over, and says so', async () => {
    const ask = (query: string) => door.ask('POST', `${PATH}${query}`, { token: admin, body: group() });
    const { clock } = door;
    const now = vi.spyOn(clock, 'now').mockImplementation(() => {
      clock.time += 200;
      return clock.time;
    });
    try {
      // The first 25 nodes are databases.
      expect((await ask('?wait=1')).body).toMatchObject({ matching: 0, isComplete: false });
      expect((await ask('?wait=10000')).body).toMatchObject({ matching: 30, isComplete: true });
    } finally {
      now.mockRestore();
    }
    expect((await ask('?wait=10001')).status).toBe(400);
  });

  it('replaces the stored one, and writes nothing', async () => {
    const id = await save(group({ classes: { web: { port: 80 } } }));
    const { body } = await preview(group({ id, rule: ['or', ['=', 'name', 'web00'], ['=', 'name', 'db01']] }));
    expect(body).toMatchObject({ matching: 2, nodes: ['db01', 'web00'], changed: 31 });
    expect((body as { changes: { certname: string }[] }).changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ certname: 'db01', kind: 'joins' }),
        { certname: 'web00', kind: 'changes', summary: expect.stringContaining('class web port: 80 to not set') },
        expect.objectContaining({ certname: 'web02', kind: 'leaves' }),
      ]),
    );
    const stored = await door.ask('GET', `/classifier-api/v1/groups/${id}`, { token: admin });
    expect(stored.body).toMatchObject({ rule: ['~', 'name', '^web'], serial_number: 1 });
    expect(door.changes()).toBe(1);
  });

  it('changes nothing for an unchanged one', async () => {
    const id = await save(group());
    expect((await preview(group({ id }))).body).toMatchObject({ matching: 30, changed: 0, changes: [] });
  });

  it.each([
    ['[', 400, 'malformed-request'],
    [{ name: 'Web' }, 400, 'schema-violation'],
    [group({ rule: ['?'] }), 400, 'schema-violation'],
    [group({ id: 'x' }), 400, 'malformed-uuid'],
    [group({ classes: { odd: {} } }), 422, 'missing-referents'],
    [group({ name: 'All Nodes' }), 422, 'uniqueness-violation'],
  ])('refuses %j', async (body, status, kind) => {
    expect(await preview(body)).toMatchObject({ status, body: { kind } });
  });

  it('needs what saving needs', async () => {
    const id = await save(group({ variables: { secret: 1 } }));
    const viewer = await tokenWith('ann', ['view', id]);
    const editor = await tokenWith('ben', ['view', id], ['edit_params_and_vars', id]);
    const asked = (more: object) => group({ id, variables: { secret: 1 }, ...more });
    const statusOf = async (token: string | null, more: object) => (await preview(asked(more), token)).status;
    expect(await statusOf(null, {})).toBe(401);
    expect(await statusOf(await tokenWith('cleo'), {})).toBe(403);
    expect(await statusOf(viewer, {})).toBe(200);
    expect(await statusOf(viewer, { variables: {} })).toBe(403);
    expect(await statusOf(editor, { rule: ['=', 'name', 'db01'] })).toBe(403);
    const { body } = await preview(asked({ variables: { secret: 2 } }), editor);
    expect((body as { changes: unknown[] }).changes[0]).toEqual({
      certname: 'web00',
      kind: 'changes',
      summary: 'variable secret',
    });
    expect((await preview(group({ name: 'New' }), editor)).status).toBe(403);
  });

  it('is made for two at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => preview(group())));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503]);
    expect(answers.find(({ status }) => status === 503)).toMatchObject({
      body: { kind: 'overloaded', msg: 'The nodes of other groups are being found' },
    });
    expect((await preview(group())).status).toBe(200);
  });
});

it('GET groups/<id>/nodes names the nodes of a group for those who may view it', async () => {
  const id = await save(group());
  const path = `/classifier-api/v1/groups/${id}/nodes`;
  const { status, body } = await door.ask('GET', path, { token: admin });
  expect([status, (body as { nodes: string[] }).nodes.length]).toEqual([200, 30]);
  expect((body as { nodes: string[] }).nodes.slice(0, 2)).toEqual(['web00', 'web02']);
  const other = await tokenWith('other', ['view', ROOT_ID.replace(/4000/, '4001')]);
  expect(await door.ask('GET', path, { token: other })).toMatchObject({ status: 403 });
});
