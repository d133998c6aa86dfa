import type { Disturbance } from './life-plan.ts';

/** The variable that has the plan of a process, as JSON. */
export const PLAN_VARIABLE = 'CHAOS_PLAN';

/** The file descriptor to which a process writes a line for each fault and kill. */
export const EVENTS_DESCRIPTOR = 3;

/** The plan of this process. Throws when it has none. */
export function readDisturbance(variables: Readonly<Record<string, string | undefined>>): Disturbance {
  const text = variables[PLAN_VARIABLE];
  if (text === undefined) throw new Error(`${PLAN_VARIABLE} is not set: this process has no plan of disturbances`);
  return JSON.parse(text);
}
