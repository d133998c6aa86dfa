import type { Stores } from '../../store/ports/stores.ts';
import { askForCompile, type CompileReply, compileForCaller } from '../compiles/compile-question.ts';
import {
  askForManifestFaults,
  findManifestFaults,
  type ManifestFault,
  type ManifestsQuestion,
} from '../compiles/manifests-question.ts';
import type { WorkerContext } from '../compiles/worker-context.ts';

/** Compiles nodes in stored code without a trace in their records. */
export interface TrialCompiler {
  /** How many compiles are useful at once. */
  readonly atOnce: number;
  /**
   * Whether its compiles are those of the workers: then a stored catalog is what it would compile.
   */
  readonly isLikeWorkers: boolean;
  /**
   * Compiles with the node's last facts; `codeId` null: with the code in force. Null when nobody
   * answered in time.
   */
  compile(certname: string, environment: string, codeId: string | null): Promise<CompileReply | null>;
  /** Parses and validates what differs from the code before. Null when nobody answered in time. */
  findFaults(question: ManifestsQuestion): Promise<readonly ManifestFault[] | null>;
}

/** Few, because nodes that wait for a catalog share the workers. */
const WORKERS_AT_ONCE = 4;

/** Compiles in this process. */
export function createProcessTrials(context: WorkerContext): TrialCompiler {
  return {
    atOnce: 1,
    isLikeWorkers: false,
    compile: async (certname, environment, codeId) =>
      (await compileForCaller(questionOf(certname, environment, codeId), context)).reply,
    findFaults: (question) => findManifestFaults(question, context),
  };
}

/** Has workers compile; each answer is waited for `holdMs` at most. */
export function createWorkerTrials(
  ports: Pick<Stores, 'blobs' | 'queue' | 'clock'>,
  holdMs: number,
  signal: AbortSignal = new AbortController().signal,
): TrialCompiler {
  return {
    atOnce: WORKERS_AT_ONCE,
    isLikeWorkers: true,
    compile: (certname, environment, codeId) =>
      askForCompile(questionOf(certname, environment, codeId), ports, holdMs, signal),
    findFaults: (question) => askForManifestFaults(question, ports, holdMs),
  };
}

function questionOf(certname: string, environment: string, codeId: string | null) {
  const stored = codeId === null ? {} : { codeId };
  return { certname, environment, facts: null, trusted: null, preferRequested: true, ...stored };
}
