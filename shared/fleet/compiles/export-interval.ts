import { SETTINGS, type SettingValues } from '../../config/settings.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';

/** Batching window for changed exports, and the rate of compiles that they cause on a node. */
export interface ExportTiming {
  /** Time that a change waits for more changes, so that one job of a collector covers all. */
  readonly delayMs: number;
  /**
   * The least time between the end of a node's compile and its next compile for changed exports
   * alone. Null: five times as long as the compile took, and at least `delayMs`.
   */
  readonly intervalMs: number | null;
}

/** The timing of the settings; an interval that is not set follows from the time of compiles. */
export function exportTiming({
  exportDelay,
  exportInterval,
}: Pick<SettingValues, 'exportDelay' | 'exportInterval'>): ExportTiming {
  return { delayMs: 1000 * exportDelay, intervalMs: exportInterval === undefined ? null : 1000 * exportInterval };
}

export const DEFAULT_EXPORT_TIMING: ExportTiming = exportTiming({
  exportDelay: SETTINGS.exportDelay.usual,
  exportInterval: undefined,
});

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
