import { classifiedInput } from '../../fleet/compiles/classified-input.ts';
import { evaluateSite } from '../../puppet/compiler/compile-steps.ts';
import { createCompile } from '../../puppet/compiler/create-compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../puppet/compiler/default-settings.ts';
import { openDirectoryEnvironment } from '../../puppet/environment/directory-environment.ts';
import { NO_RECORDER, withoutRecording } from '../../puppet/environment/inputs.ts';
import type { OperatorVariables } from '../../puppet/environment/operator-variables.ts';
import { LookupError } from '../../puppet/errors/lookup-error.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { LookupRequest } from '../../puppet/evaluator/ports.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import type { Scope } from '../../puppet/evaluator/scope.ts';
import { typeFromText } from '../../puppet/functions/support/type-text.ts';
import { Explainer } from '../../puppet/hiera/explainer.ts';
import { lookupExplained } from '../../puppet/hiera/lookup-service.ts';
import { rubyText } from '../../puppet/hiera/ruby-text.ts';
import { createWasmRuby } from '../../puppet/ruby/wasm/wasm-host.ts';
import { printJson } from '../../puppet/serialization/json.ts';
import { RubySymbol } from '../../puppet/serialization/yaml.ts';
import { printYaml } from '../../puppet/serialization/yaml-emitter.ts';
import { displayString } from '../../puppet/types/format/string-converter.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { Classification } from '../../store/ports/node-record.ts';
import { systemClock } from '../../store/system-clock.ts';
import { drawUuid } from '../../store/system-secrets.ts';
import type { CommandResult } from './compile-command.ts';
import { type LogOptions, printLog } from './log-line.ts';
import { CommandError, readFacts, readTrusted } from './node-files.ts';

type LookupFormat = 's' | 'json' | 'yaml';

export interface LookupCommand extends LogOptions {
  readonly keys: readonly string[];
  readonly node: string;
  /** A folder that contains `environments/`. */
  readonly controlRepo: string;
  readonly environment: string;
  /** Path of a JSON file. */
  readonly facts: string;
  /**
   * Path of a JSON file. Without it, `$trusted` describes the node that the fact `clientcert`
   * names, as with `puppet lookup`.
   */
  readonly trusted?: string | undefined;
  readonly merge?: string | undefined;
  readonly type?: string | undefined;
  readonly default?: string | undefined;
  readonly knockOutPrefix?: string | undefined;
  readonly sortMergedArrays: boolean;
  readonly mergeHashArrays: boolean;
  readonly explain: boolean;
  readonly explainOptions: boolean;
  readonly renderAs?: LookupFormat | undefined;
  /** Compiles the node's catalog first, so that the variables of its classes are set. */
  readonly compile: boolean;
  /**
   * Classification by an external node classifier; absent: none. Its classes count with `compile`,
   * its environment and its variables always.
   */
  readonly classification?: Classification | null;
  /** Environment variables that Hiera may read keys from; none by default. */
  readonly variables?: OperatorVariables;
  /** Runs the Ruby code of modules, at the start of a compile; by default one is created. */
  readonly ruby?: RubyPort;
}

const DEEP_OPTIONS = '--knock-out-prefix, --sort-merged-arrays, and --merge-hash-arrays';
const STRATEGIES = ['first', 'hash', 'unique', 'deep'];
/** Puppet: the key that is looked up when only the options are asked for, without a key. */
const GLOBAL = '__global__';
/** A site manifest without any effect. */
const NO_CODE = 'undef';

/**
 * Implements `understudy lookup`: prints the value of the first key that has one, or the
 * explanation of the search, as `puppet lookup` does. Throws CommandError for arguments and files
 * that cannot be used, and PuppetError for an environment that cannot be used. Follows
 * lib/puppet/application/lookup.rb.
 */
export function lookupNode(command: LookupCommand): CommandResult {
  const merge = readMerge(command);
  const isExplained = command.explain || command.explainOptions;
  const explainer = isExplained ? new Explainer(!command.explain) : null;
  const names = command.keys.length === 0 && explainer?.onlyOptions ? [GLOBAL] : command.keys;
  if (names.length === 0) throw new CommandError('No keys were given to lookup.');
  const compile = createCompile(readRequest(command));
  const { context } = compile;
  try {
    evaluateSite(compile, command.compile ? undefined : NO_CODE);
    const found = findValue(context.topScope, { command, names, merge, explainer });
    const log = printLog(context.log.entries, command);
    if (explainer) return { output: renderExplanation(explainer, command.renderAs ?? 's'), log, exitCode: 0 };
    if (found === undefined) return { output: '', log, exitCode: 1 };
    return { output: render(found, command.renderAs ?? 'yaml'), log, exitCode: 0 };
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    const log = printLog(context.log.entries, command);
    return { output: '', log: [...log, `Error: Could not run: ${error.message}`], exitCode: 1 };
  }
}

function readMerge(command: LookupCommand): Value {
  const { merge, knockOutPrefix, sortMergedArrays, mergeHashArrays } = command;
  if ((sortMergedArrays || mergeHashArrays || knockOutPrefix !== undefined) && merge !== 'deep') {
    throw new CommandError(`The options ${DEEP_OPTIONS} are only available with '--merge deep'`);
  }
  if (merge === undefined) return null;
  if (!STRATEGIES.includes(merge)) {
    throw new CommandError(`The --merge option only accepts 'first', 'hash', 'unique', or 'deep'`);
  }
  if (merge !== 'deep') return PuppetHash.of([['strategy', merge]]);
  const options = PuppetHash.of([
    ['strategy', 'deep'],
    ['sort_merged_arrays', sortMergedArrays],
    ['merge_hash_arrays', mergeHashArrays],
  ]);
  if (knockOutPrefix !== undefined) options.set('knockout_prefix', knockOutPrefix);
  return options;
}

function readRequest(command: LookupCommand) {
  const facts = readFacts(command.facts);
  const { classification = null } = command;
  const environment = classification?.environment ?? command.environment;
  const classified = classifiedInput(classification);
  return {
    node: {
      certname: command.node,
      environment,
      facts: withoutRecording(facts),
      trusted: withoutRecording(
        command.trusted === undefined ? createLocalTrusted(facts) : readTrusted(command.trusted),
      ),
      serverFacts: null,
      ...classified,
      classes: command.compile ? classified.classes : [],
    },
    environment: openDirectoryEnvironment(command.controlRepo, environment, NO_RECORDER),
    settings: DEFAULT_COMPILE_SETTINGS,
    inputs: NO_RECORDER,
    exportsOf: () => [],
    clock: () => BigInt(systemClock.now()) * 1_000_000n,
    drawUuid,
    variables: command.variables,
    ruby: command.ruby ?? createWasmRuby(),
  } as const;
}

/**
 * Builds `$trusted` for a lookup without a certificate, for the node that the facts name. Puppet:
 * TrustedInformation.local.
 */
function createLocalTrusted(facts: PuppetHash): PuppetHash {
  const certname = facts.get('clientcert') ?? null;
  const [, hostname, domain] = (typeof certname === 'string' && /^([^.]*)(?:\.(.*))?$/s.exec(certname)) || [];
  return PuppetHash.of([
    ['authenticated', 'local'],
    ['certname', certname],
    ['extensions', new PuppetHash()],
    ['hostname', hostname ?? null],
    ['domain', domain ?? null],
    ['external', new PuppetHash()],
  ]);
}

interface Question {
  readonly command: LookupCommand;
  readonly names: readonly string[];
  readonly merge: Value;
  readonly explainer: Explainer | null;
}

/** Looks the keys up; undefined when the lookup fails, which its explanation shows. */
function findValue(scope: Scope, { command, names, merge, explainer }: Question): Value | undefined {
  const site = { context: scope.context, scope, node: null };
  const request: LookupRequest = {
    names,
    valueType: command.type === undefined ? null : typeFromText(site, command.type),
    merge,
    defaultValue: command.default,
    defaultBlock: null,
    defaultValues: new PuppetHash(),
    override: new PuppetHash(),
  };
  try {
    return explainer ? lookupExplained(scope, request, explainer) : scope.context.lookup.lookup(scope, request);
  } catch (error) {
    if (!(error instanceof LookupError)) throw error;
    explainer?.noteText(error.message);
    return undefined;
  }
}

function render(value: Value, format: LookupFormat): string {
  if (format === 'yaml') return printYaml(value);
  return withLineEnd(format === 'json' ? printJson(plainData(value)) : rubyText(value));
}

/** Converts values that JSON cannot express to text, as Ruby's `to_json` does with `to_s`. */
function plainData(value: Value): Value {
  if (value === null || ['string', 'boolean', 'bigint', 'number'].includes(typeof value)) return value;
  if (Array.isArray(value)) return value.map(plainData);
  if (!(value instanceof PuppetHash)) return displayString(value);
  return PuppetHash.of(Array.from(value, ([key, item]) => [displayString(key), plainData(item)] as const));
}

function renderExplanation(explainer: Explainer, format: LookupFormat): string {
  if (format === 's') return withLineEnd(explainer.toText());
  if (format === 'json') return withLineEnd(printJson(explainer.toHash((name) => name)));
  return printYaml(explainer.toHash((name) => new RubySymbol(name)));
}

/** Adds a line feed as Ruby's `puts` does. */
function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
