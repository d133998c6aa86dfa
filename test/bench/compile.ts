import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeStartImage } from '../../shared/cli/start-image/make-start-image.ts';
import { scanEnvironment } from '../../shared/fleet/code/scan-environment.ts';
import { compile } from '../../shared/puppet/compiler/compile.ts';
import { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import { Inputs } from '../../shared/puppet/environment/inputs.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../shared/puppet/environment/snapshot-environment.ts';
import { HieraCache } from '../../shared/puppet/hiera/hiera-cache.ts';
import { parseJson } from '../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { cpuOfProcess, median, medianCpu } from './measure.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** The program that `npx understudy` runs. */
const COMMAND = join(ROOT, 'functions', 'understudy');

/** Workers compile for hours, so their code is optimised. */
const WARM_UPS = 40;

export interface CompileFigures {
  readonly resources: number;
  /**
   * CPU milliseconds from facts to catalog JSON, inputs recorded, in a process that has compiled
   * before.
   */
  readonly warmMs: number;
  /**
   * CPU milliseconds of `understudy compile` with all its child processes. The start image exists,
   * as after `npm ci`.
   */
  readonly coldMs: number;
}

export async function benchCompile(repo: string): Promise<CompileFigures> {
  const once = await compiler(repo);
  const { resources } = JSON.parse(once());
  return { resources: resources.length, warmMs: medianCpu(once, 31, WARM_UPS), coldMs: await coldCompile(repo) };
}

async function coldCompile(repo: string): Promise<number> {
  await makeStartImage({ root: ROOT, node: join(ROOT, 'node_modules', '.bin', 'node'), now: Date.now() });
  const facts = join(repo, 'facts.json');
  const args = [
    'compile',
    'bench.example.com',
    '--control-repo',
    repo,
    '--environment',
    'production',
    '--facts',
    facts,
  ];
  return median(Array.from({ length: 9 }, () => cpuOfProcess(COMMAND, args)));
}

/**
 * Returns a function that compiles the repo's one node as a warm worker does, and returns the
 * catalog's JSON. The snapshot and parsed files of earlier compiles are cached. Real Puppet caches
 * its environment as well.
 */
export async function compiler(repo: string): Promise<() => string> {
  const document = parseJson(readFileSync(join(repo, 'facts.json'), 'utf8'));
  const facts = document instanceof PuppetHash ? document.get('values') : undefined;
  if (!(facts instanceof PuppetHash)) throw new Error('the generated facts have no values');
  const { snapshot, sources } = await scanEnvironment(repo, 'production');
  const contents = new Map([...sources].map(([digest, path]) => [digest, readFileSync(path)]));
  const tree = snapshotTree(snapshot, (digest) => contents.get(digest) ?? Buffer.alloc(0));
  const caches = { parseCache: new ParseCache(), hieraCache: new HieraCache() };
  return () => {
    const inputs = new Inputs();
    const result = compile({
      node: {
        certname: 'bench.example.com',
        environment: 'production',
        facts: inputs.recordFacts(facts),
        trusted: inputs.recordTrusted(new PuppetHash()),
        serverFacts: null,
        parameters: new PuppetHash(),
        classes: [],
      },
      environment: openSnapshotEnvironment(snapshot, 'bench', tree, inputs),
      settings: { language: 'openvox-8', strict: 'error', strictVariables: true, tasks: false, storeconfigs: false },
      inputs,
      exportsOf: () => [],
      ...caches,
    });
    if (result.status === 'ok') return result.catalog;
    throw new Error(`the generated environment does not compile: ${JSON.stringify(result)}`);
  };
}
