import { type DispatchSpec, defineFunction } from '../../../puppet/evaluator/native-function.ts';
import type { PuppetFunction } from '../../../puppet/evaluator/ports.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import type { PlanRun } from '../plan-run.ts';

/** Makes the functions of one run of a plan. */
export type PlanFunctions = (run: PlanRun) => readonly PuppetFunction[];

/** Defines a function whose parameters may have types of plans. */
export function definePlanFunction(run: PlanRun, name: string, dispatches: DispatchSpec | readonly DispatchSpec[]) {
  return defineFunction(name, dispatches, { localTypes: run.types.resolve });
}

/** The entry of a hash of options. */
export function findOption(options: Value | undefined, name: string): Value {
  return options instanceof PuppetHash ? (options.get(name) ?? null) : null;
}

export function isOn(value: Value): boolean {
  return value !== null && value !== false;
}

/** Splits a hash by whether its keys begin with `_`, which is left out of those that do. */
export function splitOptions(hash: Value | undefined): { readonly options: PuppetHash; readonly rest: PuppetHash } {
  const options = new PuppetHash();
  const rest = new PuppetHash();
  for (const [key, value] of hash instanceof PuppetHash ? hash : []) {
    const name = String(key);
    if (name.startsWith('_')) options.set(name.slice(1), value);
    else rest.set(key, value);
  }
  return { options, rest };
}
