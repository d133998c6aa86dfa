/** Changes of a run, in resources. */
export interface RunChanges {
  /** Brought back to what an earlier run had made of them. */
  readonly corrective: number;
  /** Changed for any other reason. */
  readonly intentional: number;
}

/** Reads a report's metrics; null when the run changed nothing. */
export function readRunChanges(metrics: unknown): RunChanges | null {
  const values = readValues(readMember(metrics, 'resources'));
  const corrective = values.get('corrective_change') ?? 0;
  const intentional = Math.max(0, (values.get('changed') ?? 0) - corrective);
  return corrective + intentional === 0 ? null : { corrective, intentional };
}

/** Reads how long a run took from its metrics, in milliseconds; null when they do not say it. */
export function readRunDuration(metrics: unknown): number | null {
  const seconds = readValues(readMember(metrics, 'time')).get('total');
  return seconds === undefined || !Number.isFinite(seconds) ? null : Math.round(seconds * 1000);
}

/** Reads what a summary has of them; null when it has nothing. */
export function readStoredChanges(value: unknown): RunChanges | null {
  const [corrective, intentional] = [readMember(value, 'corrective'), readMember(value, 'intentional')];
  return typeof corrective === 'number' && typeof intentional === 'number' ? { corrective, intentional } : null;
}

/** The rows `[name, label, value]` of a metric. */
function readValues(metric: unknown): ReadonlyMap<string, number> {
  const rows = readMember(metric, 'values');
  const known = (Array.isArray(rows) ? rows : []).filter(Array.isArray);
  return new Map(
    known.flatMap(([name, , value]: readonly unknown[]) =>
      typeof name === 'string' && typeof value === 'number' ? [[name, value] as const] : [],
    ),
  );
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
}
