import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trustedFacts } from '../../shared/access/ca/trusted-facts.ts';
import { readExports } from '../../shared/cli/commands/node-files.ts';
import { scanEnvironment } from '../../shared/fleet/code/scan-environment.ts';
import { sortCollected } from '../../shared/fleet/compiles/export-matching.ts';
import { classificationDigest } from '../../shared/fleet/nodes/classification.ts';
import type { ExportedResource } from '../../shared/puppet/catalog/exported.ts';
import { type CompileResult, compile } from '../../shared/puppet/compiler/compile.ts';
import { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import { type InputSet, Inputs } from '../../shared/puppet/environment/inputs.ts';
import { MemoryTree, memoryFile, type TreeFile } from '../../shared/puppet/environment/memory-tree.ts';
import { SERVED_CODE_DIRECTORY } from '../../shared/puppet/environment/snapshot.ts';
import { openSnapshotEnvironment } from '../../shared/puppet/environment/snapshot-environment.ts';
import { fileStates, verifyInputs } from '../../shared/puppet/environment/verify.ts';
import { PuppetError } from '../../shared/puppet/errors/puppet-error.ts';
import type { RubyPort } from '../../shared/puppet/evaluator/ruby-port.ts';
import { HieraCache } from '../../shared/puppet/hiera/hiera-cache.ts';
import { dataStates } from '../../shared/puppet/hiera/keyed-file.ts';
import { parseJson } from '../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { digestCollected } from '../../shared/store/exports-digest.ts';
import type { Classification } from '../../shared/store/ports/node-record.ts';

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

/** All that can decide a catalog of one node. Files are by path relative to the code directory. */
export interface State {
  readonly certname: string;
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly facts: { readonly [key: string]: Plain };
  readonly exports: readonly ExportedResource[];
  readonly classification: Classification | null;
}

/** What a compile gave, and what it recorded. */
export interface Outcome {
  /** The catalog with the exports, or the error. */
  readonly output: string;
  readonly inputs: InputSet;
  readonly collectors: readonly { readonly type: string; readonly query: unknown }[];
  readonly collected: string;
  readonly classification: string | null;
}

/** A code directory with one tree for each set of files. */
export class Laboratory {
  readonly #caches = { parseCache: new ParseCache(), hieraCache: new HieraCache() };
  readonly #trees = new WeakMap<State['files'], { readonly tree: MemoryTree; readonly codeId: string }>();
  readonly #ruby: RubyPort | null;
  #codes = 0;

  constructor(ruby: RubyPort | null) {
    this.#ruby = ruby;
  }

  compile(state: State): Outcome {
    const inputs = new Inputs();
    const others = state.exports.filter(({ certname }) => certname !== state.certname);
    const result = this.#attempt(state, inputs, others);
    const collectors = result.status === 'ok' || result.status === 'failed' ? result.collectors : [];
    return {
      output: outputOf(result),
      inputs: inputs.getResult(),
      collectors,
      collected: digestCollected(collectors, others),
      classification: classificationDigest(state.classification),
    };
  }

  #attempt(state: State, inputs: Inputs, others: readonly ExportedResource[]): CompileResult {
    const { tree, codeId } = this.#treeOf(state.files);
    this.#ruby?.beginCompile(codeId);
    const { classes = [], parameters = {} } = state.classification ?? {};
    try {
      return compile({
        node: {
          certname: state.certname,
          environment: 'production',
          facts: inputs.recordFacts(hashOf(state.facts)),
          trusted: inputs.recordTrusted(trustedFacts(state.certname, new Map())),
          serverFacts: null,
          parameters: hashOf(parameters),
          classes: isNames(classes) ? classes : hashOf(classes),
        },
        environment: openSnapshotEnvironment({ environment: 'production', files: {} }, codeId, tree, inputs),
        settings: {
          language: 'openvox-8',
          strict: 'warning',
          strictVariables: false,
          tasks: false,
          storeconfigs: true,
        },
        inputs,
        exportsOf: (type) => sortCollected(others.filter((one) => one.type === type)),
        clock: () => 1_800_000_000_000_000_000n,
        ...(this.#ruby && { ruby: this.#ruby }),
        ...this.#caches,
      });
    } catch (error) {
      if (!(error instanceof PuppetError)) throw error;
      // As a worker does when the environment cannot be opened.
      const { message, basic } = error;
      return { status: 'failed', collectors: [], error: { message, basic }, log: [] };
    }
  }

  /** Whether the record of an outcome says that a compile of `state` gives something else. */
  seesChange(outcome: Outcome, state: State): boolean {
    const { tree } = this.#treeOf(state.files);
    const others = state.exports.filter(({ certname }) => certname !== state.certname);
    if (outcome.classification !== classificationDigest(state.classification)) return true;
    if (outcome.collected !== digestCollected(outcome.collectors, others)) return true;
    const present = {
      facts: hashOf(state.facts),
      trusted: trustedFacts(state.certname, new Map()),
      stateOf: fileStates(tree, SERVED_CODE_DIRECTORY),
      dataOf: dataStates(tree, SERVED_CODE_DIRECTORY, this.#caches.hieraCache),
    };
    return verifyInputs(outcome.inputs, present).length > 0;
  }

  #treeOf(files: State['files']): { readonly tree: MemoryTree; readonly codeId: string } {
    const known = this.#trees.get(files);
    if (known) return known;
    const all = [...files].map(([path, file]) => [`${SERVED_CODE_DIRECTORY}/${path}`, file] as const);
    this.#codes += 1;
    const made = { tree: new MemoryTree(new Map(all)), codeId: `code ${this.#codes}` };
    this.#trees.set(files, made);
    return made;
  }
}

function outputOf(result: CompileResult): string {
  if (result.status === 'ok') return `${result.catalog}\n${JSON.stringify(result.exported)}`;
  return result.status === 'failed' ? `failed: ${result.error.message}` : `needs ${JSON.stringify(result.queries)}`;
}

function isNames(classes: Classification['classes']): classes is readonly string[] {
  return Array.isArray(classes);
}

function hashOf(plain: object): PuppetHash {
  const hash = parseJson(JSON.stringify(plain));
  return hash instanceof PuppetHash ? hash : new PuppetHash();
}

/** The nodes of a control repo with `facts/<certname>.json` and, optionally, `exports/`. */
export async function readSubjects(repo: string, certnames: readonly string[]): Promise<readonly State[]> {
  const { snapshot, sources } = await scanEnvironment(repo, 'production');
  const contents = new Map<string, TreeFile>();
  const files = new Map<string, TreeFile>();
  for (const [path, { sha256 }] of Object.entries(snapshot.files)) {
    const file = contents.get(sha256) ?? memoryFile(readFileSync(sources.get(sha256) ?? ''));
    contents.set(sha256, file);
    files.set(path, file);
  }
  return certnames.map((certname) => {
    const document = JSON.parse(readFileSync(join(repo, 'facts', `${certname}.json`), 'utf8'));
    const exported = join(repo, 'exports', `${certname}.json`);
    const exports = existsSync(exported) ? readExports(exported) : [];
    return { certname, files, facts: document.values ?? document, exports, classification: null };
  });
}
