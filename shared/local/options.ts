import { Command, CommanderError, Option } from 'commander';
import { parseArgument } from '../cli/client/option-values.ts';
import { optionOf, usualValue } from '../config/read-setting.ts';
import { parseSetting, type SettingRow } from '../config/setting-row.ts';
import { SETTINGS, type SettingName, type SettingValues } from '../config/settings.ts';
import {
  findConfigFile,
  findUnknownVariables,
  InvalidSetting,
  readConfigFile,
  readSettingVariables,
} from './server-settings.ts';

/** The options of `npm start -- …`. */
export interface LocalOptions extends SettingValues {
  /** The file with settings. */
  readonly config: string | undefined;
  /** The places where the file or a variable sets an option (`--port`), for messages. */
  readonly places: ReadonlyMap<string, string>;
  /** Settings that the operator gave. A port of another service that is in use is fatal then. */
  readonly named: ReadonlySet<SettingName>;
}

interface LocalDefaults {
  readonly workers: number;
  /** The command's name in its help; `npm start --` by default. */
  readonly name?: string;
}

/** The command line is invalid or asks for help. Print `message` and exit with `exitCode`. */
export class UsageExit extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = 'UsageExit';
    this.exitCode = exitCode;
  }
}

/**
 * Reads the arguments; what they leave open is set by environment variables (`UNDERSTUDY_PORT`),
 * then by the file of `--config`. Throws UsageExit with the help text or an error message.
 */
export function readLocalOptions(
  args: readonly string[],
  defaults: LocalDefaults,
  variables: Readonly<Record<string, string | undefined>> = {},
): LocalOptions {
  const command = describeCommand(defaults);
  try {
    const file = findConfigFile(args, variables);
    const settings = [
      ...(file === null ? [] : readConfigFile(file, command)),
      ...readSettingVariables(variables, command),
    ];
    const options = parseArguments([...settings.flatMap((one) => one.args), ...args], command);
    // A fault of the command line is named by its option.
    const placed = settings.filter(({ option }) => !args.some((arg) => arg === option || arg.startsWith(`${option}=`)));
    return { ...options, places: new Map(placed.map(({ option, place }) => [option, place])) };
  } catch (error) {
    if (error instanceof InvalidSetting) throw new UsageExit(`error: ${error.message}`, 1);
    throw error;
  }
}

/** Environment variables with our prefix that nothing reads, each in a sentence. */
export function listUnknownVariables(
  variables: Readonly<Record<string, string | undefined>>,
  defaults: LocalDefaults,
): readonly string[] {
  return findUnknownVariables(variables, describeCommand(defaults));
}

function parseArguments(args: readonly string[], command: Command): Omit<LocalOptions, 'places'> {
  let written = '';
  command.exitOverride().configureOutput({ writeOut: take, writeErr: take });
  function take(text: string) {
    written += text;
  }
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new UsageExit(written.trimEnd(), error.exitCode);
    throw error;
  }
  const named = SETTING_NAMES.filter((name) => command.getOptionValueSource(name) === 'cli');
  const usual = Object.fromEntries(SETTING_NAMES.map((name) => [name, usualValue(SETTINGS[name])]));
  // Each option was parsed by its row.
  return { ...usual, ...command.opts<SettingValues & Pick<LocalOptions, 'config'>>(), named: new Set(named) };
}

const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The command of a server with all its options. */
export function describeCommand(defaults: LocalDefaults): Command {
  const command = new Command(defaults.name ?? 'npm start --')
    .description('Runs all of Understudy in one process: TLS front door, certificate authority, queue, compilers.')
    .option(
      '--config <file>',
      'settings, in YAML or TOML (FILE.toml): the names of these options with their values; an environment variable such as UNDERSTUDY_PORT precedes the file, and an option both',
    )
    .allowExcessArguments(false);
  for (const name of SETTING_NAMES) command.addOption(createOption(name, SETTINGS[name], defaults));
  return command;
}

function createOption(name: SettingName, row: SettingRow, { workers }: LocalDefaults): Option {
  const option = new Option(`--${optionOf(name)}${describeArgument(row)}`, row.help);
  const usual = name === 'workers' ? workers : usualValue(row);
  if (usual !== undefined) option.default(usual, row.kind === 'port' ? `${row.usual} if it is free` : row.usualText);
  if (row.conflicts !== undefined) option.conflicts(row.conflicts);
  if (row.kind === 'choice' || row.kind === 'choices') return option.choices(row.choices);
  if (UNPARSED.includes(row.kind)) return option;
  if (row.kind === 'boolean') option.choices(['true', 'false']);
  return option.argParser((text) => parseArgument(() => parseSetting(row, text)));
}

/** Values that are used as they are given; the command line separates several names by spaces. */
const UNPARSED: readonly SettingRow['kind'][] = ['flag', 'names', 'text', 'textOrFlag'];

function describeArgument(row: SettingRow): string {
  if (row.kind === 'flag') return '';
  if (row.kind === 'port') return ' <number>';
  return row.kind === 'textOrFlag' ? ` [${row.of}]` : ` <${row.of}>`;
}
