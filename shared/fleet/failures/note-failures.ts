import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { cacheFor } from '../../util/cache-for.ts';
import { listReports } from '../reports/node-reports.ts';
import {
  collectionOf,
  type FailingRecord,
  type FailureKind,
  type NodeFailure,
  readCompileFailure,
  readFailingRecord,
} from './failing-node.ts';
import type { RunFailures } from './run-failures.ts';

type Documents = Pick<DocumentStore, 'get' | 'put' | 'delete'>;

/** The node before a compile, and what the compile ended with. */
interface CompileEnd {
  readonly certname: string;
  readonly environment: string;
  readonly at: number;
  /** The code that was compiled; null without any. */
  readonly codeId: string | null;
  /** The code of the compile before; null when there was none. */
  readonly formerCode: string | null;
  /** Whether the compile before failed. */
  readonly failedBefore: boolean;
}

/**
 * Notes that a node does not compile: one write, and one read where it failed before, too. Call it
 * before the failure is committed, so that none is missed when the process ends in between.
 */
export async function noteFailedCompile(documents: Documents, message: string, end: CompileEnd): Promise<void> {
  const { certname, environment, at, codeId, formerCode, failedBefore } = end;
  const failure = readCompileFailure(message, certname);
  const before = failedBefore ? await findFailing(documents, 'compile', certname) : null;
  const began = formerCode !== null && formerCode !== codeId ? codeId : null;
  const beganWith = before !== null && isSameFailure(before, failure) ? before.beganWith : failedBefore ? null : began;
  const node: FailingRecord = { certname, environment, at, beganWith, goodAt: null, failures: [failure], failed: 1 };
  await documents.put(collectionOf('compile'), certname, { ...node });
}

/** Notes that a node compiles again; call it when that is committed. */
export async function noteGoodCompile(documents: Documents, certname: string): Promise<void> {
  await documents.delete(collectionOf('compile'), certname);
}

/** The failure of a node; null when none is noted. */
export async function findFailing(
  documents: Pick<DocumentStore, 'get'>,
  kind: FailureKind,
  certname: string,
): Promise<FailingRecord | null> {
  const found = await documents.get(collectionOf(kind), certname);
  return found && readFailingRecord(found);
}

/** Deletes what is noted of a node. */
export async function forgetFailures(documents: Pick<DocumentStore, 'delete'>, certname: string): Promise<void> {
  await documents.delete(collectionOf('compile'), certname);
  await documents.delete(collectionOf('run'), certname);
}

function isSameFailure({ failures }: FailingRecord, { resource, message }: NodeFailure): boolean {
  return failures.some((one) => one.resource === resource && one.message === message);
}

/** A run, by its report. */
interface NotedRun {
  readonly certname: string;
  readonly environment: string;
  readonly at: number;
  readonly transactionUuid: string | null;
  /** UUID of the catalog that it applied, and the catalog's code; null when they are not known. */
  readonly catalogUuid: string | null;
  readonly codeId: string | null;
  /** Null for a run that did not fail. */
  readonly failures: RunFailures | null;
}

/** The longest time for which another process's note of a failed run is not seen. */
const KNOWN_MS = 30_000;
/** If more nodes have failed runs, each run is looked up. */
const MOST_KNOWN = 200;

/**
 * Notes failed runs: one write and two or three reads each. A run that did not fail costs nothing,
 * unless the node's last one failed: a process reads the nodes with failed runs once in thirty
 * seconds, at most, while reports come.
 */
export class RunFailureNotes {
  readonly #documents: DocumentStore;
  readonly #readKnown: () => Promise<Set<string> | null>;

  constructor(documents: DocumentStore, clock: Pick<Clock, 'now'>) {
    this.#documents = documents;
    this.#readKnown = cacheFor(KNOWN_MS, clock, () => this.#list());
  }

  async note(run: NotedRun): Promise<void> {
    const { certname, failures } = run;
    const known = await this.#readKnown();
    if (failures !== null) {
      await this.#noteFailed(run, failures);
      known?.add(certname);
    } else if (known === null ? await this.#isNoted(certname) : known.delete(certname)) {
      await this.#documents.delete(collectionOf('run'), certname);
    }
  }

  async #noteFailed(run: NotedRun, { failures, failed }: RunFailures): Promise<void> {
    const { certname, environment, at } = run;
    const before = await findFailing(this.#documents, 'run', certname);
    const isSame = before !== null && failures.some((failure) => isSameFailure(before, failure));
    const began = isSame ? before : await this.#findBeginning(run);
    const node: FailingRecord = {
      ...{ certname, environment, at, failures, failed },
      ...{ beganWith: began.beganWith, goodAt: began.goodAt },
    };
    await this.#documents.put(collectionOf('run'), certname, { ...node });
  }

  /** The code of the run, if the run before was with another catalog. */
  async #findBeginning(run: NotedRun): Promise<Pick<FailingRecord, 'beganWith' | 'goodAt'>> {
    const { certname, transactionUuid, catalogUuid, codeId } = run;
    const reports = await listReports({ documents: this.#documents }, { certname, limit: 2 });
    const before = reports.find((report) => report.transactionUuid !== transactionUuid);
    const isOther = before?.catalogUuid !== undefined && catalogUuid !== null && before.catalogUuid !== catalogUuid;
    return { beganWith: isOther ? codeId : null, goodAt: before?.receivedAt ?? null };
  }

  async #isNoted(certname: string): Promise<boolean> {
    return (await this.#documents.get(collectionOf('run'), certname)) !== null;
  }

  /** The nodes whose last run failed; null when there are many. */
  async #list(): Promise<Set<string> | null> {
    const found = await this.#documents.list(collectionOf('run'), '', MOST_KNOWN + 1);
    return found.length > MOST_KNOWN ? null : new Set(found.map(({ key }) => key));
  }
}
