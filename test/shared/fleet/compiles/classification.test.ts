import { afterEach, beforeEach, expect, it } from 'vitest';
import { purgeNode } from '../../../../shared/fleet/code/purge-node.ts';
import { processCompileJob } from '../../../../shared/fleet/compiles/process-compile-job.ts';
import { findPartsOf, listAffectedNodes } from '../../../../shared/fleet/dependencies/affected-nodes.ts';
import { classifyNode } from '../../../../shared/fleet/nodes/classification.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';

const NODE = 'web.example.com';
let world: CompileWorld;

beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  const manifest = (environment: string) => ({
    [`environments/${environment}/manifests/site.pp`]:
      `class web(Integer $port = 80) { notify { "${environment} \${port} \${::tier}": } }\n` +
      'class plain { notify { "plain": } }\n' +
      "if $facts['exports'] { @@notify { 'endpoint': } }\n" +
      "if $facts['collects'] { Notify <<| |>> }\n",
  });
  world.write({ ...manifest('production'), ...manifest('staging') });
  await world.deploy();
  await world.deploy('staging');
});
afterEach(() => world.close());

async function titles(facts: Parameters<typeof checkIn>[1] = { tier: 'fact' }): Promise<readonly string[]> {
  const { resources } = catalogOf(await world.run(checkIn(NODE, facts))) as {
    resources: { type: string; title: string }[];
  };
  return resources.filter(({ type }) => type === 'Notify').map(({ title }) => title);
}

it('gives the compiler classes with parameters, top-scope variables over the facts, and the environment', async () => {
  expect(await titles()).toEqual([]);
  const classes = { web: { port: 8080 }, plain: null };
  await classifyNode(NODE, { classes, parameters: { tier: 'gold' }, environment: 'staging' }, world.stores);
  await world.runJobs();
  expect(await world.stores.nodes.get(NODE)).toMatchObject({
    built: 2,
    environment: 'production',
    inputs: { environment: 'staging' },
  });
  expect(await titles()).toEqual(['staging 8080 gold', 'plain']);
  expect(await world.stores.nodes.get(NODE)).toMatchObject({ compiles: 2 });
  await classifyNode(NODE, { classes: ['web'], parameters: {}, environment: null }, world.stores);
  expect(await titles()).toEqual(['production 80 fact']);
  await classifyNode(NODE, null, world.stores);
  expect(await titles()).toEqual([]);
  expect(await world.stores.nodes.get(NODE)).toMatchObject({ wanted: 4, built: 4, compiles: 4 });
});

it('compiles a node again when its classes are in another order', async () => {
  await classifyNode(NODE, { classes: { plain: {}, web: {} }, parameters: {}, environment: null }, world.stores);
  expect(await titles()).toEqual(['plain', 'production 80 fact']);
  await classifyNode(NODE, { classes: { web: {}, plain: {} }, parameters: {}, environment: null }, world.stores);
  expect(await titles()).toEqual(['production 80 fact', 'plain']);
});

it('tells an agent that asks which environment it is in, before anything is compiled', async () => {
  await classifyNode(NODE, { classes: [], parameters: {}, environment: 'staging' }, world.stores);
  const asks = { ...checkIn(NODE, { tier: 'x' }), checkEnvironment: true };
  expect(await world.run(asks)).toEqual({ status: 'other-environment', environment: 'staging' });
  expect(await world.stores.nodes.get(NODE)).toMatchObject({ wanted: 0 });
  const inStaging = await world.run({ ...asks, environment: 'staging' });
  expect(catalogOf(inStaging)).toMatchObject({ environment: 'staging' });
});

it('shows the error of a class that is not there', async () => {
  await classifyNode(NODE, { classes: ['nosuch'], parameters: {}, environment: null }, world.stores);
  expect(await world.run(checkIn(NODE, {}))).toMatchObject({
    status: 'failed',
    message: 'Could not find class nosuch for web.example.com on node web.example.com',
  });
});

it('has the nodes compiled again that collected the exports of a purged one', async () => {
  await world.run(checkIn('exporter.example.com', { exports: true }));
  expect(await titles({ collects: true })).toEqual(['endpoint']);
  expect(await purgeNode('exporter.example.com', world.stores)).toBe(true);
  await world.runJobs();
  expect(await titles({ collects: true })).toEqual([]);
  const affected = await findPartsOf('production', ['environments/production/manifests/site.pp'], world.stores);
  expect(await listAffectedNodes('production', affected, world.stores)).toEqual([NODE]);
});

it('leaves nothing behind of a node that is purged while it is compiled', async () => {
  const job = { certname: NODE, generation: 1, reason: 'x', at: 1 };
  await world.stores.nodes.markSeen(NODE, 'production', 1);
  await world.stores.nodes.want(NODE, 'x', 1, { asked: true });
  const compiling = {
    ...world.context,
    compile: (request: Parameters<typeof compile>[0]) => {
      void purgeNode(NODE, world.stores);
      return {
        ...compile(request),
        exported: [{ certname: NODE, type: 'Notify', title: 'x', tags: [], parameters: {} }],
      };
    },
  };
  await processCompileJob(job, compiling);
  expect(await world.stores.nodes.get(NODE)).toBeNull();
  expect(await world.stores.exports.collect([{ type: 'Notify', query: null }], '')).toEqual([]);
});
