import type { PuppetFunction } from '../evaluator/ports.ts';
import { DATA_FUNCTIONS } from '../hiera/data-functions.ts';
import { abs } from './abs.ts';
import { alert } from './alert.ts';
import { all } from './all.ts';
import { annotate } from './annotate.ts';
import { any } from './any.ts';
import { assertType } from './assert_type.ts';
import { binaryFile } from './binary_file.ts';
import { breakFunction } from './break.ts';
import { call } from './call.ts';
import { camelcase } from './camelcase.ts';
import { capitalize } from './capitalize.ts';
import { ceiling } from './ceiling.ts';
import { chomp } from './chomp.ts';
import { chop } from './chop.ts';
import { compare } from './compare.ts';
import { contain } from './contain.ts';
import { convertTo } from './convert_to.ts';
import { createResources } from './create_resources.ts';
import { crit } from './crit.ts';
import { debug } from './debug.ts';
import { defined } from './defined.ts';
import { dig } from './dig.ts';
import { digest } from './digest.ts';
import { downcase } from './downcase.ts';
import { each } from './each.ts';
import { emerg } from './emerg.ts';
import { empty } from './empty.ts';
import { epp } from './epp.ts';
import { err } from './err.ts';
import { fail } from './fail.ts';
import { file } from './file.ts';
import { filter } from './filter.ts';
import { findFile } from './find_file.ts';
import { findTemplate } from './find_template.ts';
import { flatten } from './flatten.ts';
import { floor } from './floor.ts';
import { fqdnRand } from './fqdn_rand.ts';
import { generate } from './generate.ts';
import { get } from './get.ts';
import { getvar } from './getvar.ts';
import { groupBy } from './group_by.ts';
import { hiera } from './hiera.ts';
import { hieraArray } from './hiera_array.ts';
import { hieraHash } from './hiera_hash.ts';
import { hieraInclude } from './hiera_include.ts';
import { importFunction } from './import.ts';
import { include } from './include.ts';
import { index } from './index-function.ts';
import { info } from './info.ts';
import { inlineEpp } from './inline_epp.ts';
import { inlineTemplate } from './inline_template.ts';
import { join } from './join.ts';
import { keys } from './keys.ts';
import { length } from './length.ts';
import { lest } from './lest.ts';
import { lookup } from './lookup.ts';
import { lstrip } from './lstrip.ts';
import { map } from './map.ts';
import { match } from './match.ts';
import { max } from './max.ts';
import { md5 } from './md5.ts';
import { min } from './min.ts';
import { moduleDirectory } from './module_directory.ts';
import { newFunction } from './new.ts';
import { next } from './next.ts';
import { notice } from './notice.ts';
import { partition } from './partition.ts';
import { realize } from './realize.ts';
import { reduce } from './reduce.ts';
import { regsubst } from './regsubst.ts';
import { requireFunction } from './require.ts';
import { returnFunction } from './return.ts';
import { reverseEach } from './reverse_each.ts';
import { round } from './round.ts';
import { rstrip } from './rstrip.ts';
import { scanf } from './scanf.ts';
import { sha1 } from './sha1.ts';
import { sha256 } from './sha256.ts';
import { shellquote } from './shellquote.ts';
import { size } from './size.ts';
import { slice } from './slice.ts';
import { sort } from './sort.ts';
import { split } from './split.ts';
import { sprintf } from './sprintf.ts';
import { step } from './step.ts';
import { strftime } from './strftime.ts';
import { strip } from './strip.ts';
import { tag } from './tag.ts';
import { tagged } from './tagged.ts';
import { template } from './template.ts';
import { thenFunction } from './then.ts';
import { treeEach } from './tree_each.ts';
import { type } from './type.ts';
import { unique } from './unique.ts';
import { unwrap } from './unwrap.ts';
import { upcase } from './upcase.ts';
import { values } from './values.ts';
import { versioncmp } from './versioncmp.ts';
import { warning } from './warning.ts';
import { withFunction } from './with.ts';

const FUNCTIONS: readonly PuppetFunction[] = [
  abs,
  alert,
  all,
  annotate,
  any,
  assertType,
  binaryFile,
  breakFunction,
  call,
  camelcase,
  capitalize,
  ceiling,
  chomp,
  chop,
  compare,
  contain,
  convertTo,
  createResources,
  crit,
  debug,
  defined,
  dig,
  digest,
  downcase,
  each,
  emerg,
  empty,
  epp,
  err,
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
  info,
  inlineEpp,
  inlineTemplate,
  join,
  keys,
  length,
  lest,
  lookup,
  lstrip,
  map,
  match,
  max,
  md5,
  min,
  moduleDirectory,
  newFunction,
  next,
  notice,
  partition,
  realize,
  reduce,
  regsubst,
  requireFunction,
  returnFunction,
  reverseEach,
  round,
  rstrip,
  scanf,
  sha1,
  sha256,
  shellquote,
  size,
  slice,
  sort,
  split,
  sprintf,
  step,
  strftime,
  strip,
  tag,
  tagged,
  template,
  thenFunction,
  treeEach,
  type,
  unique,
  unwrap,
  upcase,
  values,
  versioncmp,
  warning,
  withFunction,
];

/** Every function that is there without any module, by name. */
export const builtinFunctions: ReadonlyMap<string, PuppetFunction> = new Map([
  ...FUNCTIONS.map((one) => [one.name, one] as const),
  ...DATA_FUNCTIONS,
]);
