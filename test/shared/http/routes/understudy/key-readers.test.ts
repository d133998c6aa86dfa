import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperatorApi } from '../../../../../shared/http/console/operator-api.ts';
import { FileServer } from '../../../../../shared/http/files/file-server.ts';
import { EnvironmentClasses } from '../../../../../shared/http/information/deployed-classes.ts';
import { CodeSearch } from '../../../../../shared/http/search/code-search.ts';
import { compile } from '../../../../../shared/puppet/compiler/compile.ts';
import { CompileWorld, checkIn } from '../../../../helpers/compile-world.ts';
import { ADMIN_GRANTS, FixedAccess } from '../../../../helpers/fixed-access.ts';
import { httpServices } from '../../../../helpers/http-services.ts';

const ROOT = 'environments/production';
const COMMON = `${ROOT}/data/common.yaml`;
const OWN = `${ROOT}/data/nodes/own.example.com.yaml`;
const SEALED = `${ROOT}/data/sealed.eyaml`;
const HIERA = `version: 5
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: sealed, path: sealed.eyaml }
  - { name: common, path: common.yaml }
`;
const SITE = `node /^(web|own)/ { notify { [lookup('secret'), lookup('sealed')]: } }
node default { notify { lookup('other'): } }
`;
let world: CompileWorld;
let app: ReturnType<typeof createOperatorApi>;

beforeAll(async () => {
  world = new CompileWorld(undefined, compile);
  world.write({
    [COMMON]: 'secret: hush\n"other": text\n',
    [OWN]: 'secret: mine\n',
    [SEALED]: 'sealed: text\n',
    [`${ROOT}/hiera.yaml`]: HIERA,
    [`${ROOT}/manifests/site.pp`]: SITE,
  });
  await world.deploy();
  for (const name of ['web01', 'web02', 'web03', 'own', 'db01']) {
    const { status } = await world.run(checkIn(`${name}.example.com`));
    if (status !== 'current') throw new Error(`${name} is ${status}`);
  }
  const files = new FileServer(world.stores.environments, world.stores.blobs);
  const dataKeys = new CodeSearch(world.stores.environments, files, new EnvironmentClasses(files));
  const access = new FixedAccess({ admin: ADMIN_GRANTS });
  const { services } = await httpServices({ ...world.stores, dataKeys, access });
  app = createOperatorApi(services);
});
afterAll(() => world.close());

async function ask(query: string, environment = 'production') {
  const path = `/understudy/v1/environments/${environment}/keys/readers${query}`;
  const answer = await app.request(path, { headers: { 'X-Authentication': 'admin' } }, { peer: null });
  return { status: answer.status, body: await answer.json() };
}

describe('the readers of a Hiera key', () => {
  it('are the nodes that looked it up, and those with a file of their own that has it', async () => {
    expect(await ask('?key=secret')).toEqual({
      status: 200,
      body: {
        ...{ environment: 'production', key: 'secret', files: [COMMON, OWN], next: null },
        nodes: ['own.example.com', 'web01.example.com', 'web02.example.com', 'web03.example.com'],
      },
    });
  });

  it('are found for a key of a file with encrypted values', async () => {
    const nodes = ['own.example.com', 'web01.example.com', 'web02.example.com', 'web03.example.com'];
    expect(await ask('?key=sealed')).toMatchObject({ status: 200, body: { files: [SEALED], nodes } });
  });

  it('come page by page', async () => {
    const first = await ask('?key=secret&limit=3');
    expect(first.body).toMatchObject({ nodes: ['own.example.com', 'web01.example.com', 'web02.example.com'] });
    const { next } = first.body as { readonly next: string };
    const second = await ask(`?key=secret&limit=3&cursor=${encodeURIComponent(next)}`);
    expect(second.body).toMatchObject({ nodes: ['web03.example.com'], next: null });
  });

  it('are none for a key that nobody looks up', async () => {
    expect(await ask('?key=unknown')).toMatchObject({ status: 200, body: { files: [], nodes: [], next: null } });
  });

  it.each([
    ['no key', '', 'production', 400],
    ['a long key', `?key=${'x'.repeat(501)}`, 'production', 400],
    ['too many at once', '?key=a&limit=201', 'production', 400],
    ['an odd environment', '?key=a', 'odd-name', 400],
    ['an environment that is not deployed', '?key=a', 'nowhere', 404],
  ])('refuse %s', async (_, query, environment, status) => {
    expect((await ask(query, environment)).status).toBe(status);
  });
});
