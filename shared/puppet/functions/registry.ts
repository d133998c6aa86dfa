import type { PuppetFunction } from '../evaluator/ports.ts';
import { DATA_FUNCTIONS } from '../hiera/data-functions.ts';
import type { Language } from '../levels/language.ts';
import { annotate } from './catalog/annotate.ts';
import { contain } from './catalog/contain.ts';
import { createResources } from './catalog/create_resources.ts';
import { defined } from './catalog/defined.ts';
import { importFunction } from './catalog/import.ts';
import { include } from './catalog/include.ts';
import { realize } from './catalog/realize.ts';
import { requireFunction } from './catalog/require.ts';
import { tag } from './catalog/tag.ts';
import { tagged } from './catalog/tagged.ts';
import { dig } from './collections/dig.ts';
import { empty } from './collections/empty.ts';
import { flatten } from './collections/flatten.ts';
import { get } from './collections/get.ts';
import { getvar } from './collections/getvar.ts';
import { join } from './collections/join.ts';
import { keys } from './collections/keys.ts';
import { length } from './collections/length.ts';
import { size } from './collections/size.ts';
import { sort } from './collections/sort.ts';
import { unique } from './collections/unique.ts';
import { values } from './collections/values.ts';
import { assertType } from './conversion/assert_type.ts';
import { convertTo } from './conversion/convert_to.ts';
import { newFunction } from './conversion/new.ts';
import { type } from './conversion/type.ts';
import { unwrap } from './conversion/unwrap.ts';
import { hiera } from './data/hiera.ts';
import { hieraArray } from './data/hiera_array.ts';
import { hieraHash } from './data/hiera_hash.ts';
import { hieraInclude } from './data/hiera_include.ts';
import { lookup } from './data/lookup.ts';
import { puppetdbQuery } from './data/puppetdb_query.ts';
import { binaryFile } from './files/binary_file.ts';
import { DIGEST_FUNCTIONS } from './files/digest-functions.ts';
import { epp } from './files/epp.ts';
import { file } from './files/file.ts';
import { findFile } from './files/find_file.ts';
import { findTemplate } from './files/find_template.ts';
import { generate } from './files/generate.ts';
import { inlineEpp } from './files/inline_epp.ts';
import { inlineTemplate } from './files/inline_template.ts';
import { moduleDirectory } from './files/module_directory.ts';
import { template } from './files/template.ts';
import { all, any } from './iteration/all-and-any.ts';
import { breakFunction } from './iteration/break.ts';
import { call } from './iteration/call.ts';
import { each } from './iteration/each.ts';
import { filter } from './iteration/filter.ts';
import { groupBy } from './iteration/group_by.ts';
import { lest } from './iteration/lest.ts';
import { map } from './iteration/map.ts';
import { next } from './iteration/next.ts';
import { partition } from './iteration/partition.ts';
import { reduce } from './iteration/reduce.ts';
import { returnFunction } from './iteration/return.ts';
import { reverseEach } from './iteration/reverse_each.ts';
import { slice } from './iteration/slice.ts';
import { step } from './iteration/step.ts';
import { thenFunction } from './iteration/then.ts';
import { treeEach } from './iteration/tree_each.ts';
import { withFunction } from './iteration/with.ts';
import { fail } from './logging/fail.ts';
import { LOGGING_FUNCTIONS } from './logging/logging-functions.ts';
import { abs } from './numbers/abs.ts';
import { ceiling, floor } from './numbers/ceiling-and-floor.ts';
import { compare } from './numbers/compare.ts';
import { fqdnRand } from './numbers/fqdn_rand.ts';
import { max, min } from './numbers/max-and-min.ts';
import { round } from './numbers/round.ts';
import { index } from './support/index-function.ts';
import { match } from './text/match.ts';
import { defineRegsubst } from './text/regsubst.ts';
import { scanf } from './text/scanf.ts';
import { shellquote } from './text/shellquote.ts';
import { split } from './text/split.ts';
import { sprintf } from './text/sprintf.ts';
import { strftime } from './text/strftime.ts';
import { TEXT_FUNCTIONS } from './text/text-functions.ts';
import { versioncmp } from './text/versioncmp.ts';

const FUNCTIONS: readonly PuppetFunction[] = [
  ...DIGEST_FUNCTIONS,
  ...LOGGING_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  abs,
  all,
  annotate,
  any,
  assertType,
  binaryFile,
  breakFunction,
  call,
  ceiling,
  compare,
  contain,
  convertTo,
  createResources,
  defined,
  dig,
  each,
  empty,
  epp,
  fail,
  file,
  filter,
  findFile,
  findTemplate,
  flatten,
  floor,
  fqdnRand,
  generate,
  get,
  getvar,
  groupBy,
  hiera,
  hieraArray,
  hieraHash,
  hieraInclude,
  importFunction,
  include,
  index,
  inlineEpp,
  inlineTemplate,
  join,
  keys,
  length,
  lest,
  lookup,
  map,
  match,
  max,
  min,
  moduleDirectory,
  newFunction,
  next,
  partition,
  realize,
  reduce,
  requireFunction,
  returnFunction,
  reverseEach,
  round,
  scanf,
  shellquote,
  size,
  slice,
  sort,
  split,
  sprintf,
  step,
  strftime,
  tag,
  tagged,
  template,
  thenFunction,
  treeEach,
  type,
  unique,
  unwrap,
  values,
  versioncmp,
  withFunction,
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
