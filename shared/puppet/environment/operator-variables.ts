/**
 * Access of environments' code to environment variables of the compiler's process. Only variables
 * on the operator's list can be read, because the author of the code is not always the operator.
 * Values are neither logged nor recorded; digests are.
 */
import { digestSha256 } from '../../util/digest.ts';
import type { InputSet } from './inputs.ts';
import type { InputChange } from './verify.ts';

type OperatorVariable =
  | { readonly state: 'set'; readonly value: string }
  | { readonly state: 'unset' }
  /**
   * The operator does not permit reading it. `listedIn` names the variable with the operator's
   * list, if there is one.
   */
  | { readonly state: 'forbidden'; readonly listedIn?: string };

export type OperatorVariables = (name: string) => OperatorVariable;

/** All environment variables of a process. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>;

/** Permits no variable. */
export const NO_VARIABLES: OperatorVariables = () => ({ state: 'forbidden' });

/** Permits the variables in the comma-separated list that the variable `listedIn` holds. */
export function selectListedVariables(variables: ProcessVariables, listedIn: string): OperatorVariables {
  const listed = (variables[listedIn] ?? '').split(',').map((name) => name.trim());
  const names = new Set(listed.filter((name) => name !== ''));
  const read = allVariables(() => variables);
  return (name) => (names.has(name) ? read(name) : { state: 'forbidden', listedIn });
}

/**
 * Permits all variables, for a user who runs a command on code of their own. Calls `variables` for
 * each read.
 */
export function allVariables(variables: () => ProcessVariables): OperatorVariables {
  return (name) => {
    const all = variables();
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    return value === undefined ? { state: 'unset' } : { state: 'set', value };
  };
}

/**
 * Prefix of variables among the recorded settings; no setting of Puppet has a space in its name.
 */
const PREFIX = 'environment variable ';

/**
 * The record of a variable among the settings: its prefixed name, with a digest of its value, or
 * with the state of a variable that has no readable value.
 */
export function variableAsSetting(name: string, variable: OperatorVariable): readonly [name: string, seen: string] {
  return [PREFIX + name, variable.state === 'set' ? digestSha256(variable.value) : variable.state];
}

/** The recorded variables that have changed. */
export function findChangedVariables(
  settings: InputSet['settings'],
  variables: OperatorVariables = NO_VARIABLES,
): readonly InputChange[] {
  return Object.entries(settings).flatMap(([setting, recorded]): InputChange[] => {
    if (!setting.startsWith(PREFIX)) return [];
    const name = setting.slice(PREFIX.length);
    const [, seen] = variableAsSetting(name, variables(name));
    return seen === recorded ? [] : [{ kind: 'setting', name: setting, reason: 'changed' }];
  });
}
