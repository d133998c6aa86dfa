import { InvalidArgumentError, Option } from 'commander';
import {
  InvalidPolicy,
  POLICY_FIELDS,
  POLICY_NAMES,
  type PolicyEntry,
  type PolicyName,
  readNumberOrText,
  readPolicyEntry,
  wireNameOf,
} from '../../fleet/policies/policy-fields.ts';
import { CommandError } from './node-files.ts';

/** The option of a field; a value that the policy refuses is refused as that of any option is. */
function toOption(name: PolicyName): Option {
  const { option, help, readText = readNumberOrText } = POLICY_FIELDS[name];
  return new Option(option, help).argParser((text) => {
    try {
      return readPolicyEntry({ [wireNameOf(name)]: readText(text) });
    } catch (error) {
      if (!(error instanceof InvalidPolicy)) throw error;
      throw new InvalidArgumentError(`${error.message.replace(/^'\w+' must/, 'It must')}.`);
    }
  });
}

/** The settings that are given. Throws CommandError without any. */
export function readPolicyOptions(given: Readonly<Record<string, unknown>>): PolicyEntry {
  const entries = POLICY_NAMES.flatMap((name) => {
    const value = given[toOption(name).attributeName()];
    return typeof value === 'object' && value !== null ? [value as PolicyEntry] : [];
  });
  if (entries.length > 0) return Object.assign({}, ...entries);
  const names = POLICY_NAMES.map(flagOf);
  throw new CommandError(`nothing to set: give ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}

/** The options of all settings. */
export function createPolicyOptions(): readonly Option[] {
  return POLICY_NAMES.map(toOption);
}

/** A message of `InvalidPolicy` with the name of the option in place of that in the HTTP API. */
export function nameOption(message: string): string {
  return message.replace(/^'(\w+)'/, (quoted, wireName) => {
    const name = POLICY_NAMES.find((one) => wireNameOf(one) === wireName);
    return name === undefined ? quoted : flagOf(name);
  });
}

function flagOf(name: PolicyName): string {
  return POLICY_FIELDS[name].option.replace(/ .*/, '');
}
