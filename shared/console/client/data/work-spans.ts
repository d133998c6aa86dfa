import type { ApiSchema } from '../../../api/described-answers.ts';

export type WorkOverview = ApiSchema<'WorkHours'>;

/** The work of a span of time. */
export interface WorkSpan {
  readonly at: number;
  readonly runs: Readonly<Record<string, number>>;
  /** Requests for catalogs that got an error or were turned away. */
  readonly refused: number;
  readonly compiled: number;
  readonly failedCompiles: number;
  /** The longest of the times below which half, and 99 of 100, compiles of an hour stayed. */
  readonly p50: number | null;
  readonly p99: number | null;
}

const HOUR_MS = 3_600_000;
/** Hours of a column, by the hours that are shown. */
export const SPANS: Readonly<Record<string, number>> = { '24': 1, '168': 3, '720': 12 };

/** Joins hours to spans of `step` hours, the first of which begins at a whole number of spans. */
export function joinHours({ hours }: WorkOverview, step: number): readonly WorkSpan[] {
  const spans = new Map<number, WorkSpan>();
  for (const hour of hours) {
    const at = Math.floor(hour.at / (step * HOUR_MS)) * step * HOUR_MS;
    spans.set(at, addHour(spans.get(at) ?? createSpan(at), hour));
  }
  return [...spans.values()];
}

function createSpan(at: number): WorkSpan {
  return { at, runs: {}, refused: 0, compiled: 0, failedCompiles: 0, p50: null, p99: null };
}

function addHour(span: WorkSpan, { runs, answers, compiles, compileMs }: WorkOverview['hours'][number]): WorkSpan {
  const names = new Set([...Object.keys(span.runs), ...Object.keys(runs)]);
  return {
    at: span.at,
    runs: Object.fromEntries([...names].map((name) => [name, (span.runs[name] ?? 0) + (runs[name] ?? 0)])),
    refused: span.refused + (answers.failed ?? 0) + (answers.unavailable ?? 0),
    compiled: span.compiled + (compiles.compiled ?? 0),
    failedCompiles: span.failedCompiles + (compiles.failed ?? 0),
    p50: greaterOf(span.p50, compileMs.p50),
    p99: greaterOf(span.p99, compileMs.p99),
  };
}

function greaterOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
