import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { DueNode } from './notify-book.ts';
import type { WaveLevels } from './wave-order.ts';

/** A job that notifies some nodes of a lane. */
export interface Wave {
  readonly job: number;
  /** Number of nodes that go before the others. */
  readonly canaries: number;
  readonly phase: 'canary' | 'rest';
  /** When the first node was allowed to start; null before. */
  readonly since: number | null;
  /** The snapshot in force when the job was made; null for none. */
  readonly codeId: string | null;
  /** Newer catalogs took the place of those of this job. */
  readonly isSuperseded: boolean;
  /** Nodes wait for others: the next job begins when all of this one have ended. */
  readonly isOrdered?: boolean;
}

/** Why no further node of a lane is notified. */
export interface RolloutPause {
  readonly job: number;
  /** The snapshot in force when the job was made; null for none. */
  readonly codeId: string | null;
  readonly at: number;
  readonly reason: string;
  /** Canaries that did worse than before. */
  readonly nodes: readonly string[];
}

/** Progress of notifying the nodes of a lane. */
export interface Rollout {
  /** A job that is being made; what is there of it is finished first. */
  readonly forming: {
    readonly wave: Wave;
    readonly nodes: readonly DueNode[];
    /** Absent: the nodes run in any order. */
    readonly levels?: WaveLevels;
  } | null;
  /** Jobs that have not ended, oldest first. */
  readonly waves: readonly Wave[];
  readonly paused: RolloutPause | null;
  /** Canaries that did well with a snapshot. */
  readonly passed: { readonly codeId: string | null; readonly count: number };
  /** Nodes that became due until then are not notified: the job was stopped. */
  readonly droppedUntil: number;
  /** The last node of the last job: the next one begins behind it. */
  readonly cursor: string;
  /** Nodes that go first in the next job. */
  readonly suspects: readonly string[];
}

export const NEW_ROLLOUT: Rollout = {
  forming: null,
  waves: [],
  paused: null,
  passed: { codeId: null, count: 0 },
  droppedUntil: 0,
  cursor: '',
  suspects: [],
};

const ROLLOUTS = 'notify-rollouts';
const RESUMES = 'notify-resumes';
const MOST_ROLLOUTS = 1000;

/** The documents of rollouts, one a lane. Only the notifier writes them. */
export class RolloutStore {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  async get(lane: string): Promise<Rollout> {
    const found = await this.#documents.get(ROLLOUTS, lane);
    return found === null ? NEW_ROLLOUT : readRollout(found);
  }

  async put(lane: string, rollout: Rollout): Promise<void> {
    await this.#documents.put(ROLLOUTS, lane, { ...rollout });
  }

  /** All rollouts by their lanes. */
  async list(): Promise<readonly { readonly lane: string; readonly rollout: Rollout }[]> {
    const found = await this.#documents.list(ROLLOUTS, '', MOST_ROLLOUTS);
    return found.map(({ key, document }) => ({ lane: key, rollout: readRollout(document) }));
  }

  /** Asks for the rollout to go on that this job's canaries paused; false when there is none. */
  async resume(job: number): Promise<boolean> {
    const found = (await this.list()).find(({ rollout }) => rollout.paused?.job === job);
    if (found !== undefined) await this.#documents.put(RESUMES, found.lane, { job });
    return found !== undefined;
  }

  /** Whether somebody asked so since. */
  async isToResume(lane: string, job: number): Promise<boolean> {
    return Number((await this.#documents.get(RESUMES, lane))?.job ?? 0) === job;
  }
}

/** Reads what `put` wrote. */
function readRollout(document: StoredDocument): Rollout {
  return { ...NEW_ROLLOUT, ...(document as Partial<Rollout>) };
}
