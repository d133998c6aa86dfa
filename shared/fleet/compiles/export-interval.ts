import { EXPORT_SECONDS } from '../../config/export-settings.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';

/** When nodes are told of changed exports, and how often they are compiled for them. */
export interface ExportTiming {
  /** How long a change waits for more changes, so that a collector is told of all at once. */
  readonly delayMs: number;
  /**
   * The least time between the end of a node's compile and its next compile for changed exports
   * alone. Null: five times as long as the compile took, and at least `delayMs`.
   */
  readonly intervalMs: number | null;
}

export const DEFAULT_EXPORT_TIMING: ExportTiming = exportTiming({ delay: EXPORT_SECONDS.delay.usual, interval: null });

/** The timing for settings in seconds; a null interval follows from the duration of compiles. */
export function exportTiming({
  delay,
  interval,
}: {
  readonly delay: number;
  readonly interval: number | null;
}): ExportTiming {
  return { delayMs: 1000 * delay, intervalMs: interval === null ? null : 1000 * interval };
}

const REST_FACTOR = 5;

/**
 * The time from which the node may be compiled for nothing but changed exports. A node that waits
 * for its catalog is never delayed; its caller does not ask.
 */
export function exportsDueAt({ catalog, failure }: NodeRecord, { delayMs, intervalMs }: ExportTiming): number {
  const durationMs = catalog?.durationMs ?? 0;
  const endedAt = Math.max(catalog ? catalog.compiledAt + durationMs : 0, failure?.at ?? 0);
  return endedAt + (intervalMs ?? Math.max(delayMs, REST_FACTOR * durationMs));
}
