import { gzipSync } from 'node:zlib';
import type { PreparedResourceTypes } from '../../puppet/compiler/resource-types/prepared-resource-types.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { readZippedJson } from '../../util/zipped-json.ts';
import { prepareTypes, printPreparedTypes, readPreparedTypes } from '../snapshots/prepare-types.ts';
import { ContentMissing, type OpenSnapshot } from '../snapshots/snapshot-cache.ts';
import { type CompileJobReport, createCompileJobReport } from './compile-job-report.ts';
import type { WorkerContext } from './worker-context.ts';
import { askWorker, loadQuestion, storeAnswer } from './worker-request.ts';

/** Begins the ids of these requests. */
export const TYPES_KIND = 'types-';

/** A stored snapshot whose resource types are to be described. */
interface TypesQuestion {
  readonly codeId: string;
  /** The types blob of the code before; null without one. */
  readonly old: Uint8Array | null;
}

/** Share of a job's time limit for all types. Compiles describe the remaining ones. */
const TIME_SHARE = 0.4;
const MOST_STARTS = 100;
const RUBY_OF_MODULES = /\/lib\/.*\.rb$/;

/**
 * Has a worker describe the resource types of a stored snapshot: front doors run no code of
 * modules. Returns their blob; null when no worker answered within `holdMs`.
 */
export async function askForTypes(
  { codeId, old }: TypesQuestion,
  ports: Pick<Stores, 'blobs' | 'queue' | 'clock'>,
  holdMs: number,
): Promise<Uint8Array | null> {
  const question = gzipSync(JSON.stringify({ codeId, old: old && Buffer.from(old).toString('base64') }));
  const job = { certname: codeId, reason: 'resource types asked for' };
  return askWorker({ kind: TYPES_KIND, question, job }, ports, holdMs);
}

/** Describes the types of the request's snapshot, unless its caller no longer waits. */
export async function answerTypes(job: CompileJob, id: string, context: WorkerContext): Promise<CompileJobReport> {
  const { blobs, clock } = context.stores;
  const bytes = await loadQuestion(blobs, id);
  const question = bytes && readQuestion(bytes);
  if (!question || !context.ruby) return createCompileJobReport(job.certname, 'dropped');
  const startedAt = clock.now();
  const { codeId } = question;
  const open = await context.snapshots.open(codeId);
  const paths = Object.keys(open.snapshot.files).filter((path) => RUBY_OF_MODULES.test(path));
  await context.snapshots.prefetch(open, paths);
  const types = await describe(open, context.ruby.beginCompile(codeId), readPreparedTypes(question.old), context);
  await storeAnswer(blobs, id, printPreparedTypes(types));
  const nativeDefects = context.ruby.takeNativeDefects();
  return createCompileJobReport(job.certname, 'answered', {
    codeId,
    durationMs: clock.now() - startedAt,
    nativeDefects,
  });
}

/** Starts again when a file is not in memory. */
async function describe(
  open: OpenSnapshot,
  ruby: RubyPort,
  old: PreparedResourceTypes,
  { snapshots, stores, limitMs }: WorkerContext,
): Promise<PreparedResourceTypes> {
  const end = stores.clock.now() + limitMs * TIME_SHARE;
  const isOver = () => stores.clock.now() >= end;
  for (let start = 0; start < MOST_STARTS; start += 1) {
    try {
      return prepareTypes(open.snapshot, open.codeId, (sha256) => snapshots.readContent(sha256), ruby, old, isOver);
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      await snapshots.fetch(open, error.sha256);
    }
  }
  throw new Error('resource types need one more file each time');
}

function readQuestion(bytes: Uint8Array): TypesQuestion | null {
  const question = readZippedJson(bytes);
  if (typeof question !== 'object' || question === null || !('codeId' in question)) return null;
  const old = 'old' in question && typeof question.old === 'string' ? Buffer.from(question.old, 'base64') : null;
  return { codeId: String(question.codeId), old };
}
