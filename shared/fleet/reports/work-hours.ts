import { allDocuments } from '../../store/list-pages.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { DAY_MS } from '../../util/day.ts';
import { isJsonObject } from '../../util/json-object.ts';

/** Counts of an hour, by their names. */
export type Counts = Readonly<Record<string, number>>;

/** The work of all processes in an hour. */
export interface WorkHour {
  /** The beginning of the hour, in milliseconds since 1970. */
  readonly at: number;
  /** Reports by the outcome of the run: `changed`, `unchanged`, `failed`, `noop`. */
  readonly runs: Counts;
  /** Answers to catalog requests by their kind, as in the metrics. */
  readonly answers: Counts;
  /** Ended compiles by outcome: `compiled`, `failed`. */
  readonly compiles: Counts;
  /** Compiles by the upper bound of their time in milliseconds; `more` beyond the last one. */
  readonly compileMs: Counts;
  /** Nodes that deploys invalidated: `invalidated`. */
  readonly fanOut: Counts;
  /** Greatest values of the hour: `queueAgeMs`, the age of the oldest job that waited. */
  readonly peaks: Counts;
}

type Part = Exclude<keyof WorkHour, 'at'>;
type PortDocuments = Pick<DocumentStore, 'put' | 'list' | 'delete'>;

/** `<hour>/<process>`: what a process counted in an hour. */
const HOURS = 'work-hours';
const HOUR_MS = 3600_000;
/** Days for which hours are kept. */
const KEPT_DAYS = 90;
const COMPILE_BOUNDS_MS = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000];
const PARTS: readonly Part[] = ['runs', 'answers', 'compiles', 'compileMs', 'fanOut', 'peaks'];

/**
 * Counts the work of this process by the hour. What it counted is written once a minute at most, in
 * one document an hour, whatever the size of the fleet; a process that is killed loses a minute.
 */
export class WorkHours {
  readonly #documents: PortDocuments;
  readonly #clock: Clock;
  readonly #process: string;
  /** Hours that changed since they were written, and the present one. */
  readonly #hours = new Map<number, { counts: Record<Part, Record<string, number>>; isWritten: boolean }>();

  /** `process` names this process among all that share the store. */
  constructor(documents: PortDocuments, clock: Clock, process: string) {
    [this.#documents, this.#clock, this.#process] = [documents, clock, process];
  }

  /** Counts one of a kind. */
  note(part: Part, name: string): void {
    const { counts } = this.#change();
    counts[part][name] = (counts[part][name] ?? 0) + 1;
  }

  /** Notes the age of the oldest job that waits, in milliseconds; 0 for none. */
  noteQueueAge(ageMs: number): void {
    if (ageMs <= 0) return;
    const { peaks } = this.#change().counts;
    peaks.queueAgeMs = Math.max(peaks.queueAgeMs ?? 0, Math.round(ageMs));
  }

  /** The present hour, which will be written. */
  #change() {
    const at = Math.floor(this.#clock.now() / HOUR_MS) * HOUR_MS;
    const hour = this.#hours.get(at) ?? { counts: createCounts(), isWritten: false };
    this.#hours.set(at, hour);
    hour.isWritten = false;
    return hour;
  }

  /** Counts a run by its report. */
  noteRun(status: unknown, isNoop: boolean): void {
    const isChange = status === 'changed' || status === 'failed';
    this.note('runs', isNoop && !isChange ? 'noop' : isChange || status === 'unchanged' ? String(status) : 'failed');
  }

  /** Counts a compile that ended. */
  noteCompile(outcome: 'compiled' | 'failed', durationMs: number): void {
    this.note('compiles', outcome);
    this.note('compileMs', String(COMPILE_BOUNDS_MS.find((bound) => durationMs <= bound) ?? 'more'));
  }

  /** Writes what changed; call it once a minute, and at the end. */
  async flush(): Promise<void> {
    const now = this.#clock.now();
    for (const [at, hour] of this.#hours) {
      if (!hour.isWritten) {
        hour.isWritten = true;
        const key = `${writeHour(at)}/${this.#process}`;
        await this.#documents.put(HOURS, key, hour.counts, at + KEPT_DAYS * DAY_MS).catch((error: unknown) => {
          hour.isWritten = false;
          throw error;
        });
      }
      if (hour.isWritten && at + HOUR_MS <= now) this.#hours.delete(at);
    }
  }
}

/**
 * Notes how many nodes a deploy invalidated, when all of them are: in one document of the present
 * hour, which `deploy` names. Noting the same deploy again in that hour replaces it.
 */
export async function noteFanOut(
  documents: Pick<DocumentStore, 'put'>,
  now: number,
  deploy: string,
  invalidated: number,
): Promise<void> {
  if (invalidated === 0) return;
  const key = `${writeHour(now)}/${deploy}`;
  await documents.put(HOURS, key, { fanOut: { invalidated } }, now + KEPT_DAYS * DAY_MS);
}

/** The last hours of all processes, the oldest first; hours without work are left out. */
export async function readWorkHours(
  documents: Pick<DocumentStore, 'list'>,
  now: number,
  hours: number,
): Promise<readonly WorkHour[]> {
  const first = Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS;
  const found = new Map<number, Record<Part, Record<string, number>>>();
  for await (const { key, document } of allDocuments(documents, HOURS, { after: writeHour(first) })) {
    const at = Date.parse(`${key.slice(0, 13)}:00:00Z`);
    if (Number.isNaN(at) || at < first) continue;
    const counts = found.get(at) ?? createCounts();
    found.set(at, counts);
    addCounts(counts, document);
  }
  return [...found].map(([at, counts]) => ({ at, ...counts }));
}

/** Deletes hours that are no longer kept, for stores that do not delete what expired. */
export async function pruneWorkHours(documents: Pick<DocumentStore, 'list' | 'delete'>, now: number): Promise<void> {
  const last = writeHour(now - KEPT_DAYS * DAY_MS);
  for await (const { key } of allDocuments(documents, HOURS)) {
    if (key >= last) return;
    await documents.delete(HOURS, key);
  }
}

/** The time below which a share of the compiles stayed, in milliseconds; null without any. */
export function findCompileTime(compileMs: Counts, share: number): number | null {
  const all = Object.values(compileMs).reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let counted = 0;
  for (const bound of COMPILE_BOUNDS_MS) {
    counted += compileMs[String(bound)] ?? 0;
    if (counted >= share * all) return bound;
  }
  return COMPILE_BOUNDS_MS.at(-1) ?? null;
}

function createCounts(): Record<Part, Record<string, number>> {
  return { runs: {}, answers: {}, compiles: {}, compileMs: {}, fanOut: {}, peaks: {} };
}

function addCounts(sums: Record<Part, Record<string, number>>, document: StoredDocument): void {
  for (const part of PARTS) {
    const counts = document[part];
    if (!isJsonObject(counts)) continue;
    for (const [name, count] of Object.entries(counts)) {
      const [sum, added] = [sums[part][name] ?? 0, typeof count === 'number' ? count : 0];
      sums[part][name] = part === 'peaks' ? Math.max(sum, added) : sum + added;
    }
  }
}

/** `2026-11-30T01`: sorts as the hours do. */
function writeHour(at: number): string {
  return new Date(at).toISOString().slice(0, 13);
}
