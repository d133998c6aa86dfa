import type { Strictness } from '../../config/strictness.ts';
import { digestCollected, digestExports } from '../../store/exports-digest.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type {
  CatalogPointer,
  CompileNote,
  DependencySummary,
  FailureRecord,
  InputSummary,
  NodeRecord,
} from '../../store/ports/node-record.ts';
import { catalogBlob, putCatalog } from '../catalogs/catalog-blob.ts';
import { noteFailedCompile, noteGoodCompile } from '../failures/note-failures.ts';
import { classificationDigest, classificationOf } from '../nodes/classification.ts';
import { nameChangedExports } from './changed-exports.ts';
import { compilerIdentity } from './compiler-identity.ts';
import { forgetFormerQueries } from './inventory-inputs.ts';
import type { CompileRun } from './run-compile.ts';
import { deleteExportsOfPurged } from './verify-node.ts';
import type { WorkerContext } from './worker-context.ts';

/** Characters of a stored failure message: an item of DynamoDB has at most 400 KB. */
const LONGEST_MESSAGE = 50_000;

interface CompileCircumstances {
  readonly codeId: string | null;
  /** Strictness of the environment; an absent setting is the server's. */
  readonly strictness?: Partial<Strictness> | undefined;
  /** `revisionToken` of the environment's record whose code the compile used. */
  readonly revision: string | null;
  /** sha256 of the facts blob; null for none. */
  readonly facts: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly dependencies: DependencySummary;
  /** The changed inputs that caused the compile. */
  readonly reasons: readonly string[];
}

/**
 * Stores the result of a compile of `node` at `node.wanted`: blobs, collectors and exports first,
 * the commit last. `committed` is false when a newer commit is stored; `changed` is true when the
 * committed catalog differs from the last one. A failure keeps the last good catalog and its
 * exports.
 */
export async function commitCompile(
  node: NodeRecord,
  run: CompileRun,
  circumstances: CompileCircumstances,
  context: WorkerContext,
): Promise<{ readonly committed: boolean; readonly changed: boolean }> {
  const { nodes, exports, blobs, clock } = context.stores;
  const { certname, wanted: generation } = node;
  const { result } = run;
  const { codeId, revision, facts, startedAt, durationMs } = circumstances;
  await exports.replaceCollectors(certname, generation, result.collectors, node.environment);
  let catalog: CatalogPointer | null = null;
  let failure: FailureRecord | null = null;
  if (result.status === 'ok') {
    const blob = catalogBlob(result.catalog, codeId, startedAt);
    const named = new Set([await putCatalog(blobs, blob, codeId)]);
    const forms = await putStaticForms(run.statics, { codeId, startedAt }, blobs, named);
    await exports.replaceExports(certname, generation, result.exported);
    catalog = {
      hash: blob.hash,
      ...(Object.keys(forms).length === 0 ? {} : { static: forms }),
      codeId,
      namedCode: [...named].flatMap((one) => (one === null || one === codeId ? [] : one)),
      compiledAt: timeCompile(node.catalog, startedAt),
      durationMs,
      exported: digestExports(result.exported),
      ...previousOf(node.catalog, blob.hash),
    };
  } else {
    const { message, backtrace } = result.error;
    const where = backtrace === undefined ? {} : { backtrace };
    failure = { message: addNodeName(message, certname), at: startedAt, codeId, ...where };
    await noteFailedCompile(context.stores.documents, failure.message, {
      ...{ certname, environment: node.environment, at: startedAt, codeId },
      formerCode: node.inputs?.dependencies.codeId ?? null,
      failedBefore: node.failure !== null,
    });
  }
  const compiles = noteCompile(node, catalog?.hash ?? null, circumstances);
  const inputs = { ...summaryOf(node, run, circumstances, context), compiles };
  const replaces = node.inputs?.dependencies.membership;
  const committed = await nodes.commit({
    certname,
    generation,
    catalog,
    failure,
    inputs,
    replaces,
    revision,
    facts,
    at: clock.now(),
  });
  if (!committed) await deleteExportsOfPurged(certname, context.stores);
  else await forgetFormerQueries(node, Object.keys(run.inputs.queries ?? {}), context);
  if (committed && failure === null && node.failure !== null) await noteGoodCompile(context.stores.documents, certname);
  return { committed, changed: committed && catalog !== null && catalog.hash !== node.catalog?.hash };
}

/**
 * Returns the time of a compile: `startedAt`, but always later than the time of the last catalog,
 * also when the clock was set back. Consumers of catalog changes compare these times.
 */
export function timeCompile(before: Pick<CatalogPointer, 'compiledAt'> | null, startedAt: number): number {
  return before === null ? startedAt : Math.max(startedAt, before.compiledAt + 1);
}

/** Returns the last catalog that differs from the new one: users compare the two. */
function previousOf(before: CatalogPointer | null, hash: string): Pick<CatalogPointer, 'previous'> {
  if (before === null || before.hash === hash) return before?.previous ? { previous: before.previous } : {};
  return { previous: { hash: before.hash, codeId: before.codeId, compiledAt: before.compiledAt } };
}

const MOST_NOTES = 10;
const MOST_REASONS = 5;
const LONGEST_REASON = 200;

/** Returns the node's last compiles, newest first. `hash` is the new one's; null if it failed. */
function noteCompile(
  node: NodeRecord,
  hash: string | null,
  { codeId, startedAt, durationMs, reasons }: CompileCircumstances,
): readonly CompileNote[] {
  const note: CompileNote = {
    at: startedAt,
    outcome: hash === null ? 'failed' : 'compiled',
    reasons: nameChangedExports(node, reasons)
      .slice(0, MOST_REASONS)
      .map((reason) => reason.slice(0, LONGEST_REASON)),
    durationMs,
    codeId,
    hash,
  };
  return [note, ...(node.inputs?.compiles ?? [])].slice(0, MOST_NOTES);
}

/**
 * Stores the static forms: catalogs with inlined file metadata, by checksum type. Returns their
 * hashes by type, and adds the code ids in them to `named`.
 */
async function putStaticForms(
  statics: CompileRun['statics'],
  { codeId, startedAt }: Pick<CompileCircumstances, 'codeId' | 'startedAt'>,
  blobs: BlobStore,
  named: Set<string | null>,
): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const [type, text] of Object.entries(statics)) {
    const blob = catalogBlob(text, codeId, startedAt);
    named.add(await putCatalog(blobs, blob, codeId));
    hashes[type] = blob.hash;
  }
  return hashes;
}

function summaryOf(
  node: NodeRecord,
  { result, inputs, exports, checksumTypes }: CompileRun,
  { dependencies, strictness }: CompileCircumstances,
  context: WorkerContext,
): Omit<InputSummary, 'compiles'> {
  const collectors = result.collectors.map(({ type, query }) => ({ type, query }));
  return {
    environment: node.environment,
    classification: classificationDigest(classificationOf(node)),
    checksumTypes,
    compiler: compilerIdentity(context, strictness),
    facts: inputs.facts,
    trusted: inputs.trusted,
    settings: inputs.settings,
    dependencies,
    collectors,
    collected: digestCollected(collectors, exports),
    ...(inputs.queries === undefined ? {} : { queries: inputs.queries }),
    ...(inputs.keptValues === undefined ? {} : { keptValues: inputs.keptValues }),
    volatile: inputs.volatile,
    ...(inputs.currentUntil === null ? {} : { currentUntil: inputs.currentUntil }),
  };
}

// Puppet: each compile error ends with the node's name, lib/puppet/parser/compiler.rb (compile).
function addNodeName(message: string, certname: string): string {
  const suffix = ` on node ${certname}`;
  const text = message.endsWith(suffix) ? message.slice(0, -suffix.length) : message;
  return (text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}...` : text) + suffix;
}
