import { gzipSync } from 'node:zlib';
import { ManifestParser } from '../../puppet/compiler/manifest-parser.ts';
import { Inputs } from '../../puppet/environment/inputs.ts';
import { renameSnapshot } from '../../puppet/environment/rename-snapshot.ts';
import { SERVED_CODE_DIRECTORY, type Snapshot } from '../../puppet/environment/snapshot.ts';
import { openSnapshotEnvironment } from '../../puppet/environment/snapshot-environment.ts';
import { CompileLog } from '../../puppet/errors/compile-log.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { toReadError } from '../../puppet/evaluator/report.ts';
import { parseProgram } from '../../puppet/language/parser.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { readZippedJson } from '../../util/zipped-json.ts';
import type { OpenSnapshot } from '../snapshots/snapshot-cache.ts';
import { type CompileJobReport, createCompileJobReport } from './compile-job-report.ts';
import type { WorkerContext } from './worker-context.ts';
import { askWorker, loadQuestion, storeAnswer } from './worker-request.ts';

/** Begins the ids of these requests. */
export const MANIFESTS_KIND = 'manifests-';

/** A file that Puppet does not accept. */
export interface ManifestFault {
  /** The path in the snapshot: `environments/production/manifests/site.pp`. */
  readonly path: string;
  readonly line: number | null;
  readonly message: string;
}

/** Stored code, and the code before it, maybe of another environment; null: there was none. */
export interface ManifestsQuestion {
  readonly codeId: string;
  readonly before: string | null;
}

const MOST_FAULTS = 100;
/** Folders in which Puppet looks for these files. Plans are no part of catalogs. */
const MANIFEST = /(^|\/)(manifests|functions|types)\/.*\.pp$/;
const TEMPLATE = /(^|\/)templates\/.*\.epp$/;

/** Has a worker parse and validate; see `findManifestFaults`. Null when none answered in time. */
export async function askForManifestFaults(
  question: ManifestsQuestion,
  ports: Pick<Stores, 'blobs' | 'queue' | 'clock'>,
  holdMs: number,
): Promise<readonly ManifestFault[] | null> {
  const job = { certname: question.codeId, reason: 'a check of manifests asked for' };
  const bytes = await askWorker(
    { kind: MANIFESTS_KIND, question: gzipSync(JSON.stringify(question)), job },
    ports,
    holdMs,
  );
  // A worker of the same deployment wrote it.
  return bytes && (readZippedJson(bytes) as readonly ManifestFault[]);
}

/** Checks the manifests of the request's snapshot, unless its caller no longer waits. */
export async function answerManifests(job: CompileJob, id: string, context: WorkerContext): Promise<CompileJobReport> {
  const { blobs, clock } = context.stores;
  const bytes = await loadQuestion(blobs, id);
  if (bytes === null) return createCompileJobReport(job.certname, 'dropped');
  const startedAt = clock.now();
  const { codeId, before } = readZippedJson(bytes) as ManifestsQuestion;
  const faults = await findManifestFaults({ codeId, before }, context);
  await storeAnswer(blobs, id, gzipSync(JSON.stringify(faults)));
  return createCompileJobReport(job.certname, 'answered', { codeId, durationMs: clock.now() - startedAt });
}

/**
 * Parses and validates the manifests, functions, types and EPP templates that differ from the code
 * before. Returns the first 100 faults, by path.
 */
export async function findManifestFaults(
  { codeId, before }: ManifestsQuestion,
  { snapshots, settings }: Pick<WorkerContext, 'snapshots' | 'settings'>,
): Promise<readonly ManifestFault[]> {
  const open = await snapshots.open(codeId);
  const old =
    before === null ? null : renameSnapshot((await snapshots.open(before)).snapshot, open.snapshot.environment);
  const paths = listChangedFiles(old, open.snapshot).filter((path) => MANIFEST.test(path) || TEMPLATE.test(path));
  await snapshots.prefetch(open, paths);
  const check = createCheck(open, settings, snapshots.parsed.manifests);
  const faults: ManifestFault[] = [];
  for (const path of paths) {
    const fault = check(path);
    if (fault !== null) faults.push(fault);
    if (faults.length === MOST_FAULTS) break;
  }
  return faults;
}

function listChangedFiles(old: Snapshot | null, { files }: Snapshot): readonly string[] {
  const changed = Object.entries(files).filter(([path, { sha256 }]) => old?.files[path]?.sha256 !== sha256);
  return changed.map(([path]) => path).sort();
}

function createCheck(
  { snapshot, codeId, tree }: OpenSnapshot,
  settings: WorkerContext['settings'],
  parsed: WorkerContext['snapshots']['parsed']['manifests'],
): (path: string) => ManifestFault | null {
  const environment = openSnapshotEnvironment(snapshot, codeId, tree, new Inputs());
  const parser = new ManifestParser(environment, settings, new CompileLog(), parsed);
  return (path) => {
    const file = `${SERVED_CODE_DIRECTORY}/${path}`;
    try {
      if (MANIFEST.test(path)) parser.parseFile(file);
      else parseProgram(environment.readText(file) ?? '', { file, epp: true });
      return null;
    } catch (thrown) {
      const error = toReadError(thrown);
      if (!(error instanceof PuppetError)) throw error;
      return { path, line: error.location.line ?? null, message: error.basic };
    }
  };
}
