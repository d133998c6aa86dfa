import { type EnvironmentRecord, revisionToken } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { planKey } from './fan-out-plan.ts';
import { FAN_OUT_CHAINS, FAN_OUTS_SENT, MOST_CHAINS_LISTED } from './run-chain.ts';

/** Progress of the fan-out of a deploy. */
export interface FanOutProgress {
  /** Invalidated nodes, at least: a worker that is killed may have invalidated 200 more. */
  readonly nodes: number;
  /** Number of parts of the work; 0 while it is planned. */
  readonly parts: number;
  readonly partsDone: number;
}

/**
 * Progress of the revision in force; null when its fan-out is complete. The workers count as they
 * go: it takes two requests, whatever the size of the fleet, and none once it is complete.
 */
export async function readFanOutProgress(
  record: EnvironmentRecord,
  { documents }: Pick<Stores, 'documents'>,
): Promise<FanOutProgress | null> {
  const { name, settled } = record;
  if (settled >= record.revision) return null;
  const revision = revisionToken(record);
  const [sent, chains] = await Promise.all([
    documents.get(FAN_OUTS_SENT, name),
    documents.list(FAN_OUT_CHAINS, `${planKey(name, revision)}/`, MOST_CHAINS_LISTED),
  ]);
  return {
    nodes: chains.reduce((sum, { document }) => sum + Number(document.invalidated ?? 0), 0),
    parts: sent?.revision === revision ? Number(sent.chains ?? 0) : 0,
    partsDone: chains.filter(({ document }) => document.isDone === true).length,
  };
}

/** Prints it in a few words. */
export function printFanOutProgress({ nodes, parts, partsDone }: FanOutProgress): string {
  return `${nodes} invalidated, ${partsDone} of ${parts} parts done`;
}
