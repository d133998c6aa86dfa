import { QUEUE_NAMES, type QueueName } from '../../store/ports/compile-queue.ts';

/** Keeps a machine's own work going: above a load average, no job starts that nobody waits for. */
export interface LoadGate {
  /** The highest load average at which such jobs start; null: any. */
  readonly maxLoad: number | null;
  /** The load average of the last minute. */
  readLoad(): number;
}

const WAITING: readonly QueueName[] = ['waiting'];

/** The queues from which a job may be started now; jobs that a node waits for always start. */
export function listOpenQueues(gate: LoadGate): readonly QueueName[] {
  return isHoldingBack(gate) ? WAITING : QUEUE_NAMES;
}

/** The gate's state for the status page; null without a gate. */
export function describeLoadGate(gate: LoadGate): Readonly<Record<string, unknown>> | null {
  if (gate.maxLoad === null) return null;
  return { average: gate.readLoad(), max: gate.maxLoad, holds_back: isHoldingBack(gate) };
}

function isHoldingBack({ maxLoad, readLoad }: LoadGate): boolean {
  return maxLoad !== null && readLoad() > maxLoad;
}
