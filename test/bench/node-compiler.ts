import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trustedFacts } from '../../shared/access/ca/trusted-facts.ts';
import type { Strictness } from '../../shared/config/strictness.ts';
import { scanEnvironment } from '../../shared/fleet/code/scan-environment.ts';
import { prepareTypes } from '../../shared/fleet/snapshots/prepare-types.ts';
import type { OpenSnapshot, SnapshotCache } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import { compile } from '../../shared/puppet/compiler/compile.ts';
import type { KeptText } from '../../shared/puppet/compiler/kept-values.ts';
import { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import { Inputs } from '../../shared/puppet/environment/inputs.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../shared/puppet/environment/snapshot-environment.ts';
import type { RubyPort } from '../../shared/puppet/evaluator/ruby-port.ts';
import { HieraCache } from '../../shared/puppet/hiera/hiera-cache.ts';
import { parseJson } from '../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { delayOptimisation } from '../../shared/util/delay-optimisation.ts';

/** A node of a control repo, described by a file `facts/<certname>.json`. */
export interface RepoNode {
  readonly certname: string;
  readonly facts: PuppetHash;
}

/** A node does not compile; the message says why. */
export class NodeFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NodeFailed';
  }
}

export function repoNodes(repo: string): readonly RepoNode[] {
  return readdirSync(join(repo, 'facts')).map((name) => {
    const facts = parseJson(readFileSync(join(repo, 'facts', name), 'utf8'));
    if (!(facts instanceof PuppetHash)) throw new Error(`${name} has no facts`);
    return { certname: name.replace(/\.json$/, ''), facts };
  });
}

const CODE_ID = 'bench';

/** The strictness of Puppet 7, which is measured beside it. */
export const PUPPET_7: Strictness = { language: 'puppet-8', strict: 'warning', strictVariables: false };

/**
 * Returns a function that compiles nodes of the environment `production` as a long-running worker
 * does: the snapshot with its prepared types and the parsed files of earlier compiles are cached,
 * values that code keeps on the server are there, and Ruby is running. The function returns the
 * catalog as JSON; it throws NodeFailed.
 */
export async function nodeCompiler(
  repo: string,
  ruby: RubyPort,
  strictness: Strictness = PUPPET_7,
): Promise<(node: RepoNode) => string> {
  const { snapshot, sources } = await scanEnvironment(repo, 'production', { followLinks: true });
  const contents = new Map<string, Buffer>();
  const read = (digest: string): Buffer => {
    const known = contents.get(digest) ?? readFileSync(sources.get(digest) ?? '');
    contents.set(digest, known);
    return known;
  };
  const tree = snapshotTree(snapshot, read);
  const types = prepareTypes(snapshot, CODE_ID, read, ruby, new Map());
  const parsed = { manifests: new ParseCache(), data: new HieraCache() };
  return compilerOf({ snapshot, codeId: CODE_ID, tree, types }, parsed, ruby, strictness);
}

/** Does the same for code that is open. */
export function compilerOf(
  { snapshot, codeId, tree, types }: Pick<OpenSnapshot, 'snapshot' | 'codeId' | 'tree' | 'types'>,
  parsed: SnapshotCache['parsed'],
  ruby: RubyPort,
  strictness: Strictness,
): (node: RepoNode) => string {
  delayOptimisation();
  const kept = new Map<string, KeptText>();
  return ({ certname, facts }) => {
    const inputs = new Inputs();
    ruby.beginCompile(codeId);
    const result = compile({
      node: {
        certname,
        environment: 'production',
        facts: inputs.recordFacts(facts),
        trusted: inputs.recordTrusted(trustedFacts(certname, new Map())),
        serverFacts: null,
        parameters: new PuppetHash(),
        classes: [],
      },
      environment: openSnapshotEnvironment(snapshot, codeId, tree, inputs),
      settings: { ...strictness, tasks: false, storeconfigs: false },
      inputs,
      exportsOf: () => [],
      keptValues: (name) => kept.get(name) ?? null,
      clock: () => BigInt(Date.now()) * 1_000_000n,
      ruby,
      preparedTypes: types,
      logLevel: 'info',
      parseCache: parsed.manifests,
      hieraCache: parsed.data,
    });
    if (result.status === 'ok') {
      for (const { name, text } of result.kept ?? []) if (text !== null) kept.set(name, { text, version: 'bench' });
      return result.catalog;
    }
    throw new NodeFailed(result.status === 'failed' ? result.error.message : `it needs ${JSON.stringify(result)}`);
  };
}
