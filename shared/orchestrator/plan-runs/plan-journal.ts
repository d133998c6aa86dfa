import type { LedgerEvent } from '../../store/ports/job-records.ts';
import type { PlanNote } from '../plan-language/plan-effects.ts';
import type { SecretMask } from './secret-mask.ts';

type JournalEvent = Pick<LedgerEvent, 'type' | 'details' | 'message'>;

/** Stores events of a plan, and the numbers of its jobs. */
interface JournalSink {
  append(events: readonly JournalEvent[], jobs: readonly number[]): Promise<void>;
}

interface JournalOptions {
  readonly sink: JournalSink;
  readonly mask: SecretMask;
  /** Name of the plan whose start and end the plan job itself has. */
  readonly plan: string;
  readonly mostEvents: number;
  readonly mostMessageBytes: number;
}

type PlanTurn = Extract<PlanNote, { readonly plan: string }>;

const MOST_AT_ONCE = 50;
/** Levels of the log that operators are to see. */
const SHOWN_LEVELS = ['fatal', 'error', 'warn'];

/**
 * The events of a plan that runs, in their order. Several that come meanwhile are stored together.
 * Beyond a number of events, messages are counted only.
 */
export class PlanJournal {
  readonly #options: JournalOptions;
  #waiting: { readonly event: JournalEvent; readonly job: number | null }[] = [];
  #work: Promise<void> = Promise.resolve();
  #depth = 0;
  #count = 0;
  #dropped = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  note(note: PlanNote): void {
    const event = this.#describe(note);
    if (event !== null) this.#add(event, null);
  }

  /** Notes something that began, and its job; resolves when it is stored. */
  noteJob(event: JournalEvent, job: number | null): Promise<void> {
    this.#add(event, job);
    return this.settle();
  }

  /** Resolves when all is stored. Rejects when it cannot be. */
  async settle(): Promise<void> {
    if (this.#dropped > 0) {
      const message = `${this.#dropped} further messages are not shown: a plan has at most ${this.#options.mostEvents}`;
      this.#dropped = 0;
      this.#waiting.push({ event: { type: 'out_message', details: { message }, message }, job: null });
    }
    this.#flush();
    await this.#work;
  }

  #describe(note: PlanNote): JournalEvent | null {
    if ('plan' in note) return this.#describePlan(note);
    if (note.type === 'verbose') return null;
    if (note.type === 'log' && !SHOWN_LEVELS.includes(note.level)) return null;
    const message = cutText(this.#options.mask.text(note.message), this.#options.mostMessageBytes);
    const details = note.type === 'log' ? { message, level: note.level } : { message };
    return { type: 'out_message', details, message };
  }

  /** The plan job has events for the outermost plan. */
  #describePlan({ type, plan }: PlanTurn): JournalEvent | null {
    const isStart = type === 'plan_start';
    if (!isStart) this.#depth -= 1;
    const isOutermost = this.#depth === 0;
    if (isStart) this.#depth += 1;
    if (isOutermost) return null;
    const message = `Plan ${plan} ${isStart ? 'started' : 'ended'}`;
    return { type: isStart ? 'plan_start' : 'plan_end', details: { plan }, message };
  }

  #add(event: JournalEvent, job: number | null): void {
    this.#count += 1;
    if (job === null && this.#count > this.#options.mostEvents) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push({ event, job });
    this.#flush();
  }

  #flush(): void {
    const previous = this.#work;
    this.#work = previous.then(async () => {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, MOST_AT_ONCE);
        const jobs = batch.flatMap(({ job }) => job ?? []);
        await this.#options.sink.append(
          batch.map(({ event }) => event),
          jobs,
        );
      }
    });
    // Whoever settles gets the error.
    this.#work.catch(() => undefined);
  }
}

function cutText(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  return `${new TextDecoder().decode(Buffer.from(text).subarray(0, mostBytes)).replace(/\uFFFD$/, '')} (cut)`;
}
