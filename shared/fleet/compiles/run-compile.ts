import type { Strictness } from '../../config/strictness.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import type { CompileFailure, CompileNeeds, CompileRequest, CompileSuccess } from '../../puppet/compiler/compile.ts';
import type { ExportLookup, ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { type InputSet, Inputs } from '../../puppet/environment/inputs.ts';
import type { FirstReads } from '../../puppet/environment/read-site.ts';
import { openSnapshotEnvironment } from '../../puppet/environment/snapshot-environment.ts';
import { MachineryFault, machineryFault } from '../../puppet/errors/machinery-fault.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { type Language, languageOf } from '../../puppet/levels/language.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { listQueries, queryText } from '../../store/exports-digest.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { drawUuid } from '../../store/system-secrets.ts';
import { type StaticForms, staticForms } from '../catalogs/static-catalog.ts';
import { pathsOf } from '../dependencies/cut-files.ts';
import { USUAL_CHECKSUM_TYPE } from '../facts/checksum-types.ts';
import type { NodeFacts } from '../facts/facts-blob.ts';
import { classificationOf } from '../nodes/classification.ts';
import { ContentMissing, type OpenSnapshot } from '../snapshots/snapshot-cache.ts';
import { classifiedInput } from './classified-input.ts';
import { compileSettings } from './compiler-identity.ts';
import { sortCollected } from './export-matching.ts';
import { CompileAnswers } from './inventory-inputs.ts';
import { CompileValues } from './kept-value-inputs.ts';
import { storableResult } from './storable-result.ts';
import { TimeLimitReached } from './time-limit.ts';
import type { WorkerContext } from './worker-context.ts';

/** A finished compile and its inputs. */
export interface CompileRun {
  readonly result: CompileSuccess | CompileFailure;
  readonly inputs: InputSet;
  /** The catalog with inlined file metadata, by checksum type. */
  readonly statics: StaticForms;
  /** Requested checksum types of static forms. */
  readonly checksumTypes: readonly string[];
  /** Messages of native code's defects. */
  readonly nativeDefects: readonly string[];
  /** Other nodes' exports that match one of the queries for which exports were read. */
  readonly exports: readonly ExportedResource[];
  /** Lines that read the inputs first; null when nothing was compiled. */
  readonly firstReads: FirstReads | null;
}

/** Code that nodes are compiled with. */
export interface CompiledSnapshot extends OpenSnapshot {
  /** Strictness of its environment; an absent setting is the server's. */
  readonly strictness?: Partial<Strictness> | undefined;
}

/** Limit of restarts, each of which loads something the compile lacked. */
const MOST_STARTS = 1000;

/**
 * Compiles `node` in the snapshot (null: its environment is not deployed). The collectors of its
 * last compile, and those found during this one, are registered under `generation` before exports
 * are read. An error in the node's code is a result; throws MachineryFault and StoreUnavailable for
 * faults that a retry may fix.
 */
export async function attemptCompile(
  node: NodeRecord,
  generation: number,
  facts: NodeFacts,
  open: CompiledSnapshot | null,
  context: WorkerContext,
): Promise<CompileRun> {
  const { checksumTypes = [USUAL_CHECKSUM_TYPE] } = facts;
  const failure = classificationOf(node)?.failure;
  if (failure !== undefined) return { ...withoutCompile(failure, {}), checksumTypes };
  if (!open) return { ...withoutEnvironment(node), checksumTypes };
  const known = [...(node.inputs?.collectors ?? [])];
  await fetchLastRead(node, open, context);
  let exports = await registerAndRead(node, generation, known, context);
  const answers = new CompileAnswers(node, generation, context);
  await answers.fetchLast();
  const values = new CompileValues(node, context);
  await values.fetchLast();
  for (let start = 0; start < MOST_STARTS; start += 1) {
    const inputs = new Inputs();
    const outcome = attempt(node, facts, open, inputs, { ...exports, answers, values }, context);
    if (outcome.status === 'content') await context.snapshots.fetch(open, outcome.sha256);
    else if (outcome.status === 'needs' && outcome.question !== undefined) await answers.fetch([outcome.question]);
    else if (outcome.status === 'needs' && outcome.keptValue !== undefined) await values.fetch([outcome.keptValue]);
    else if (outcome.status === 'needs') {
      known.push(...outcome.queries);
      exports = await registerAndRead(node, generation, known, context);
    } else if (!(await values.keep(outcome.kept ?? []))) {
      const result = storableResult(outcome);
      const { snapshots, stores } = context;
      const { language } = compileSettings(context, open.strictness);
      const sources = { snapshots, blobs: stores.blobs, language: languageOf(language) };
      const statics = result.status === 'ok' ? await staticForms(result, open, inputs, checksumTypes, sources) : {};
      const nativeDefects = context.ruby?.takeNativeDefects() ?? [];
      const set = inputs.getResult();
      const read = { inputs: set, firstReads: inputs.getFirstReads(set), exports: exports.resources };
      return { result, statics, checksumTypes, nativeDefects, ...read };
    }
  }
  throw new Error(`the compile of ${node.certname} needs something more each time`);
}

/**
 * Prefetches the files that the last compile read, in parallel, since this one will likely read
 * them too.
 */
async function fetchLastRead({ inputs }: NodeRecord, open: OpenSnapshot, context: WorkerContext): Promise<void> {
  const last = inputs?.dependencies;
  const parts = last && (await context.dependencies.load(last.set));
  if (!parts) return;
  const observations = [last.own, ...parts.map((part) => part.observations)];
  await context.snapshots.prefetch(open, observations.flatMap(pathsOf));
}

/** The exports that were read for some queries. */
interface ReadExports {
  readonly resources: readonly ExportedResource[];
  readonly lookUp: ExportLookup;
}

/**
 * Registers collectors, then reads exports. An exporter does it in reverse order, so one of the two
 * sees the other.
 */
async function registerAndRead(
  { certname, environment }: NodeRecord,
  generation: number,
  queries: readonly ExportQuery[],
  { stores }: WorkerContext,
): Promise<ReadExports> {
  const wanted = listQueries(queries);
  if (wanted.length === 0) return { resources: [], lookUp: () => null };
  const collectors = wanted.map(({ type, query }) => ({ certname, type, query }));
  await stores.exports.replaceCollectors(certname, generation, collectors, environment);
  const resources = await stores.exports.collect(wanted, certname);
  const byType = Map.groupBy(sortCollected(resources), ({ type }) => type);
  const known = new Set(wanted.map(queryText));
  return {
    resources,
    lookUp: (type, query) => (known.has(queryText({ type, query })) ? (byType.get(type) ?? []) : null),
  };
}

type Attempt = CompileSuccess | CompileFailure | CompileNeeds | { readonly status: 'content'; readonly sha256: string };

function attempt(
  node: NodeRecord,
  facts: NodeFacts,
  open: CompiledSnapshot,
  inputs: Inputs,
  { lookUp, answers, values }: ReadExports & { readonly answers: CompileAnswers; readonly values: CompileValues },
  context: WorkerContext,
): Attempt {
  const settings = compileSettings(context, open.strictness);
  try {
    const request: CompileRequest = {
      node: {
        certname: node.certname,
        environment: node.environment,
        facts: inputs.recordFacts(facts.facts),
        trusted: inputs.recordTrusted(facts.trusted),
        serverFacts: serverFacts(node.environment, context, languageOf(settings.language)),
        ...classifiedInput(classificationOf(node)),
      },
      environment: openSnapshotEnvironment(open.snapshot, open.codeId, open.tree, inputs),
      settings,
      inputs,
      exportsOf: lookUp,
      inventory: answers.lookUp,
      keptValues: values.lookUp,
      clock: () => BigInt(context.stores.clock.now()) * 1_000_000n,
      drawUuid,
      parseCache: context.snapshots.parsed.manifests,
      hieraCache: context.snapshots.parsed.data,
      variables: context.variables,
      ruby: context.ruby?.beginCompile(`${open.codeId} ${settings.language}`),
      preparedTypes: open.types,
      logLevel: context.logLevel ?? 'info',
    };
    return context.compile(request);
  } catch (error) {
    if (error instanceof TimeLimitReached) return timeLimitFailure(error, context);
    if (error instanceof ContentMissing) return { status: 'content', sha256: error.sha256 };
    const fault = machineryFault(error);
    if (fault) throw fault;
    return failureOf(error);
  }
}

function serverFacts(environment: string, { server }: WorkerContext, language: Language): PuppetHash {
  return PuppetHash.of([
    ['servername', server.name],
    ...(server.ip === null ? [] : [['serverip', server.ip] as const]),
    ['serverversion', language.release],
    ...(language.implementation === null ? [] : [['serverimplementation', language.implementation] as const]),
    ['environment', environment],
  ]);
}

/**
 * Reports code that exceeded the time limit as a compile failure: a retry would exceed it again.
 * Throws MachineryFault when the compile waited for Ruby to start.
 */
function timeLimitFailure({ message: reason }: TimeLimitReached, { ruby }: WorkerContext): CompileFailure {
  if (ruby?.isStarting) throw new MachineryFault(`Ruby did not start while the compile could wait: ${reason}`);
  const message = `The compile was stopped: ${reason}`;
  return { status: 'failed', collectors: [], error: { message, basic: message }, log: [{ level: 'err', message }] };
}

/** Reports a crash of the compile as a compile failure: the same inputs would crash it again. */
function failureOf(error: unknown): CompileFailure {
  const common = { status: 'failed', collectors: [] } as const;
  if (error instanceof PuppetError) {
    const { message, basic, issueCode, location } = error;
    return { ...common, error: { message, basic, issueCode, ...location }, log: [] };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = `Internal error of the compiler: ${error instanceof Error ? error.message : String(error)}`;
  return { ...common, error: { message, basic: message }, log: [{ level: 'crit', message: stack }] };
}

/** The failure of a node whose environment is not deployed; it compiles again once it is. */
function withoutEnvironment({ environment }: NodeRecord): Omit<CompileRun, 'checksumTypes'> {
  const root = `environments/${environment}`;
  // Differs from Puppet: it names a folder, which there is none of here.
  const message = `Could not find environment '${environment}': it is not deployed on this server`;
  return withoutCompile(message, { [root]: null });
}

/** The failure of a node that is not compiled, and the files that it depends on. */
function withoutCompile(message: string, files: InputSet['files']): Omit<CompileRun, 'checksumTypes'> {
  return {
    result: { status: 'failed', error: { message, basic: message }, collectors: [], log: [] },
    inputs: {
      facts: {},
      trusted: {},
      settings: {},
      files,
      dataKeys: {},
      volatile: [],
      currentUntil: null,
    },
    statics: {},
    nativeDefects: [],
    exports: [],
    firstReads: null,
  };
}
