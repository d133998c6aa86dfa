import type { LanguageLevel } from '../../config/language-level.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { askForCompile, type CompileReply, compileForCaller } from '../compiles/compile-question.ts';
import {
  askForManifestFaults,
  findManifestFaults,
  type ManifestFault,
  type ManifestsQuestion,
} from '../compiles/manifests-question.ts';
import type { WorkerContext } from '../compiles/worker-context.ts';

/** The code and the language that a node is compiled with. */
export interface TrialCode {
  /** Null: the code in force. */
  readonly codeId: string | null;
  /** Absent: the language of the environment. */
  readonly language?: LanguageLevel | undefined;
  /** The environment that the code is of; absent: that of the node. */
  readonly environment?: string | undefined;
}

/** The code in force, as it is compiled now. */
export const IN_FORCE: TrialCode = { codeId: null };

/** Compiles nodes in stored code without a trace in their records. */
export interface TrialCompiler {
  /** Useful number of concurrent compiles. */
  readonly atOnce: number;
  /**
   * Whether its compiles are those of the workers: then a stored catalog is what it would compile.
   */
  readonly isLikeWorkers: boolean;
  /** Compiles with the node's last facts. Null when nobody answered in time. */
  compile(certname: string, environment: string, code: TrialCode): Promise<CompileReply | null>;
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
    compile: async (certname, environment, code) =>
      (await compileForCaller(questionOf(certname, environment, code), context)).reply,
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
    compile: (certname, environment, code) =>
      askForCompile(questionOf(certname, environment, code), ports, holdMs, signal),
    findFaults: (question) => askForManifestFaults(question, ports, holdMs),
  };
}

function questionOf(certname: string, usual: string, { codeId, language, environment = usual }: TrialCode) {
  const stored = codeId === null ? {} : { codeId };
  return { certname, environment, facts: null, trusted: null, preferRequested: true, language, ...stored };
}
