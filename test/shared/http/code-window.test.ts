import { beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleDoor, openConsoleDoor } from '../../helpers/console-door.ts';
import { askAsDescribed } from '../../helpers/described-door.ts';
import { deployFiles } from '../../helpers/http-services.ts';

const FOLDER = 'environments/production';
const LONG = 'x'.repeat(3000);
const MANIFEST = `${Array.from({ length: 300 }, (_, index) => `# line ${index + 1}`).join('\n')}\n`;
const CODE = '/understudy/v1/environments/production/code';

let door: ConsoleDoor;
let cookie: string;
let earlier: string;
let present: string;

beforeAll(async () => {
  // Its own stores: other tests deploy, too.
  door = await openConsoleDoor([], { readWarnings: async () => [] });
  cookie = await door.logIn('coder', [1]);
  earlier = await deployFiles(door.http, 'production', { [`${FOLDER}/manifests/site.pp`]: 'notice(1)' });
  present = await deployFiles(door.http, 'production', {
    [`${FOLDER}/manifests/site.pp`]: MANIFEST,
    [`${FOLDER}/data/odd.yaml`]: `a: ${LONG}\n`,
    [`${FOLDER}/data/none.yaml`]: '',
    [`${FOLDER}/files/binary`]: 'a\0b',
    [`${FOLDER}/files/large`]: 'a'.repeat(1024 * 1024 + 1),
    'modules/shared/manifests/init.pp': 'class shared { }\n',
  });
  const { environments } = door.http;
  const record = await environments.get('production');
  if (record === null) throw new Error('the environment is deployed');
  const history = [{ codeId: earlier, deployedAt: 1, by: 'test' }];
  await environments.replace({ ...record, revision: record.revision + 1, history }, record.revision);
});

const ask = (query: string) => askAsDescribed({ door, cookie }, 'getCode', `${CODE}?${query}`);

it('has the lines around one, within the file', async () => {
  const common = { environment: 'production', codeId: present, isInForce: true, path: 'manifests/site.pp', total: 300 };
  const lines = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => `# line ${first + index}`);
  const path = 'path=manifests/site.pp';
  expect(await ask(`${path}&line=150&around=2`)).toEqual([200, { ...common, first: 148, lines: lines(148, 152) }]);
  expect(await ask(`${path}&line=1&around=2`)).toEqual([200, { ...common, first: 1, lines: lines(1, 3) }]);
  expect(await ask(`${path}&line=9000&around=2`)).toEqual([200, { ...common, first: 298, lines: lines(298, 300) }]);
  expect((await ask(path))[1]).toMatchObject({ first: 1, lines: lines(1, 31) });
});

it('has earlier code, a shared module by its whole path, an empty file, and cuts long lines off', async () => {
  expect((await ask(`path=manifests/site.pp&code=${earlier}`))[1]).toMatchObject({
    ...{ codeId: earlier, isInForce: false, lines: ['notice(1)'], total: 1 },
  });
  const shared = '/etc/puppetlabs/code/modules/shared/manifests/init.pp';
  expect((await ask(`path=${shared}`))[1]).toMatchObject({ lines: ['class shared { }'] });
  expect((await ask('path=data/none.yaml'))[1]).toMatchObject({ first: 1, total: 0, lines: [] });
  expect((await ask('path=data/odd.yaml'))[1]).toMatchObject({ lines: [`a: ${LONG}`.slice(0, 2000).concat('…')] });
});

const UNKNOWN = 'd'.repeat(64);

it.each([
  ['', 400, "'path' must be the path of a file below the folder of the environment"],
  ['path=data/../../staging/x', 400, "'path' must be the path of a file below the folder of the environment"],
  ['path=x&code=abc', 400, 'A code id has 64 hexadecimal digits'],
  ['path=x&line=0', 400, "'line' must be a whole number from 1 to 10000000, not '0'"],
  ['path=x&around=251', 400, "'around' must be a whole number from 1 to 250, not '251'"],
  ['path=files/binary', 400, "'files/binary' is no text"],
  ['path=files/large', 400, "'files/large' has more than 1 MB"],
  ['path=nowhere.pp', 404, "This code of 'production' has no file 'nowhere.pp'"],
  ['path=manifests', 404, "This code of 'production' has no file 'manifests'"],
  ['path=/etc/passwd', 404, "This code of 'production' has no file '/etc/passwd'"],
  [
    `path=x&code=${UNKNOWN}`,
    404,
    `The code '${UNKNOWN}' is neither in force nor in the history of environment 'production'`,
  ],
])('refuses %j with %i', async (query, status, message) => {
  const [answered, body] = await ask(query);
  expect([answered, JSON.stringify(body)]).toEqual([
    status,
    expect.stringContaining(JSON.stringify(message).slice(1, -1)),
  ]);
});

describe('a user', () => {
  const roleWith = async (login: string, permission: string) => {
    const [objectType = '', action = '', instance = '*'] = permission.split(':');
    const { id } = await door.access.roles.create({
      ...{ displayName: login, description: null },
      permissions: [
        { objectType: 'console_page', action: 'view', instance: '*' },
        { objectType, action, instance },
      ],
    });
    return door.logIn(login, [id]);
  };
  const statusOf = async (whose: string) =>
    (await door.ask(`${CODE}?path=manifests/site.pp`, { cookie: whose })).status;

  it.each([
    ['reader', 'environment:view_code:production', 200],
    ['other', 'environment:view_code:staging', 403],
    ['deployer', 'environment:deploy_code:production', 403],
    ['viewer', 'nodes:view_data', 403],
  ])('%s with %s gets %i', async (login, permission, status) => {
    expect(await statusOf(await roleWith(login, permission))).toBe(status);
  });
});
