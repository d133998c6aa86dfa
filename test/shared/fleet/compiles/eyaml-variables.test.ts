import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES } from '../../../../shared/config/deployment.ts';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { processCompileJob } from '../../../../shared/fleet/compiles/process-compile-job.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import {
  type ProcessVariables,
  selectListedVariables,
} from '../../../../shared/puppet/environment/operator-variables.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';

/** Jobs whose data are encrypted, with the key in an environment variable. */
const NODE = 'web.example.com';
const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/eyaml/${name}`, import.meta.url), 'utf8');
const KEY = fixture('private_key.pkcs7.pem');
const SEEN = 'environment variable EYAML_KEY';

let world: CompileWorld;
let variables: ProcessVariables;
beforeEach(async () => {
  variables = { EYAML_KEY: KEY, UNDERSTUDY_EYAML_VARIABLES: 'EYAML_KEY' };
  world = new CompileWorld(undefined, compile);
  world.write({
    'environments/production/hiera.yaml': `---
version: 5
hierarchy:
  - name: secrets
    path: secrets.eyaml
    lookup_key: eyaml_lookup_key
    options: { pkcs7_private_key_env_var: EYAML_KEY, pkcs7_public_key_env_var: EYAML_PUBLIC_KEY }
`,
    'environments/production/data/secrets.eyaml': fixture('secrets.eyaml'),
    'environments/production/manifests/site.pp': "notify { lookup('one'): }",
  });
  await world.deploy();
});
afterEach(() => world.close());

/** Works off the queue with the variables as they are now. */
async function work() {
  const context = {
    ...world.context,
    variables: selectListedVariables(variables, ENVIRONMENT_VARIABLES.eyamlVariables),
  };
  const reports = [];
  for (;;) {
    const [received] = await world.stores.queue.receive(1, 0);
    if (!received) return reports;
    reports.push(await processCompileJob(received.job, context));
    await world.stores.queue.acknowledge(received);
  }
}

async function checkInAndWork() {
  await answerCheckIn(world.createService({ holdMs: 0 }), checkIn(NODE));
  return work();
}

/** A job of the ring. */
async function verify() {
  const context = {
    ...world.context,
    variables: selectListedVariables(variables, ENVIRONMENT_VARIABLES.eyamlVariables),
  };
  const { wanted = 0 } = (await world.stores.nodes.get(NODE)) ?? {};
  return processCompileJob({ certname: NODE, generation: wanted + 1, reason: 'ring', at: 0 }, context);
}

it('opens data with the key, and records its digest only', async () => {
  const [report] = await checkInAndWork();
  expect(report).toMatchObject({ outcome: 'compiled' });
  const node = await world.stores.nodes.get(NODE);
  expect(node?.inputs?.settings).toEqual({ [SEEN]: digestSha256(KEY) });
  expect(JSON.stringify([node, report])).not.toContain('PRIVATE KEY');
  const catalog = catalogOf(await answerCheckIn(world.createService(), checkIn(NODE)));
  expect(JSON.stringify(catalog)).toContain('"title":"s3cret"');
  expect(await verify()).toMatchObject({ outcome: 'verified' });
});

it.each([
  [
    'not listed',
    { EYAML_KEY: KEY },
    'env EYAML_KEY may not be read (pkcs7_private_key_env_var in hiera.yaml): UNDERSTUDY_EYAML_VARIABLES of the compiler does not list it',
  ],
  [
    'not set',
    { UNDERSTUDY_EYAML_VARIABLES: 'EYAML_KEY' },
    'env EYAML_KEY is not set (pkcs7_private_key_env_var in hiera.yaml)',
  ],
])('says why there is no key, and compiles when there is one: %s', async (_, missing, reason) => {
  variables = missing;
  expect(await checkInAndWork()).toMatchObject([{ outcome: 'failed' }]);
  const node = await world.stores.nodes.get(NODE);
  const [, told] = /^hiera-eyaml backend error decrypting ENC\[\S+\] (.*)$/.exec(node?.failure?.message ?? '') ?? [];
  const data = '/etc/puppetlabs/code/environments/production/data/secrets.eyaml';
  expect(told).toBe(`when looking up one in ${data}. Error was ${reason} on node ${NODE}`);
  variables = { EYAML_KEY: KEY, UNDERSTUDY_EYAML_VARIABLES: 'OTHER,EYAML_KEY' };
  expect(await verify()).toMatchObject({ outcome: 'compiled', reasons: [`setting ${SEEN} changed`] });
  expect(await world.stores.nodes.get(NODE)).toMatchObject({ failure: null });
});

it('tells nothing of a variable that holds no key', async () => {
  variables = { EYAML_KEY: 'no-key-but-secret', UNDERSTUDY_EYAML_VARIABLES: 'EYAML_KEY' };
  const reports = await checkInAndWork();
  expect(reports).toMatchObject([{ outcome: 'failed' }]);
  expect(JSON.stringify([reports, await world.stores.nodes.get(NODE)])).not.toContain('no-key-but-secret');
});
