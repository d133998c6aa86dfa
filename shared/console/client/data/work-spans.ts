import type { ApiSchema } from '../../../api/described-answers.ts';

export type WorkOverview = ApiSchema<'WorkHours'>;

/** The work of a span of time. */
export interface WorkSpan {
  readonly at: number;
  readonly runs: Readonly<Record<string, number>>;
  /** Requests for catalogs that got an error or were turned away. */
  readonly refused: number;
  /** Check-ins that waited for a compile, and those that got the last good catalog. */
  readonly held: number;
  readonly stale: number;
  readonly compiled: number;
  readonly failedCompiles: number;
  /** The longest of the times below which half, and 99 of 100, compiles of an hour stayed. */
  readonly p50: number | null;
  readonly p99: number | null;
  /** Milliseconds that the oldest job of the queue waited. */
  readonly queueAgeMs: number;
  /** Nodes that deploys invalidated. */
  readonly invalidated: number;
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
  const compiles = { compiled: 0, failedCompiles: 0, p50: null, p99: null };
  return { at, runs: {}, refused: 0, held: 0, stale: 0, ...compiles, queueAgeMs: 0, invalidated: 0 };
}

function addHour(span: WorkSpan, hour: WorkOverview['hours'][number]): WorkSpan {
  const { runs, answers, compiles, compileMs, fanOut, peaks } = hour;
  const names = new Set([...Object.keys(span.runs), ...Object.keys(runs)]);
  return {
    at: span.at,
    runs: Object.fromEntries([...names].map((name) => [name, (span.runs[name] ?? 0) + (runs[name] ?? 0)])),
    refused: span.refused + (answers.failed ?? 0) + (answers.unavailable ?? 0),
    held: span.held + (answers.miss ?? 0),
    stale: span.stale + (answers.stale ?? 0),
    compiled: span.compiled + (compiles.compiled ?? 0),
    failedCompiles: span.failedCompiles + (compiles.failed ?? 0),
    p50: greaterOf(span.p50, compileMs.p50),
    p99: greaterOf(span.p99, compileMs.p99),
    queueAgeMs: Math.max(span.queueAgeMs, peaks.queueAgeMs ?? 0),
    invalidated: span.invalidated + (fanOut.invalidated ?? 0),
  };
}

function greaterOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
