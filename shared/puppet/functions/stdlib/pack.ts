/**
 * The Ruby functions of puppetlabs-stdlib 8 and 9, implemented here. They stand for code of the
 * environment whose text is known to mean the same (`known-function.ts`); any other text runs as
 * itself.
 */

import type { Environment } from '../../environment/environment.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import * as arrays from './array-functions.ts';
import * as booleans from './boolean-functions.ts';
import { defineDeprecatedAlias } from './deprecated-alias.ts';
import { defineDeprecatedChecks } from './deprecated-checks.ts';
import * as hashes from './hash-functions.ts';
import { type Edition, findKnownEdition } from './known-function.ts';
import * as modules from './module-functions.ts';
import * as networks from './network-functions.ts';
import * as numbers from './number-functions.ts';
import * as passwords from './password-functions.ts';
import * as paths from './path-functions.ts';
import * as randoms from './random-functions.ts';
import * as resources from './resource-functions.ts';
import * as data from './serialization-functions.ts';
import * as texts from './text-functions.ts';
import * as validations from './validation-functions.ts';

const LEGACY_OS_FACTS = [['operatingsystem'], ['operatingsystemmajrelease']] as const;
const OS_FACTS = [
  ['os', 'name'],
  ['os', 'release', 'major'],
] as const;

/** Named without a prefix in stdlib 8, with the prefix `stdlib::` in stdlib 9. */
const MOVED: Readonly<Record<string, (name: string) => PuppetFunction>> = {
  batch_escape: texts.defineBatchEscape,
  merge: hashes.defineMerge,
  parsehocon: data.defineParseHocon,
  powershell_escape: texts.definePowershellEscape,
  seeded_rand_string: randoms.defineSeededRandString,
  shell_escape: texts.defineShellEscape,
  to_json: data.defineToJson,
  to_json_pretty: data.defineToJsonPretty,
  to_python: data.defineToPython,
  to_ruby: data.defineToRuby,
  to_toml: data.defineToToml,
  to_yaml: data.defineToYaml,
  type_of: validations.defineTypeOf,
};

function functionsOf(module: object): PuppetFunction[] {
  return Object.values(module).filter(isFunction);
}

function isFunction(value: unknown): value is PuppetFunction {
  return typeof value === 'object' && value !== null && 'call' in value && 'getSignatures' in value;
}

const DEFINED = [
  arrays,
  booleans,
  hashes,
  modules,
  networks,
  numbers,
  passwords,
  paths,
  randoms,
  resources,
  data,
  texts,
  validations,
].flatMap(functionsOf);

/** Functions of `DEFINED` that stdlib 9 replaced with a namespaced one. */
const REPLACED: ReadonlySet<string> = new Set(
  DEFINED.map(({ name }) => name)
    .filter((name) => name.startsWith('stdlib::'))
    .map((name) => name.slice('stdlib::'.length)),
);

/** Functions that stdlib 9 removed. */
const REMOVED: ReadonlySet<string> = new Set([
  'has_key',
  'hash',
  'glob',
  'dig44',
  'is_function_available',
  'sprintf_hash',
  'validate_legacy',
]);

const SHARED_NAMESPACED: ReadonlySet<string> = new Set([
  'stdlib::end_with',
  'stdlib::extname',
  'stdlib::ip_in_range',
  'stdlib::start_with',
  'stdlib::str2resource',
  'stdlib::xml_encode',
]);

function indexByName(functions: readonly PuppetFunction[]): ReadonlyMap<string, PuppetFunction> {
  return new Map(functions.map((one) => [one.name, one]));
}

function version8(): ReadonlyMap<string, PuppetFunction> {
  const own = DEFINED.filter(({ name }) => !name.startsWith('stdlib::') || SHARED_NAMESPACED.has(name));
  const moved = Object.entries(MOVED).map(([name, define]) => define(name));
  return indexByName([
    ...own,
    ...moved,
    ...defineDeprecatedChecks(),
    modules.defineDeprecation([]),
    modules.defineOsVersionGte('os_version_gte', ...LEGACY_OS_FACTS),
  ]);
}

/**
 * Functions that stdlib 9.5 added. In earlier 9 releases, their names without `stdlib::` behave as
 * in stdlib 8.
 */
const NEW_IN_9_5: ReadonlySet<string> = new Set([
  'stdlib::has_ip_address',
  'stdlib::has_ip_network',
  'stdlib::rewrap_sensitive_data',
  'stdlib::sort_by',
]);

function earlyVersion9(): ReadonlyMap<string, PuppetFunction> {
  const plain = new Set([...NEW_IN_9_5].map((name) => name.slice('stdlib::'.length)));
  const later = [...version9().values()].filter(({ name }) => !NEW_IN_9_5.has(name) && !plain.has(name));
  return indexByName([...later, ...DEFINED.filter(({ name }) => plain.has(name))]);
}

function version9(): ReadonlyMap<string, PuppetFunction> {
  const kept = DEFINED.filter(({ name }) => !REPLACED.has(name) && !REMOVED.has(name));
  const moved = Object.entries(MOVED).map(([name, define]) => define(`stdlib::${name}`));
  const namespaced = [
    ...moved,
    texts.defineRefusedUriescape(),
    modules.defineDeprecation(['?Boolean use_strict_setting']),
    modules.defineOsVersionGte('stdlib::os_version_gte', ...OS_FACTS),
    hashes.defineNestedValues('stdlib::nested_values'),
    data.defineUnreadPson(),
    passwords.definePwHash('(0[4-9]|[12][0-9]|3[01])'),
  ];
  const names = [...kept, ...namespaced].map(({ name }) => name).filter((name) => name.startsWith('stdlib::'));
  const aliases = names.map((name) => name.slice('stdlib::'.length)).filter((name) => !NEW_IN_9.has(name));
  return indexByName([...kept, ...namespaced, ...aliases.map(defineDeprecatedAlias)]);
}

/** Functions that never had a name without `stdlib::`. */
const NEW_IN_9: ReadonlySet<string> = new Set([
  'crc32',
  'end_with',
  'extname',
  'has_function',
  'ip_in_range',
  'nested_values',
  'rewrap_sensitive_data',
  'sha256',
  'sort_by',
  'start_with',
  'str2resource',
  'xml_encode',
]);

/** The functions that stdlib 8.6 changed and stdlib 9 moved. */
function changedIn8(): ReadonlyMap<string, PuppetFunction> {
  return indexByName([resources.defineEnsurePackages('ensure_packages')]);
}

const DEFINED_IN = { '8': version8, '8.6': changedIn8, '9.0': earlyVersion9, '9.5': version9 } as const;

const editions = new Map<Edition, ReadonlyMap<string, PuppetFunction>>();

/** The built-in functions of an edition, by name. */
export function functionsOfEdition(edition: Edition): ReadonlyMap<string, PuppetFunction> {
  const known = editions.get(edition) ?? DEFINED_IN[edition]();
  editions.set(edition, known);
  return known;
}

const assumed = new WeakMap<Environment, Edition>();

/**
 * Gives an environment the built-in functions of an edition, whatever files it has. For cases that
 * name a release of stdlib which the machine does not have.
 */
export function assumeEdition(environment: Environment, edition: Edition): void {
  assumed.set(environment, edition);
}

/**
 * Returns the built-in function that does the same as the environment's own code in Ruby. Null for
 * a name that stdlib does not have, and for code that is no known text of stdlib's.
 */
export function findStdlibFunction(environment: Environment, name: string): PuppetFunction | null {
  if (name.includes('::') && !name.startsWith('stdlib::')) return null;
  const edition = assumed.get(environment) ?? findKnownEdition(environment, name);
  return edition === null ? null : (functionsOfEdition(edition).get(name) ?? null);
}
