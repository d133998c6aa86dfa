import type { Command } from 'commander';
import { GroupRefused } from '../../fleet/groups/group-refused.ts';
import type { GroupDelta } from '../../fleet/groups/node-group.ts';
import { collect, createFormatOption, type FormatOption } from '../client/option-values.ts';
import { DATA_OPTION, type StateLocation } from './command-stores.ts';
import { CommandError, readYamlFile } from './node-files.ts';

/** The options of commands that print groups. */
export interface GroupFormat extends StateLocation, FormatOption {}

/** The options that say what a group is to be. */
export interface GroupOptions extends GroupFormat {
  readonly file?: string;
  readonly name?: string;
  readonly parent?: string;
  readonly description?: string;
  readonly environment?: string;
  readonly trumps?: boolean;
  readonly rule?: string;
  readonly class: readonly string[];
  readonly removeClass: readonly string[];
  readonly variable: readonly string[];
  readonly removeVariable: readonly string[];
  readonly serialNumber?: string;
}

/** Adds `--format` and `--data`. */
export function addFormatOptions(command: Command): Command {
  return command.addOption(createFormatOption()).option(...DATA_OPTION);
}

/** Adds the options that say what a group is to be. */
export function addGroupOptions(command: Command): Command {
  return addFormatOptions(command)
    .option('--file <path>', "the group's definition, in JSON or YAML with the keys of the API")
    .option('--name <name>', 'a new name for the group')
    .option('--parent <group>', 'the name or id of the group above (default for a new group: All Nodes)')
    .option('--description <text>', 'a description')
    .option('--environment <name>', 'the environment of its nodes; agent-specified leaves it to them')
    .option('--trumps', 'its environment wins over those of other groups')
    .option('--no-trumps', 'its environment must agree with those of other groups')
    .option('--rule <json>', 'the rule, such as \'["=", ["fact", "os", "family"], "Debian"]\'; null for none')
    .option('--class <class>', 'a class, or class=JSON with its parameters; repeat it for more', collect, [])
    .option('--remove-class <class>', 'a class to remove; repeat it for more', collect, [])
    .option('--variable <name=value>', 'a variable, with a value in JSON or a text; repeat it for more', collect, [])
    .option('--remove-variable <name>', 'a variable to remove; repeat it for more', collect, [])
    .option('--serial-number <number>', 'refuse the change unless the group has this serial number');
}

/**
 * Reads what a group is to be. `findGroup` finds the id of a group by name or id. Throws
 * CommandError that names the option, or the file.
 */
export async function readGroupOptions(
  options: GroupOptions,
  findGroup: (nameOrId: string) => string,
  isNew: boolean,
): Promise<GroupDelta> {
  const { file, name, parent, description, environment, trumps, rule, serialNumber } = options;
  const fromFile = file === undefined ? {} : await readGroupFile(file, isNew);
  const given = {
    ...(name === undefined ? {} : { name }),
    ...(parent === undefined ? {} : { parent: findGroup(parent) }),
    ...(description === undefined ? {} : { description }),
    ...(environment === undefined ? {} : { environment }),
    ...(trumps === undefined ? {} : { environment_trumps: trumps }),
    ...(rule === undefined ? {} : { rule: parseOption('--rule', rule) }),
    ...readMembers('classes', options.class, options.removeClass, {}),
    ...readMembers('variables', options.variable, options.removeVariable, ''),
    ...(serialNumber === undefined ? {} : { serial_number: Number(serialNumber) }),
  };
  const { readGroupBody } = await import('../../fleet/groups/node-group.ts');
  return { ...fromFile, ...refuseClearly(null, () => readGroupBody(given, true)) };
}

/** The members of a hash: `name`, `name=JSON` or `name=text`. Null removes. */
function readMembers(key: string, set: readonly string[], removed: readonly string[], usual: unknown) {
  if (set.length === 0 && removed.length === 0) return {};
  const members: Record<string, unknown> = Object.fromEntries(removed.map((name) => [name, null]));
  for (const text of set) {
    const [, name = text, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
    members[name] = value === undefined ? usual : parseValue(value, key === 'classes' ? '--class' : null);
  }
  return { [key]: members };
}

/** Parses JSON; what is none is a text, unless `option` demands JSON. */
function parseValue(text: string, option: string | null): unknown {
  if (option !== null) return parseOption(option, text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function parseOption(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${option}: '${text}' is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

async function readGroupFile(file: string, isNew: boolean): Promise<GroupDelta> {
  const { readGroupBody } = await import('../../fleet/groups/node-group.ts');
  const body = await readYamlFile(file, 'group');
  return refuseClearly(file, () => readGroupBody(body, !isNew));
}

/** Turns a refusal into an error of the command, which names the file. */
function refuseClearly<T>(file: string | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof GroupRefused) throw new CommandError(`${file === null ? '' : `${file}: `}${error.message}`);
    throw error;
  }
}
