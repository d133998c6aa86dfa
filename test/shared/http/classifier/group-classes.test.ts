import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT_ID } from '../../../../shared/fleet/groups/node-group.ts';
import type { ClassForms } from '../../../../shared/http/information/class-forms.ts';
import { type ClassifierDoor, openClassifierDoor } from '../../../helpers/classifier-door.ts';
import { jsonContent, OpenApi } from '../../../helpers/openapi.ts';

const BASE = '/understudy/v1/groups';
const FORM: NonNullable<Awaited<ReturnType<ClassForms['describe']>>> = {
  ...{ name: 'web', environment: 'production', description: 'A web server' },
  parameters: [
    {
      ...{ name: 'port', type: 'Integer', description: '', isRequired: false, default: '80' },
      ...{ control: 'integer' as const, choices: [], isOptional: false },
    },
  ],
};
const FAULT = { class: 'web', parameter: 'port', message: "parameter 'port' expects an Integer value, got String" };
const forms: Pick<ClassForms, 'describe' | 'check'> = {
  describe: async (environment, name) => (environment === 'production' && name === 'web' ? FORM : null),
  check: async (_, { web }) => (web?.port === 'x' ? [FAULT] : []),
};
const CLASSES = { web: [], 'web::vhost': [], 'app::web': [], ntp: [] };

const api = new OpenApi();
let door: ClassifierDoor;
let admin: string;

beforeEach(async () => {
  door = openClassifierDoor({ production: CLASSES }, forms);
  admin = await door.tokenOf('admin');
});

async function faultsOf(id: string, body: unknown): Promise<readonly string[]> {
  const described = api.operations.find((operation) => operation.id === id);
  const schema = described && jsonContent(api.responses(described).get('200'))?.schema;
  return api.faults(schema ?? false, body);
}

describe('the classes for groups', () => {
  it.each([
    ['environment=production', { classes: ['app::web', 'ntp', 'web', 'web::vhost'], total: 4 }],
    ['environment=production&search=Web', { classes: ['web', 'web::vhost', 'app::web'], total: 3 }],
    ['environment=production&search=web&limit=1', { classes: ['web'], total: 3 }],
    ['environment=staging', { classes: [], total: 0 }],
  ])('are found by %s', async (query, answer) => {
    const { status, body } = await door.ask('GET', `${BASE}/classes?${query}`, { token: admin });
    expect([status, body]).toEqual([200, answer]);
    expect(await faultsOf('listClasses', body)).toEqual([]);
  });

  it('have a form, unless the code lacks them', async () => {
    const ask = (name: string) => door.ask('GET', `${BASE}/classes/${name}?environment=production`, { token: admin });
    const { status, body } = await ask('web');
    expect([status, body]).toEqual([200, FORM]);
    expect(await faultsOf('getClass', body)).toEqual([]);
    expect((await ask('ntp')).status).toBe(404);
  });

  it.each([
    [{ environment: 'production', classes: { web: { port: 'x' } } }, 200, { faults: [FAULT] }],
    [{ environment: 'production', classes: { web: { port: 1 } } }, 200, { faults: [] }],
  ])('have values that are checked: %j', async (body, status, answer) => {
    const checked = await door.ask('POST', `${BASE}/check`, { token: admin, body });
    expect([checked.status, checked.body]).toEqual([status, answer]);
    expect(await faultsOf('checkGroupValues', checked.body)).toEqual([]);
  });

  it.each([
    ['POST', `${BASE}/check`, { environment: 'production', classes: { web: 1 } }],
    ['POST', `${BASE}/check`, { environment: 'production', rule: null }],
    ['GET', `${BASE}/classes`, undefined],
    ['GET', `${BASE}/classes?environment=production&limit=201`, undefined],
  ])('refuse %s %s %j', async (method, path, body) => {
    expect((await door.ask(method, path, { token: admin, ...(body === undefined ? {} : { body }) })).status).toBe(400);
  });

  it('need a permission to view some group', async () => {
    const tokenWith = async (login: string, instance: string | null) => {
      const permissions = instance === null ? [] : [{ objectType: 'node_groups', action: 'view', instance }];
      const { id } = await door.access.roles.create({ displayName: login, description: null, permissions });
      await door.addUser(login, [id]);
      return door.tokenOf(login);
    };
    const created = await door.ask('POST', '/classifier-api/v1/groups', {
      token: admin,
      body: { name: 'Own', parent: ROOT_ID, classes: {} },
    });
    const own = created.headers.get('Location')?.split('/').at(-1) ?? '';
    const path = `${BASE}/classes?environment=production`;
    const statuses = [null, await tokenWith('nobody', null), await tokenWith('one', own)].map(
      async (token) => (await door.ask('GET', path, { token })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 403, 200]);
  });
});
