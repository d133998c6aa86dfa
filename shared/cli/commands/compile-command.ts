import { trustedFacts } from '../../access/ca/trusted-facts.ts';
import { LANGUAGE_LEVELS, parseLanguageLevel } from '../../config/language-level.ts';
import { completePrinted } from '../../fleet/catalogs/catalog-blob.ts';
import { classifiedInput } from '../../fleet/compiles/classified-input.ts';
import { cutFiles } from '../../fleet/dependencies/cut-files.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { type CompileFailure, type CompileSuccess, compile } from '../../puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../puppet/compiler/default-settings.ts';
import { openDirectoryEnvironment } from '../../puppet/environment/directory-environment.ts';
import { Inputs, NO_RECORDER, withoutRecording } from '../../puppet/environment/inputs.ts';
import type { OperatorVariables } from '../../puppet/environment/operator-variables.ts';
import type { CompileSettings } from '../../puppet/evaluator/ports.ts';
import { type Language, languageOf } from '../../puppet/levels/language.ts';
import { createWasmRuby } from '../../puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Classification } from '../../store/ports/node-record.ts';
import { systemClock } from '../../store/system-clock.ts';
import { drawUuid } from '../../store/system-secrets.ts';
import { printBacktrace } from '../client/print-backtrace.ts';
import { type LogOptions, printLog } from './log-line.ts';
import { CommandError, readExports, readFacts, readTrusted } from './node-files.ts';
import { printRecordedInputs } from './print-recorded-inputs.ts';

export interface CompileCommand extends LogOptions {
  readonly certname: string;
  /** A folder that contains `environments/`. */
  readonly controlRepo: string;
  readonly environment: string;
  /** Paths of JSON files. */
  readonly facts: string;
  readonly trusted?: string | undefined;
  readonly exports?: string | undefined;
  /** Settings, each as `name=value`. */
  readonly set: readonly string[];
  /** Prints the recorded inputs instead of the catalog. */
  readonly explain: boolean;
  /** Environment variables that Hiera may read keys from; none by default. */
  readonly variables?: OperatorVariables;
  /** Classification by an external node classifier; absent: none. */
  readonly classification?: Classification | null;
  /** Time of the compile, in milliseconds since the epoch. */
  readonly at: number;
}

export interface CommandResult {
  /** For standard output: the catalog as an agent gets it, or the inputs. */
  readonly output: string;
  /** For standard error: the compile log, from the level of the log up. */
  readonly log: readonly string[];
  readonly exitCode: 0 | 1;
}

/** The Puppet version in `$server_facts`. */

/**
 * Implements `understudy compile`: compiles the catalog of one node from a control repo on disk, as
 * a server would for an agent with these facts. Throws CommandError for arguments and files that
 * cannot be used, and PuppetError for an environment that cannot be used.
 */
export function compileLocally(command: CompileCommand): CommandResult {
  const settings = readSettings(command.set);
  const facts = readFacts(command.facts);
  const trusted =
    command.trusted === undefined ? trustedFacts(command.certname, new Map()) : readTrusted(command.trusted);
  const exports = command.exports === undefined ? [] : readExports(command.exports);
  const { controlRepo, classification = null } = command;
  const name = classification?.environment ?? command.environment;
  const inputs = command.explain ? new Inputs() : null;
  const result = compile({
    node: {
      certname: command.certname,
      environment: name,
      facts: inputs ? inputs.recordFacts(facts) : withoutRecording(facts),
      trusted: inputs ? inputs.recordTrusted(trusted) : withoutRecording(trusted),
      serverFacts: serverFacts(name, languageOf(settings.language)),
      ...classifiedInput(classification),
    },
    environment: openDirectoryEnvironment(controlRepo, name, inputs ?? NO_RECORDER),
    settings,
    inputs: inputs ?? NO_RECORDER,
    exportsOf: (type) => exportsOfOthers(exports, type, command.certname),
    clock: () => BigInt(systemClock.now()) * 1_000_000n,
    drawUuid,
    variables: command.variables,
    ruby: createWasmRuby(),
  });
  if (result.status === 'needs')
    throw new Error(`the compile asks for exports of ${result.queries.map(({ type }) => type).join(', ')} twice`);
  return report({ ...command, environment: name }, result, inputs);
}

function exportsOfOthers(
  exports: readonly ExportedResource[],
  type: string,
  certname: string,
): readonly ExportedResource[] {
  return exports.filter((resource) => resource.type === type && resource.certname !== certname);
}

function report(
  command: CompileCommand,
  result: CompileSuccess | CompileFailure,
  inputs: Inputs | null,
): CommandResult {
  const failed = result.status === 'failed';
  // The last error is the failure itself; it is printed with the node's name.
  const log = failed && result.log.at(-1)?.level === 'err' ? result.log.slice(0, -1) : result.log;
  const lines = printLog(log, command);
  const failure = failed ? [`Error: ${result.error.message}`, ...printBacktrace(result.error.backtrace)] : [];
  return { output: renderOutput(command, result, inputs), log: [...lines, ...failure], exitCode: failed ? 1 : 0 };
}

function renderOutput(command: CompileCommand, result: CompileSuccess | CompileFailure, inputs: Inputs | null): string {
  if (inputs) {
    const read = inputs.getResult();
    const { id } = cutFiles(command.environment, command.certname, read).set;
    return printRecordedInputs(read, id, result.collectors);
  }
  return result.status === 'ok' ? `${completePrinted(result.catalog, command.at)}\n` : '';
}

function serverFacts(environment: string, language: Language): PuppetHash {
  return PuppetHash.of([
    ['servername', 'puppet'],
    ['serverip', '127.0.0.1'],
    ['serverversion', language.release],
    ...(language.implementation === null ? [] : [['serverimplementation', language.implementation] as const]),
    ['environment', environment],
  ]);
}

/** Reads `name=value` settings over the defaults. */
function readSettings(texts: readonly string[]): CompileSettings {
  const settings: { -readonly [Name in keyof CompileSettings]: CompileSettings[Name] } = {
    ...DEFAULT_COMPILE_SETTINGS,
  };
  for (const text of texts) {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
    const level = name === 'language' ? parseLanguageLevel(value) : null;
    if (level !== null) settings.language = level;
    else if (name === 'strict' && (value === 'off' || value === 'warning' || value === 'error'))
      settings.strict = value;
    else if (name === 'strict_variables') settings.strictVariables = readBoolean(text, value);
    else if (name === 'tasks') settings.tasks = readBoolean(text, value);
    else if (name === 'storeconfigs') settings.storeconfigs = readBoolean(text, value);
    else {
      throw new CommandError(
        `cannot set '${text}': the settings are language=${LANGUAGE_LEVELS.join('|')}, strict=off|warning|error, strict_variables=true|false, tasks=true|false and storeconfigs=true|false`,
      );
    }
  }
  return settings;
}

function readBoolean(text: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new CommandError(`cannot set '${text}': the value must be true or false`);
}
