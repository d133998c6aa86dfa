import { beforeEach, expect, it } from 'vitest';
import { describePqlEntities } from '../../../../../shared/inventory/query/pql-entities.ts';
import { type ConsoleDoor, openConsoleDoor } from '../../../../helpers/console-door.ts';

const [ADMINISTRATORS, VIEWERS] = [1, 3];
const LIST = '/understudy/v1/queries';
let door: ConsoleDoor;
let cookies: Readonly<Record<string, string>>;
let number = 0;

beforeEach(async () => {
  door = await openConsoleDoor();
  number += 1;
  // The doors of a process share their stores.
  await door.http.documents.delete('saved-queries', 'shared');
  cookies = {
    vera: await door.logIn(`vera${number}`, [VIEWERS]),
    otto: await door.logIn(`otto${number}`, [VIEWERS]),
    ada: await door.logIn(`ada${number}`, [ADMINISTRATORS]),
  };
});

async function ask(who: string, method: string, path: string, body?: unknown) {
  const answer = await door.ask(`${LIST}${path}`, { method, cookie: cookies[who] ?? '', body });
  return { status: answer.status, body: await answer.json() };
}

it('keeps the queries of a user from others', async () => {
  const put = await ask('vera', 'PUT', '/own/all%20nodes', { query: 'nodes { }' });
  expect(put).toEqual({ status: 200, body: { saved: 'all nodes' } });
  const at = door.http.clock.now();
  expect((await ask('vera', 'GET', '')).body).toEqual({
    own: [{ name: 'all nodes', query: 'nodes { }', at }],
    shared: [],
    mayShare: false,
  });
  expect((await ask('otto', 'GET', '')).body).toEqual({ own: [], shared: [], mayShare: false });
  expect((await ask('otto', 'DELETE', '/own/all%20nodes')).status).toBe(404);
  expect(await ask('vera', 'DELETE', '/own/all%20nodes')).toEqual({ status: 200, body: { removed: 'all nodes' } });
});

it('lets whoever may edit the configuration share one, and all who may query use it', async () => {
  expect(await ask('vera', 'PUT', '/shared/web', { query: 'nodes { }' })).toMatchObject({
    status: 403,
    body: { msg: `vera${number} does not have the permission configuration:edit:*` },
  });
  expect((await ask('ada', 'PUT', '/shared/web', { query: 'nodes { }' })).status).toBe(200);
  const shared = { name: 'web', query: 'nodes { }', at: door.http.clock.now(), by: `ada${number}` };
  expect(await ask('vera', 'GET', '')).toMatchObject({ body: { shared: [{ ...shared, mayDelete: false }] } });
  expect(await ask('ada', 'GET', '')).toMatchObject({ body: { shared: [{ ...shared, mayDelete: true }] } });
  expect((await ask('vera', 'DELETE', '/shared/web')).status).toBe(403);
  expect((await ask('ada', 'DELETE', '/shared/web')).status).toBe(200);
});

it('lets a user who may no longer share delete his own shared query', async () => {
  await ask('ada', 'PUT', '/shared/web', { query: 'nodes { }' });
  const ada = await door.access.accounts.findByLogin(`ada${number}`);
  if (ada === null) throw new Error('no user ada');
  await door.access.accounts.change(ada, (before) => ({ ...before, roleIds: [VIEWERS] }));
  expect(await ask('ada', 'GET', '')).toMatchObject({ body: { shared: [{ mayDelete: true }], mayShare: false } });
  expect((await ask('ada', 'DELETE', '/shared/web')).status).toBe(200);
});

it.each([
  ['another list', 'PUT', '/theirs/web', { query: 'nodes { }' }, 404],
  ['no query', 'PUT', '/own/web', {}, 400],
  ['a query that is none', 'PUT', '/own/web', { query: 5 }, 400],
  ['an empty query', 'PUT', '/own/web', { query: ' ' }, 400],
  ['a name that is missing', 'DELETE', '/own/web', undefined, 404],
])('refuses %s', async (_, method, path, body, status) => {
  expect((await ask('vera', method, path, body)).status).toBe(status);
});

it('describes the entities of queries', async () => {
  const entities = describePqlEntities().map(({ name }) => ({ name }));
  expect(await ask('vera', 'GET', '/schema')).toMatchObject({ status: 200, body: { entities } });
});
