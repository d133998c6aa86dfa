import type { PuppetFunction } from '../evaluator/ports.ts';
import { DATA_FUNCTIONS } from '../hiera/data-functions.ts';
import type { Language } from '../levels/language.ts';
import { annotate } from './catalog/annotate.ts';
import { CATALOG_FUNCTIONS } from './catalog/catalog-functions.ts';
import { COLLECTION_FUNCTIONS } from './collections/collection-functions.ts';
import { NAVIGATION_FUNCTIONS } from './collections/navigation-functions.ts';
import { CONVERSION_FUNCTIONS } from './conversion/conversion-functions.ts';
import { HIERA_FUNCTIONS } from './data/hiera-functions.ts';
import { lookup } from './data/lookup.ts';
import { puppetdbQuery } from './data/puppetdb_query.ts';
import { DIGEST_FUNCTIONS } from './files/digest-functions.ts';
import { FILE_FUNCTIONS } from './files/file-functions.ts';
import { TEMPLATE_FUNCTIONS } from './files/template-functions.ts';
import { CALLING_FUNCTIONS } from './iteration/calling-functions.ts';
import { GROUPING_FUNCTIONS } from './iteration/grouping-functions.ts';
import { MAPPING_FUNCTIONS } from './iteration/mapping-functions.ts';
import { VISITING_FUNCTIONS } from './iteration/visiting-functions.ts';
import { LOGGING_FUNCTIONS } from './logging/logging-functions.ts';
import { max, min } from './numbers/max-and-min.ts';
import { NUMBER_FUNCTIONS } from './numbers/number-functions.ts';
import { index } from './support/index-function.ts';
import { PATTERN_FUNCTIONS } from './text/pattern-functions.ts';
import { defineRegsubst } from './text/regsubst.ts';
import { TEXT_FUNCTIONS } from './text/text-functions.ts';

const FUNCTIONS: readonly PuppetFunction[] = [
  ...CALLING_FUNCTIONS,
  ...CATALOG_FUNCTIONS,
  ...COLLECTION_FUNCTIONS,
  ...CONVERSION_FUNCTIONS,
  ...DIGEST_FUNCTIONS,
  ...FILE_FUNCTIONS,
  ...GROUPING_FUNCTIONS,
  ...HIERA_FUNCTIONS,
  ...LOGGING_FUNCTIONS,
  ...MAPPING_FUNCTIONS,
  ...NAVIGATION_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...PATTERN_FUNCTIONS,
  ...TEMPLATE_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...VISITING_FUNCTIONS,
  annotate,
  index,
  lookup,
  max,
  min,
];

const KNOWN: ReadonlyMap<string, PuppetFunction> = new Map([
  ...FUNCTIONS.map((one) => [one.name, one] as const),
  ...DATA_FUNCTIONS,
]);

const byLanguage = new Map<Language, FunctionTables>();

/** Puppet's built-in functions, by name. They need no module. */
interface FunctionTables {
  readonly usual: ReadonlyMap<string, PuppetFunction>;
  /** The same, and those that ask the inventory. */
  readonly withInventory: ReadonlyMap<string, PuppetFunction>;
}

/** The built-in functions at a level; with an inventory also those that ask it. */
export function functionsOf(language: Language, hasInventory = false): ReadonlyMap<string, PuppetFunction> {
  let tables = byLanguage.get(language);
  if (tables === undefined) {
    const usual = new Map([...KNOWN, ['regsubst', defineRegsubst(language)]]);
    tables = { usual, withInventory: new Map([...usual, [puppetdbQuery.name, puppetdbQuery]]) };
    byLanguage.set(language, tables);
  }
  return hasInventory ? tables.withInventory : tables.usual;
}
