import { posix } from 'node:path';
import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import { type CompileResult, compile } from '../../puppet/compiler/compile.ts';
import { ParseCache } from '../../puppet/compiler/manifest-parser.ts';
import { NO_RECORDER } from '../../puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../puppet/environment/memory-environment.ts';
import type { TreeEnvironment } from '../../puppet/environment/tree-environment.ts';
import type { LogEntry } from '../../puppet/errors/compile-log.ts';
import type { Edition } from '../../puppet/functions/stdlib/known-function.ts';
import { assumeEdition } from '../../puppet/functions/stdlib/pack.ts';
import { createWasmRuby } from '../../puppet/ruby/wasm/wasm-host.ts';
import { parseJson, printJson } from '../../puppet/serialization/json.ts';
import { toRichData } from '../../puppet/serialization/to-data.ts';
import { formatValue } from '../../puppet/types/format/string-converter.ts';
import { inferSet } from '../../puppet/types/inference.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { systemClock } from '../../store/system-clock.ts';
import { drawUuid } from '../../store/system-secrets.ts';
import { DEFAULT_NAME, nodeInput, SERVER_NAME } from './case-node.ts';
import { describeThrown, outcomeError, outcomeLogs } from './outcome.ts';
import { type CaseExport, levelOf, type Outcome, type ParityCase, type RunOptions } from './parity-case.ts';

/** The virtual folder that contains the files of every case. */
const ROOT = '/parity-case';
/** The virtual folder of the recording Puppet's files; code of modules may keep values there. */
const BASE = '/opt/parity-base';
/** The settings of the Puppet that recorded the cases. */
const SETTINGS = {
  server: SERVER_NAME,
  certname: DEFAULT_NAME,
  log_level: 'info',
  vendormoduledir: '',
  ...Object.fromEntries(
    Object.entries({ confdir: 'conf', vardir: 'var', logdir: 'log', rundir: 'run', publicdir: 'pub' }).map(
      ([name, folder]) => [name, `${BASE}/${folder}`],
    ),
  ),
};
/** Manifests of modules that several cases use are parsed once. */
const parseCache = new ParseCache();
/** Started by the first case that needs it. Cases have different files under the same paths. */
const ruby = createWasmRuby();
let cases = 0;
const STDLIB = /^puppetlabs[-/]stdlib /;

/**
 * Compiles the catalog of a case. Returns the outcome as JSON text, because the numbers of a
 * catalog must keep their form.
 */
export function runCompileCase(line: string, parityCase: ParityCase, options: RunOptions): string {
  const hash = parseJson(line);
  const text = outcomeText(parityCase, hash instanceof PuppetHash ? hash : new PuppetHash(), options);
  return text.replaceAll(ROOT, '<ROOT>').replaceAll(BASE, '<BASE>').replaceAll(options.externalModules, '<EXTMODS>');
}

function readNanoseconds(): bigint {
  return BigInt(systemClock.now()) * 1_000_000n;
}

function outcomeText(parityCase: ParityCase, hash: PuppetHash, options: RunOptions): string {
  const { input, warnings } = nodeInput(parityCase, hash);
  let result: CompileResult;
  cases += 1;
  ruby.beginCompile(String(cases));
  try {
    const { settings = {}, storeconfigs = false, db = [] } = parityCase;
    const language = levelOf(parityCase, options);
    result = compile({
      node: input,
      environment: environmentOf(parityCase, input.environment, options),
      settings: {
        language,
        disableWarnings: settings.disable_warnings ?? [],
        strict: settings.strict ?? 'error',
        strictVariables: settings.strict_variables ?? true,
        tasks: settings.tasks ?? false,
        storeconfigs,
        texts: SETTINGS,
      },
      inputs: NO_RECORDER,
      exportsOf: (type) => exportsOf(db, type, input.certname),
      parseCache,
      clock: readNanoseconds,
      drawUuid,
      ruby,
      ...(!parityCase.no_code && { code: withRoot(parityCase.source, input.environment) }),
    });
  } catch (error) {
    return JSON.stringify({ status: 'error', error: describeThrown(error) } satisfies Outcome);
  }
  return resultText(result, parityCase, warnings, input.certname);
}

function resultText(
  result: CompileResult,
  { source, storeconfigs }: ParityCase,
  warnings: readonly LogEntry[],
  host: string,
): string {
  if (result.status === 'needs')
    throw new Error(`exports of ${result.queries.map(({ type }) => type).join(', ')} were asked for again`);
  const error = result.status === 'failed' ? outcomeError(result.error) : null;
  const logs = outcomeLogs([...warnings, ...result.log], source, error);
  const outcome: Outcome = {
    status: error ? 'error' : 'ok',
    ...(error && { error }),
    ...(logs.length > 0 && { logs }),
    ...(storeconfigs && { exported_queries: queriesOf(result.collectors, host) }),
  };
  const members = [JSON.stringify(outcome, bigIntAsNumber).slice(1, -1)];
  if (result.status === 'ok') {
    members.push(`"catalog":${result.catalog}`);
    if (result.lastValue !== undefined) members.push(`"value":${valueText(result.lastValue)}`);
  }
  return `{${members.join(',')}}`;
}

function bigIntAsNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Returns a value with its type, its program text and its rich data, as far as it has them. */
function valueText(value: Value): string {
  const shown: Record<string, string> = {};
  attempt('type', () => JSON.stringify(String(inferSet(value))));
  attempt('s', () => JSON.stringify(formatValue(value, '%p')));
  attempt('data', () => printJson(toRichData(value, { localReferences: true, messagePrefix: 'value', warn: refuse })));
  return `{${Object.entries(shown)
    .map(([key, text]) => `"${key}":${text}`)
    .join(',')}}`;

  function attempt(key: string, show: () => string): void {
    try {
      shown[key] = show();
    } catch (error) {
      shown[`${key}_error`] = JSON.stringify(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Puppet 8 treats a loss of information as an error. */
function refuse(_issueCode: string, message: string): never {
  throw new Error(message);
}

function environmentOf(parityCase: ParityCase, name: string, options: RunOptions): TreeEnvironment {
  const { files = {}, modulepath = ['env/modules'], manifest, hiera_config, external_modules } = parityCase;
  const placed = Object.entries(files).map(([path, text]) => [pathIn(path, name), withRoot(text, name)] as const);
  const hiera = 'global/hiera.yaml' in files ? 'global/hiera.yaml' : hiera_config;
  const external = external_modules ? [options.externalModules] : [];
  const environment = createMemoryEnvironment({
    name,
    codeDirectory: ROOT,
    files: Object.fromEntries(placed),
    modulepath: [...modulepath.map((path) => posix.join(ROOT, pathIn(path, name))), ...external],
    manifest: manifest === undefined ? null : posix.join(ROOT, pathIn(manifest, name)),
    globalHiera: hiera === undefined ? null : posix.join(ROOT, pathIn(hiera, name)),
    hostFolders: external,
    replacements: metadataOf(external_modules ?? [], options.externalModules),
    inputs: NO_RECORDER,
  });
  const edition = editionIn(external_modules ?? []);
  if (edition !== null) assumeEdition(environment, edition);
  return environment;
}

/** Makes the metadata.json of the modules that a case names with a version. */
function metadataOf(modules: readonly string[], folder: string): Readonly<Record<string, string>> {
  const named = modules.flatMap((text) => {
    const [, author, name, version] = /^(\w+)[-/](\w+) (\d+\.\d+\.\d+\S*)$/.exec(text) ?? [];
    if (author === undefined || name === undefined || version === undefined) return [];
    const metadata = { name: `${author}-${name}`, version, author, source: author, license: author, dependencies: [] };
    return [[posix.join(folder, name, 'metadata.json'), JSON.stringify(metadata)] as const];
  });
  return Object.fromEntries(named);
}

/**
 * The edition of stdlib's functions that a case names with a version; null without one. The
 * module's other content comes from the machine.
 */
function editionIn(modules: readonly string[]): Edition | null {
  const [, major] = /^puppetlabs[-/]stdlib (\d+)\./.exec(modules.find((text) => STDLIB.test(text)) ?? '') ?? [];
  return major === undefined ? null : Number(major) < 9 ? '8' : '9';
}

function pathIn(path: string, environment: string): string {
  return path.replace(/^env(?=\/|$)/, `environments/${environment}`);
}

function withRoot(text: string, environment: string): string {
  return text.replaceAll('@@ROOT@@/env/', `${ROOT}/environments/${environment}/`).replaceAll('@@ROOT@@', ROOT);
}

function exportsOf(db: readonly CaseExport[], type: string, certname: string): ExportedResource[] {
  return db
    .filter((each) => each.type === type && each.certname !== certname)
    .map((each) => ({ ...each, tags: each.tags ?? [], returnedTags: each.tags ?? [] }));
}

function queriesOf(collectors: readonly CollectorRecord[], host: string): Outcome['exported_queries'] {
  return collectors.map(({ type, query }) => ({ type, filter: query ?? null, host }));
}
