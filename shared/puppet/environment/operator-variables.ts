/**
 * Environment variables of the compiler's process that code of environments may name: only those
 * that the operator lists, since whoever writes that code is not always who runs the compiler.
 * Their values are neither logged nor recorded; digests are.
 */
import { digestSha256 } from '../../util/digest.ts';
import type { InputSet } from './inputs.ts';
import type { InputChange } from './verify.ts';

export type OperatorVariable =
  | { readonly state: 'set'; readonly value: string }
  | { readonly state: 'unset' }
  /**
   * The operator does not let it be read; `listedIn` names the variable that would have to list it,
   * if there is one.
   */
  | { readonly state: 'forbidden'; readonly listedIn?: string };

export type OperatorVariables = (name: string) => OperatorVariable;

/** All environment variables of a process. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>;

/** Lets none be read. */
export const NO_VARIABLES: OperatorVariables = () => ({ state: 'forbidden' });

/** Lets those be read that the variable named `listedIn` lists, separated by commas. */
export function selectListedVariables(variables: ProcessVariables, listedIn: string): OperatorVariables {
  const listed = (variables[listedIn] ?? '').split(',').map((name) => name.trim());
  const names = new Set(listed.filter((name) => name !== ''));
  const read = allVariables(() => variables);
  return (name) => (names.has(name) ? read(name) : { state: 'forbidden', listedIn });
}

/** Lets all be read: for who runs a command on code of his own. `variables` is asked each time. */
export function allVariables(variables: () => ProcessVariables): OperatorVariables {
  return (name) => {
    const all = variables();
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    return value === undefined ? { state: 'unset' } : { state: 'set', value };
  };
}

/** No setting of Puppet has a space in its name. */
const PREFIX = 'environment variable ';

/**
 * A variable that was read as it is recorded among the settings: its name there, and a digest (or
 * that there is none).
 */
export function variableAsSetting(name: string, variable: OperatorVariable): readonly [name: string, seen: string] {
  return [PREFIX + name, variable.state === 'set' ? digestSha256(variable.value) : variable.state];
}

/** Which recorded variables are not as they were. */
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
