import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS } from '../../config/settings.ts';
import type { Strictness } from '../../config/strictness.ts';
import type { ScanOptions } from '../../fleet/code/scan-environment.ts';
import type { CompileQuestion } from '../../fleet/compiles/compile-question.ts';
import type { WorkerContext } from '../../fleet/compiles/worker-context.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import type { ExportStore } from '../../store/ports/export-store.ts';
import type { Classification } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { CompareCompile } from './compare-fleet.ts';
import type { KnownNode, NodeSource } from './existing-fleet.ts';

/** Whose code compiles, and what it is compiled with. */
export interface CompilerOptions {
  /** In place of that of the environments, and of Puppet 8's. */
  readonly strictness: Partial<Strictness>;
  /** Asks an external node classifier; null without one: node groups count. */
  readonly classify: ((certname: string) => Promise<Classification | null>) | null;
  /** Source of exports and of answers to queries; else the stores. */
  readonly nodes: NodeSource;
  /** The version of Understudy. */
  readonly release: string;
  readonly variables: AwsNames;
}

export interface OpenCompiler {
  readonly compile: CompareCompile;
  close(): void;
}

/** Compiles with the deployed code of these stores, in this process. The stores stay unchanged. */
export async function openStoreCompiler(stores: Stores, options: CompilerOptions): Promise<OpenCompiler> {
  const { createWorkerContext } = await import('../../fleet/compiles/create-worker-context.ts');
  const { compileForCaller } = await import('../../fleet/compiles/compile-question.ts');
  const { HierarchyStore } = await import('../../fleet/groups/hierarchy-store.ts');
  const { groupNode } = await import('../../fleet/groups/node-grouping.ts');
  const { createRuby } = await import('../../cli/commands/ruby-choice.ts');
  const { nodes: source, classify, release, variables } = options;
  const ruby = createRuby({ host: 'wasm', user: null, memoryLimitBytes: null }, variables.PATH);
  const context: WorkerContext = createWorkerContext({
    stores: { ...stores, exports: replaceCollect(stores.exports, source.exports) },
    limitMs: SETTINGS.compileTimeLimit.usual * 1000,
    ruby,
    inventory: source.inventory,
    forcedStrictness: options.strictness,
    processVariables: variables,
    server: { name: hostname(), ip: null, release },
  });
  const groups = await new HierarchyStore(stores).read();
  const groupedBy = async ({ certname, facts: fact, trusted }: KnownNode) =>
    classify === null
      ? groupNode(groups, { name: certname, fact, trusted }, stores.clock.now())?.classification
      : await classify(certname);
  return {
    compile: async (node) => {
      const { certname, environment, facts, trusted } = node;
      const question: CompileQuestion = { certname, environment, facts, trusted, preferRequested: true };
      return compileForCaller({ ...question, grouped: await groupedBy(node) }, context);
    },
    close: () => ruby.close(),
  };
}

/** Compiles with a control repo, in a store of its own that is deleted at the end. */
export async function openRepoCompiler(
  controlRepo: string,
  scan: ScanOptions,
  options: CompilerOptions,
): Promise<OpenCompiler> {
  const { checkControlRepo } = await import('./control-repo.ts');
  const deploy = await checkControlRepo(controlRepo, scan);
  const { openEmbeddedStores } = await import('../../store/embedded/stores.ts');
  const folder = mkdtempSync(join(tmpdir(), 'understudy-compare-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const stores = openEmbeddedStores(folder);
    const compiler = await openStoreCompiler(stores, options);
    const deployed = new Map<string, Promise<void>>();
    const deployOnce = (environment: string) => {
      const started = deployed.get(environment) ?? deploy(stores, environment);
      deployed.set(environment, started);
      return started;
    };
    return {
      compile: async (node) => {
        await deployOnce(node.environment);
        return compiler.compile(node);
      },
      close: () => {
        compiler.close();
        stores.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The exports of an existing installation take the place of those of the stores. */
function replaceCollect(own: ExportStore, other: Pick<ExportStore, 'collect'> | undefined): ExportStore {
  if (other === undefined) return own;
  return {
    collect: (queries, except) => other.collect(queries, except),
    digestCollected: (queries, except) => own.digestCollected(queries, except),
    listOwn: (certname, types) => own.listOwn(certname, types),
    noteChanges: (changes) => own.noteChanges(changes),
    replaceExports: (certname, generation, resources) => own.replaceExports(certname, generation, resources),
    replaceCollectors: (certname, generation, collectors) => own.replaceCollectors(certname, generation, collectors),
    listCollectors: (type, keys, after) => own.listCollectors(type, keys, after),
    getDigest: (certname) => own.getDigest(certname),
    delete: (certname) => own.delete(certname),
  };
}
