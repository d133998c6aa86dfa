import { gunzipSync, gzipSync } from 'node:zlib';
import { type LanguageLevel, parseLanguageLevel } from '../../config/language-level.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import type { LogEntry } from '../../puppet/errors/compile-log.ts';
import { parseJson, printJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { ExportStore } from '../../store/ports/export-store.ts';
import type { InventoryAnswers } from '../../store/ports/inventory-answers.ts';
import type { Classification, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { completeCatalog } from '../catalogs/catalog-blob.ts';
import { loadFacts, type NodeFacts } from '../facts/facts-blob.ts';
import { environmentInForce } from '../nodes/classification.ts';
import { type CompileJobReport, createCompileJobReport } from './compile-job-report.ts';
import { openEnvironment } from './compile-node.ts';
import { attemptCompile, type CompiledSnapshot } from './run-compile.ts';
import type { WorkerContext } from './worker-context.ts';
import { askWorker, loadQuestion, storeAnswer } from './worker-request.ts';

/** A request for a catalog that is compiled for the caller and not stored. */
export interface CompileQuestion {
  readonly certname: string;
  readonly environment: string;
  /** Null: the facts the node sent last. */
  readonly facts: PuppetHash | null;
  readonly trusted: PuppetHash | null;
  /** Classification by node groups of a node with these facts; absent: that of its record. */
  readonly grouped?: Classification | null | undefined;
  /** Whether `environment` overrides the node's classification. */
  readonly preferRequested: boolean;
  /** Stored code, which need not be in force; absent: the code in force for the node. */
  readonly codeId?: string | undefined;
  /** The language of the compile; absent: that of the environment. */
  readonly language?: LanguageLevel | undefined;
}

export type CompileReply =
  | { readonly status: 'ok'; readonly catalog: unknown; readonly log: readonly LogEntry[] }
  | { readonly status: 'failed'; readonly message: string; readonly log: readonly LogEntry[] };

/**
 * Has a worker compile a catalog, with priority over jobs without a waiting node, and waits for the
 * result. Null when `holdMs` ended or `signal` aborted.
 */
export async function askForCompile(
  question: CompileQuestion,
  ports: Pick<Stores, 'blobs' | 'queue' | 'clock'>,
  holdMs: number,
  signal: AbortSignal,
): Promise<CompileReply | null> {
  const job = { certname: question.certname, reason: 'catalog asked for' };
  const bytes = await askWorker({ kind: '', question: encode(question), job }, ports, holdMs, signal);
  return bytes && JSON.parse(gunzipSync(bytes).toString('utf8'));
}

/**
 * Compiles the requested catalog, unless its caller no longer waits. Node, exports and collectors
 * stay unchanged.
 */
export async function answerCompile(job: CompileJob, id: string, context: WorkerContext): Promise<CompileJobReport> {
  const { blobs } = context.stores;
  const question = decode(await loadQuestion(blobs, id));
  if (!question) return createCompileJobReport(job.certname, 'dropped');
  const { reply, exported: _, ...more } = await compileForCaller(question, context);
  await storeAnswer(blobs, id, gzipSync(JSON.stringify(reply)));
  return createCompileJobReport(question.certname, 'answered', { ...more, log: reply.log });
}

/** A catalog that is not stored, with what its report says. */
export interface CompileForCaller {
  readonly reply: CompileReply;
  readonly codeId: string | null;
  readonly durationMs: number;
  readonly nativeDefects: readonly string[];
  /** Resources that the node would export for others. */
  readonly exported: readonly ExportedResource[];
}

/** Compiles a catalog that is not stored. Node, exports and collectors stay unchanged. */
export async function compileForCaller(question: CompileQuestion, context: WorkerContext): Promise<CompileForCaller> {
  const { blobs, nodes, clock } = context.stores;
  const { certname, environment, preferRequested } = question;
  const known = await nodes.get(certname);
  const regrouped = regroup(known ?? newNode(certname), question.grouped);
  const inForce = preferRequested ? environment : environmentInForce(regrouped, environment);
  const node = { ...regrouped, environment: inForce, inputs: null };
  const startedAt = clock.now();
  const inventory = context.inventory && makeUnwatched(context.inventory);
  const reading = {
    ...context,
    logLevel: 'debug' as const,
    inventory,
    keptValues: context.keptValues?.readOnly(),
    stores: { ...context.stores, exports: makeReadOnly(context.stores.exports) },
  };
  const stored = question.codeId;
  const found =
    stored === undefined ? await openEnvironment(node, context) : await openStored(stored, inForce, context);
  const open = found && inLanguage(found, question.language);
  const { result, nativeDefects } = await attemptCompile(
    node,
    0,
    await factsOf(question, regrouped, blobs),
    open,
    reading,
  );
  const codeId = open?.codeId ?? null;
  const reply: CompileReply =
    result.status === 'ok'
      ? { status: 'ok', catalog: JSON.parse(completeCatalog(result.catalog, codeId, startedAt).text), log: result.log }
      : { status: 'failed', message: result.error.message, log: result.log };
  const exported = result.status === 'ok' ? result.exported : [];
  return { reply, codeId, durationMs: clock.now() - startedAt, nativeDefects, exported };
}

/** Stored code, compiled as strictly as the code of the environment in force. */
async function openStored(
  codeId: string,
  environment: string,
  { stores, snapshots }: WorkerContext,
): Promise<CompiledSnapshot> {
  const record = await stores.environments.get(environment);
  return { ...(await snapshots.open(codeId)), strictness: record?.strictness };
}

function inLanguage(open: CompiledSnapshot, language: CompileQuestion['language']): CompiledSnapshot {
  return language === undefined ? open : { ...open, strictness: { ...open.strictness, language } };
}

/** The record with another answer of the node groups. */
function regroup(node: NodeRecord, grouped: CompileQuestion['grouped']): NodeRecord {
  if (grouped === undefined) return node;
  const { grouping } = node;
  const unknown = { state: '', values: null, paths: [], at: 0 };
  return { ...node, grouping: { ...(grouping ?? unknown), classification: grouped } };
}

async function factsOf(question: CompileQuestion, node: NodeRecord, blobs: BlobStore): Promise<NodeFacts> {
  const { certname, facts, trusted } = question;
  const stored = facts && trusted ? null : await loadFacts(blobs, node);
  return {
    facts: facts ?? stored?.facts ?? new PuppetHash(),
    trusted: trusted ?? stored?.trusted ?? PuppetHash.of([['certname', certname]]),
    checksumTypes: [],
  };
}

/** The same answers, without registrations. */
function makeUnwatched(answers: InventoryAnswers): InventoryAnswers {
  return {
    ask: (queries) => answers.ask(queries, null),
    digest: (queries) => answers.digest(queries, null),
    keepOnly: async () => undefined,
  };
}

/**
 * Makes registrations no-ops: a changed export must not invalidate for a catalog that is not
 * stored.
 */
function makeReadOnly(exports: ExportStore): ExportStore {
  return {
    collect: (queries, except) => exports.collect(queries, except),
    listOwn: (certname, types) => exports.listOwn(certname, types),
    digestCollected: (queries, except) => exports.digestCollected(queries, except),
    noteChanges: async () => undefined,
    replaceExports: async () => true,
    replaceCollectors: async () => true,
    listCollectors: (type, keys, after) => exports.listCollectors(type, keys, after),
    getDigest: (certname) => exports.getDigest(certname),
    delete: async () => undefined,
  };
}

function newNode(certname: string): NodeRecord {
  return {
    certname,
    environment: '',
    wanted: 0,
    started: 0,
    built: 0,
    revision: null,
    reasons: [],
    wantedAt: 0,
    asked: { generation: 0, at: 0, waiting: false },
    classification: null,
    grouping: null,
    external: null,
    catalog: null,
    failure: null,
    inputs: null,
    facts: null,
    checkedFacts: null,
    version: 0,
    lastSeen: 0,
    ringPosition: 0,
    compiles: 0,
    verifications: 0,
  };
}

function encode(question: CompileQuestion): Uint8Array {
  const { certname, environment, facts, trusted, grouped, preferRequested, codeId, language } = question;
  const more = {
    ...(grouped === undefined ? {} : { grouped: JSON.stringify(grouped) }),
    ...(codeId === undefined ? {} : { code_id: codeId }),
    ...(language === undefined ? {} : { language }),
  };
  const entries = { certname, environment, facts, trusted, prefer_requested: preferRequested, ...more };
  return gzipSync(printJson(PuppetHash.of(Object.entries(entries))));
}

function decode(bytes: Uint8Array | null): CompileQuestion | null {
  const stored = bytes && parseJson(gunzipSync(bytes).toString('utf8'));
  if (!(stored instanceof PuppetHash)) return null;
  const hash = (name: string) => {
    const value = stored.get(name);
    return value instanceof PuppetHash ? value : null;
  };
  const grouped = stored.get('grouped');
  const codeId = stored.get('code_id');
  const language = parseLanguageLevel(stored.get('language'));
  return {
    ...(language === null ? {} : { language }),
    ...(typeof codeId === 'string' ? { codeId } : {}),
    ...(typeof grouped === 'string' ? { grouped: JSON.parse(grouped) } : {}),
    certname: String(stored.get('certname')),
    environment: String(stored.get('environment')),
    facts: hash('facts'),
    trusted: hash('trusted'),
    preferRequested: stored.get('prefer_requested') === true,
  };
}
