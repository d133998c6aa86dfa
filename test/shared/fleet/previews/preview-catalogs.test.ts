import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CatalogPreview, previewCatalogs } from '../../../../shared/fleet/previews/preview-catalogs.ts';
import { createProcessTrials, createWorkerTrials } from '../../../../shared/fleet/previews/trial-compiler.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { EnvironmentRuby } from '../../../../shared/puppet/ruby/environment-ruby.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';
import { prepareFolder } from '../../../helpers/deploy-folder.ts';
import { fakeRuby } from '../../../helpers/fake-ruby.ts';

const ROOT = 'environments/production';
const WEB = ['web1', 'web2', 'web3'];
const BOUNDS = { nodes: 100, limitMs: 600_000 };
let world: CompileWorld;

beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  world.write({
    [`${ROOT}/manifests/site.pp`]: 'node /web/ { include web }\nnode /db/ { include db }\nnode /sad/ { include sad }\n',
    [`${ROOT}/modules/web/manifests/init.pp`]:
      'class web { file { "/etc/web.conf": content => "one" } notify { "x": } }',
    [`${ROOT}/modules/db/manifests/init.pp`]:
      'class db { file { "/etc/db.conf": content => Sensitive("secret one"), mode => "0600" } }',
    [`${ROOT}/modules/sad/manifests/init.pp`]: 'class sad { fail("as ever") }',
  });
  await world.deploy();
  for (const name of [...WEB, 'db1', 'sad1']) await world.run(checkIn(name));
});
afterEach(() => world.close());

/** Everything in the stores that a preview must leave as it is. */
async function stateOfNodes() {
  const nodes = await Promise.all([...WEB, 'db1', 'sad1'].map((name) => world.stores.nodes.get(name)));
  return { nodes, code: (await world.stores.environments.get('production'))?.codeId };
}

async function preview(files: Readonly<Record<string, string | null>>, bounds = BOUNDS): Promise<CatalogPreview> {
  world.write(files);
  const before = await stateOfNodes();
  const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
  const found = await previewCatalogs('production', codeId, bounds, createProcessTrials(world.context), world.stores);
  expect(await stateOfNodes()).toEqual(before);
  return found;
}

const NOTHING = { faults: [], failures: [], fixed: 0, groups: [], unchanged: 0, unanswered: 0, groupsLeftOut: 0 };

describe('a preview', () => {
  it('groups nodes whose catalogs change in the same way', async () => {
    const path = `${ROOT}/modules/web/manifests/init.pp`;
    const content = 'class web { file { "/etc/web.conf": content => "two" } service { "web": ensure => running } }';
    expect(await preview({ [path]: content })).toMatchObject({
      ...NOTHING,
      files: { added: [], changed: [path], removed: [] },
      touched: 3,
      compared: 3,
      groups: [
        {
          nodes: WEB,
          count: 3,
          differences: [
            { kind: 'removed', resource: 'Notify[x]' },
            { kind: 'added', resource: 'Service[web]' },
            { kind: 'changed', resource: 'File[/etc/web.conf]', parameter: 'content', from: 'one', to: 'two' },
          ],
        },
      ],
    });
  });

  it('compiles all nodes in another language, with the same code', async () => {
    const path = `${ROOT}/modules/web/manifests/init.pp`;
    const content = 'class web { notify { regsubst("a", "a", "b", "G", "N"): } }';
    world.write({ [path]: content });
    await world.deploy();
    for (const name of WEB) await world.run(checkIn(name));
    const before = await stateOfNodes();
    const bounds = { ...BOUNDS, language: 'openvox-9' } as const;
    const begun = new Set<string>();
    const ruby = new EnvironmentRuby({ ...fakeRuby({}), beginCompile: (id) => void begun.add(id) });
    const trials = createProcessTrials({ ...world.context, ruby });
    const found = await previewCatalogs('production', String(before.code), bounds, trials, world.stores);
    // Ruby keeps code that it has loaded for as long as the id is the same.
    expect([...begun].sort()).toEqual([`${before.code} openvox-8`, `${before.code} openvox-9`]);
    expect(found).toMatchObject({ touched: 5, compared: 5, unchanged: 1, groups: [] });
    expect(found.failures.map(({ certname, isNew }) => [certname, isNew])).toEqual([
      ['web1', true],
      ['web2', true],
      ['web3', true],
      ['sad1', false],
    ]);
    expect(found.failures[0]?.message).toContain("'regsubst' expects between 3 and 4 arguments, got 5");
    expect(await stateOfNodes()).toEqual(before);
  });

  it('takes moved lines for no change', async () => {
    const path = `${ROOT}/modules/web/manifests/init.pp`;
    const content = '\n\nclass web { file { "/etc/web.conf": content => "one" } notify { "x": } }';
    expect(await preview({ [path]: content })).toMatchObject({ ...NOTHING, touched: 3, compared: 3, unchanged: 3 });
  });

  it('shows no secret', async () => {
    const path = `${ROOT}/modules/db/manifests/init.pp`;
    const found = await preview({
      [path]: 'class db { file { "/etc/db.conf": content => Sensitive("secret two"), mode => "0640" } }',
    });
    expect(found.groups).toEqual([
      {
        nodes: ['db1'],
        count: 1,
        differences: [
          { kind: 'changed', resource: 'File[/etc/db.conf]', parameter: 'content' },
          { kind: 'changed', resource: 'File[/etc/db.conf]', parameter: 'mode', from: '0600', to: '0640' },
        ],
      },
    ]);
  });

  it('tells new failures from those that were there, and counts nodes that are fixed', async () => {
    const found = await preview({
      [`${ROOT}/modules/web/manifests/init.pp`]: 'class web { fail("oh") }',
      [`${ROOT}/modules/sad/manifests/init.pp`]: 'class sad { fail("otherwise") }',
    });
    expect(found.failures.map(({ certname, isNew }) => [certname, isNew])).toEqual([
      ['web1', true],
      ['web2', true],
      ['web3', true],
      ['sad1', false],
    ]);
    const place = `/etc/puppetlabs/code/${ROOT}/modules/web/manifests/init.pp, line: 1, column: 13`;
    expect(found.failures[0]?.message).toBe(
      `Evaluation Error: Error while evaluating a Function Call, oh (file: ${place}) on node web1`,
    );
    const fixed = await preview({
      [`${ROOT}/modules/sad/manifests/init.pp`]: 'class sad { }',
      [`${ROOT}/modules/web/manifests/init.pp`]: 'class web { }',
    });
    expect(fixed).toMatchObject({ fixed: 1, failures: [] });
  });

  it('names manifests and templates that Puppet does not accept, also those that no node uses', async () => {
    const found = await preview({
      [`${ROOT}/modules/new/manifests/init.pp`]: 'class new {\n  $x = \n}',
      [`${ROOT}/modules/new/manifests/wrong.pp`]: 'class new::other { }',
      [`${ROOT}/modules/new/templates/x.epp`]: '<% if ) { %>',
      [`${ROOT}/modules/new/plans/x.pp`]: 'no plan at all {',
    });
    expect(found.faults).toEqual([
      {
        path: `${ROOT}/modules/new/manifests/init.pp`,
        line: 3,
        message: expect.stringMatching(/^Syntax error at '}'/),
      },
      {
        path: `${ROOT}/modules/new/manifests/wrong.pp`,
        line: 1,
        message: expect.stringMatching(/^Unacceptable location/),
      },
      { path: `${ROOT}/modules/new/templates/x.epp`, line: 1, message: expect.stringMatching(/^Syntax error at '\)'/) },
    ]);
    expect(found.touched).toBe(0);
  });

  it('compiles a sample of each group, and says how many nodes it stands for', async () => {
    const found = await preview(
      {
        [`${ROOT}/modules/web/manifests/init.pp`]:
          'class web { file { "/etc/web.conf": content => "two" } notify { "x": } }',
        [`${ROOT}/modules/db/manifests/init.pp`]: 'class db { }',
      },
      { ...BOUNDS, nodes: 2 },
    );
    expect(found).toMatchObject({ touched: 4, compared: 2, unanswered: 0, groupsLeftOut: 0 });
    expect(found.groups.map(({ nodes, count }) => [nodes, count])).toEqual([
      [['web1'], 3],
      [['db1'], 1],
    ]);
    const fewer = { ...BOUNDS, nodes: 1 };
    expect(await preview({}, fewer)).toMatchObject({ touched: 4, compared: 1, groupsLeftOut: 1 });
    expect(await preview({}, { nodes: 9, limitMs: 0 })).toMatchObject({ touched: 4, compared: 0, unanswered: 4 });
  });

  it('asks workers, and compares with the stored catalogs of nodes that are current', async () => {
    world.write({ [`${ROOT}/modules/web/manifests/init.pp`]: 'class web { }\n}\n' });
    const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
    const trials = createWorkerTrials(world.stores, 30_000);
    let isDone = false;
    const found = previewCatalogs('production', codeId, { ...BOUNDS, nodes: 1 }, trials, world.stores).finally(() => {
      isDone = true;
    });
    const reports = [];
    while (!isDone) {
      reports.push(...(await world.runJobs()));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await found).toMatchObject({
      faults: [{ line: 2 }],
      compared: 1,
      failures: [{ certname: 'web1', isNew: true }],
    });
    expect(reports.map(({ certname, outcome }) => [certname, outcome])).toEqual([
      [codeId, 'answered'],
      ['web1', 'answered'],
    ]);
  });
});

describe('a preview with the code of another environment', () => {
  const BRANCH = 'environments/feature_x';
  const SITE = 'node /web/ { include web }\nnode /db/ { include db }\nnode /sad/ { include sad }\n';
  const FILES = {
    [`${BRANCH}/manifests/site.pp`]: SITE,
    [`${BRANCH}/modules/web/manifests/init.pp`]: `class web { file { "/etc/web.conf": content => "two of \${environment}" } notify { "x": } }`,
    [`${BRANCH}/modules/db/manifests/init.pp`]:
      'class db { file { "/etc/db.conf": content => Sensitive("secret one"), mode => "0600" } }',
    [`${BRANCH}/modules/sad/manifests/init.pp`]: 'class sad { fail("as ever") }',
  };
  const BOTH = { ...BOUNDS, codeEnvironment: 'feature_x' };

  async function previewBranch(files: Readonly<Record<string, string | null>>) {
    world.write({ ...FILES, ...files });
    const { codeId } = await world.deploy('feature_x');
    const before = await stateOfNodes();
    const trials = createProcessTrials(world.context);
    const found = await previewCatalogs('production', codeId, BOTH, trials, world.stores);
    expect(await stateOfNodes()).toEqual(before);
    expect(found).toMatchObject({ environment: 'production', codeEnvironment: 'feature_x', codeId });
    return found;
  }

  it('compiles the nodes that use what differs, with the environment of the code', async () => {
    const found = await previewBranch({});
    expect(found).toMatchObject({
      ...{ faults: [], failures: [], touched: 3, compared: 3 },
      files: { added: [], changed: [`${ROOT}/modules/web/manifests/init.pp`], removed: [] },
    });
    expect(found.groups).toMatchObject([
      {
        nodes: WEB,
        differences: [{ resource: 'File[/etc/web.conf]', from: 'one', to: 'two of feature_x' }],
      },
    ]);
  });

  it('gives a classified node the code, too, with its classes', async () => {
    const extra = `class extra { notify { "of \${environment}": } }`;
    world.write({ [`${ROOT}/modules/extra/manifests/init.pp`]: extra });
    await world.deploy();
    const classes = { extra: null };
    await world.stores.nodes.classify('db1', { classes, parameters: {}, environment: 'production' }, 'test', 1);
    await world.runJobs();
    const found = await previewBranch({
      [`${BRANCH}/modules/extra/manifests/init.pp`]: extra,
      [`${BRANCH}/modules/db/manifests/init.pp`]: 'class db { }',
    });
    expect(found.groups.find(({ nodes }) => nodes.includes('db1'))?.differences).toEqual(
      expect.arrayContaining([
        { kind: 'removed', resource: 'Notify[of production]' },
        { kind: 'added', resource: 'Notify[of feature_x]' },
      ]),
    );
  });

  it('lets no node collect what the code exports', async () => {
    const found = await previewBranch({
      [`${BRANCH}/modules/web/manifests/init.pp`]: `class web { @@notify { "from \${facts[clientcert]}": } }`,
    });
    expect(found.touched).toBe(3);
    expect(await world.stores.exports.collect([{ type: 'Notify', query: null }], 'other')).toEqual([]);
    expect(await world.stores.exports.getDigest('web1')).toEqual(await world.stores.exports.getDigest('none'));
  });

  it('names only faults of files that differ', async () => {
    world.write({ [`${ROOT}/modules/old/manifests/init.pp`]: 'class old {' });
    await world.deploy();
    const found = await previewBranch({
      [`${BRANCH}/modules/old/manifests/init.pp`]: 'class old {',
      [`${BRANCH}/modules/new/manifests/init.pp`]: 'class new {',
    });
    expect(found.faults.map(({ path }) => path)).toEqual([`${BRANCH}/modules/new/manifests/init.pp`]);
  });

  it('compiles nothing for a branch without changes', async () => {
    const same = 'class web { file { "/etc/web.conf": content => "one" } notify { "x": } }';
    const found = await previewBranch({ [`${BRANCH}/modules/web/manifests/init.pp`]: same });
    expect(found).toMatchObject({ ...NOTHING, touched: 0, files: { added: [], changed: [], removed: [] } });
  });
});
