import { afterEach, beforeEach, expect, it } from 'vitest';
import { askForCompile, type CompileQuestion } from '../../../../shared/fleet/compiles/compile-question.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { CompileWorld, checkIn, hashOf } from '../../../helpers/compile-world.ts';

const NODE = 'web.example.com';
let world: CompileWorld;

beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  world.write({
    'environments/production/manifests/site.pp': `
      notice('compiling')
      notify { "tier \${facts['tier']} of \${trusted['certname']}": }
      @@notify { 'exported': }
      Notify <<| |>>
      if $facts['tier'] == 'bad' { fail('no such tier') }`,
    'environments/staging/manifests/site.pp': "notify { 'staging': }",
  });
  await world.deploy();
  await world.deploy('staging');
});
afterEach(() => world.close());

async function ask(question: Partial<CompileQuestion> = {}, holdMs = 20_000) {
  const whole = { certname: NODE, environment: 'production', facts: null, trusted: null, preferRequested: true };
  const reply = askForCompile({ ...whole, ...question }, world.stores, holdMs, new AbortController().signal);
  let isOver = false;
  const done = reply.finally(() => {
    isOver = true;
  });
  while (!isOver && holdMs > 0) {
    await world.runJobs();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return done;
}

it('compiles with the facts that are given, and keeps nothing', async () => {
  const reply = await ask({ facts: hashOf({ tier: 'gold' }), trusted: hashOf({ certname: NODE }) });
  const { codeId } = (await world.stores.environments.get('production')) ?? {};
  expect(reply).toMatchObject({
    status: 'ok',
    catalog: { name: NODE, environment: 'production', code_id: codeId, catalog_format: 2 },
    log: [{ level: 'notice', message: 'compiling' }],
  });
  expect(JSON.stringify(reply)).toContain(`"title":"tier gold of ${NODE}"`);
  expect(await world.stores.nodes.get(NODE)).toBeNull();
  expect(await world.stores.exports.collect([{ type: 'Notify', query: null }], '')).toEqual([]);
  expect((await world.stores.exports.listCollectors('Notify', [], null)).collectors).toEqual([]);
  expect((await world.stores.queue.getDepth()).waiting).toMatchObject({ visible: 0, inFlight: 0 });
});

it('takes the facts that the node sent last, and leaves its own catalog as it is', async () => {
  await world.run(checkIn(NODE, { tier: 'silver' }));
  const before = await world.stores.nodes.get(NODE);
  expect(JSON.stringify(await ask())).toContain(`"title":"tier silver of ${NODE}"`);
  expect(await world.stores.nodes.get(NODE)).toEqual(before);
});

it('takes the environment that the node is classified into, unless the requested one is preferred', async () => {
  const classification = { classes: [], parameters: {}, environment: 'staging' };
  await world.stores.nodes.classify(NODE, classification, 'x', 1);
  expect(await ask({ preferRequested: false })).toMatchObject({ catalog: { environment: 'staging' } });
  expect(await ask({ facts: hashOf({ tier: 'x' }) })).toMatchObject({ catalog: { environment: 'production' } });
});

it('answers with the error of a compile that fails', async () => {
  expect(await ask({ facts: hashOf({ tier: 'bad' }) })).toMatchObject({
    status: 'failed',
    message: `Evaluation Error: Error while evaluating a Function Call, no such tier (file: /etc/puppetlabs/code/environments/production/manifests/site.pp, line: 6, column: 36) on node ${NODE}`,
  });
});

it('gives up after the time that it may take, and the job does nothing then', async () => {
  expect(await ask({}, 0)).toBeNull();
  expect(await world.runJobs()).toMatchObject([{ outcome: 'dropped' }]);
});

it('compiles with what node groups say for the facts that are given', async () => {
  const grouped = { classes: {}, parameters: {}, environment: 'staging' };
  const environmentOf = async (question: Partial<CompileQuestion>) => {
    const reply = await ask({ facts: hashOf({ tier: 'x' }), trusted: hashOf({}), preferRequested: false, ...question });
    return reply?.status === 'ok' ? (reply.catalog as { environment: string }).environment : reply;
  };
  expect(await environmentOf({ grouped })).toBe('staging');
  expect(await environmentOf({ grouped: null })).toBe('production');
  expect(await environmentOf({})).toBe('production');
  expect(await environmentOf({ grouped: { ...grouped, failure: 'groups disagree' } })).toMatchObject({
    status: 'failed',
    message: 'groups disagree',
  });
});
