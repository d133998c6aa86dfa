/**
 * Functions of puppetlabs-stdlib that are implemented here, because native code cannot run their
 * Ruby (docs/decisions/0003-native-ruby-subset.md has the measured reasons). They stand for code
 * whose text is known to mean the same (`known-function.ts`); any other text runs as itself.
 */

import type { Environment } from '../../environment/environment.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { assertPrivate, defineDeprecation, defineTypeOf, validateLegacy } from './check-functions.ts';
import { type Edition, findKnownEdition } from './known-function.ts';
import { deepMerge, defineMerge, mergeAlias } from './merge-functions.ts';
import * as randoms from './random-functions.ts';
import * as resources from './resource-functions.ts';
import * as data from './serialization-functions.ts';

/** The same in all editions. */
const COMMON = [
  assertPrivate,
  deepMerge,
  resources.definedWithParams,
  resources.ensureResource,
  resources.ensureResources,
  resources.getparam,
  data.loadjson,
  data.loadyaml,
  data.parsejson,
  data.parseyaml,
];

/** Named without a prefix in stdlib 8, with the prefix `stdlib::` in stdlib 9. */
const MOVED: Readonly<Record<string, (name: string) => PuppetFunction>> = {
  merge: defineMerge,
  parsehocon: data.defineParseHocon,
  shell_escape: data.defineShellEscape,
  to_json_pretty: data.defineToJsonPretty,
  to_toml: data.defineToToml,
  type_of: defineTypeOf,
};

function listMoved(prefix: string): readonly PuppetFunction[] {
  return Object.entries(MOVED).map(([name, define]) => define(`${prefix}${name}`));
}

const DEFINED_IN: Readonly<Record<Edition, () => readonly PuppetFunction[]>> = {
  '8': () => [
    ...COMMON,
    ...listMoved(''),
    defineDeprecation([]),
    randoms.fqdnRandString,
    randoms.fqdnRotate,
    randoms.seededRand,
    // That of stdlib 9 calls stdlib::time, which warns with the places of its callers.
    randoms.time,
    resources.ensurePackages,
    validateLegacy,
  ],
  '8.6': () => [resources.defineEnsurePackages('ensure_packages')],
  '9': () => [
    ...COMMON,
    ...listMoved('stdlib::'),
    mergeAlias,
    defineDeprecation(['?Boolean use_strict_setting']),
    randoms.fqdnRandStringNamespaced,
    randoms.fqdnRotateNamespaced,
    randoms.seededRandNamespaced,
    resources.ensurePackagesNamespaced,
  ],
};

const editions = new Map<Edition, ReadonlyMap<string, PuppetFunction>>();

/** The built-in functions of an edition, by name. */
export function functionsOfEdition(edition: Edition): ReadonlyMap<string, PuppetFunction> {
  const known = editions.get(edition) ?? new Map(DEFINED_IN[edition]().map((one) => [one.name, one]));
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
