import type { ExportedResource } from '../../shared/puppet/catalog/exported.ts';
import { type CompileResult, compile } from '../../shared/puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../shared/puppet/compiler/default-settings.ts';
import type { InventoryLookup } from '../../shared/puppet/compiler/inventory-questions.ts';
import type { KeptLookup } from '../../shared/puppet/compiler/kept-values.ts';
import type { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import type { InputRecorder } from '../../shared/puppet/environment/environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../shared/puppet/environment/memory-environment.ts';
import type { TreeFile } from '../../shared/puppet/environment/memory-tree.ts';
import type { CompileSettings } from '../../shared/puppet/evaluator/ports.ts';
import type { RubyPort } from '../../shared/puppet/evaluator/ruby-port.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';

export interface SourceOptions {
  readonly certname?: string;
  readonly files?: Readonly<Record<string, string | Uint8Array | TreeFile>>;
  readonly classes?: readonly string[] | PuppetHash;
  readonly settings?: Partial<CompileSettings>;
  readonly exports?: Readonly<Record<string, readonly ExportedResource[]>>;
  readonly facts?: PuppetHash;
  readonly serverFacts?: PuppetHash;
  readonly inputs?: InputRecorder;
  readonly ruby?: RubyPort;
  /** Nanoseconds since 1970. */
  readonly clock?: () => bigint;
  readonly drawUuid?: () => string;
  /** Answers of the inventory, if there is one. */
  readonly inventory?: InventoryLookup;
  /** Values kept on the server; none by default. */
  readonly keptValues?: KeptLookup;
  /** Shared by consecutive compiles of one process. */
  readonly parseCache?: ParseCache;
}

/**
 * Compiles `code` for a node that has only the given facts. `files` are relative to the
 * environment's folder, `/code/environments/production`.
 */
export function compileSource(code: string, options: SourceOptions = {}): CompileResult {
  const files = Object.entries(options.files ?? {});
  const certname = options.certname ?? 'node.example.com';
  return compile({
    node: {
      certname,
      environment: 'production',
      facts: options.facts ?? new PuppetHash(),
      trusted: new PuppetHash(),
      serverFacts: options.serverFacts ?? new PuppetHash(),
      parameters: new PuppetHash(),
      classes: options.classes ?? [],
    },
    environment: createMemoryEnvironment({
      name: 'production',
      codeDirectory: '/code',
      files: Object.fromEntries(files.map(([path, text]) => [`environments/production/${path}`, text])),
      manifest: null,
      inputs: options.inputs ?? NO_RECORDER,
    }),
    settings: { ...DEFAULT_COMPILE_SETTINGS, storeconfigs: false, ...options.settings },
    inputs: options.inputs ?? NO_RECORDER,
    code,
    ruby: options.ruby,
    clock: options.clock,
    drawUuid: options.drawUuid,
    inventory: options.inventory,
    keptValues: options.keptValues,
    parseCache: options.parseCache,
    exportsOf: (type) => options.exports?.[type] ?? (options.exports ? [] : null),
  });
}

interface CatalogJson {
  readonly resources: readonly {
    readonly type: string;
    readonly title: string;
    readonly tags: readonly string[];
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly sensitive_parameters?: readonly string[];
  }[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
  readonly classes: readonly string[];
  readonly tags: readonly string[];
}

/** Returns the catalog of a compile; throws if it fails. */
export function catalogOf(code: string, options?: SourceOptions): CatalogJson {
  const result = compileSource(code, options);
  if (result.status !== 'ok') throw new Error(JSON.stringify(result));
  return JSON.parse(result.catalog);
}

/** Lists the references that the code itself added to the catalog, in order. */
export function referencesOf(code: string, options?: SourceOptions): string[] {
  return catalogOf(code, options)
    .resources.slice(3)
    .map(({ type, title }) => `${type}[${title}]`);
}

/** Lists the edges between resources that the code itself added, as `source => target`. */
export function edgesOf(code: string, options?: SourceOptions): string[] {
  return catalogOf(code, options)
    .edges.slice(2)
    .map(({ source, target }) => `${source} => ${target}`);
}

/** Returns the parameters of one resource. */
export function parametersOf(code: string, reference: string, options?: SourceOptions): unknown {
  const found = catalogOf(code, options).resources.find(({ type, title }) => `${type}[${title}]` === reference);
  return found?.parameters ?? {};
}

/** Returns the message of a compile that must fail; throws if it succeeds. */
export function errorOf(code: string, options?: SourceOptions): string {
  const result = compileSource(code, options);
  if (result.status !== 'failed') throw new Error(`no failure: ${result.status}`);
  return result.error.message;
}
