/**
 * Constructors and instances of the types of types (`Pcore::IntegerType`). Follows
 * lib/puppet/pops/types.
 */
import type { ModelInitializer } from './objects/object-type.ts';
import { typeFromAttributes } from './objects/type-from-attributes.ts';

/**
 * Parameters of the constructors of Ruby's classes: required ones, then optional ones behind `;`.
 */
const PARAMETERS: Readonly<Record<string, string>> = {
  Numeric: 'from; to',
  Integer: 'from; to',
  Float: 'from; to',
  String: 'size_type_or_value; (multiple)',
  Enum: 'values; case_insensitive',
  Pattern: 'patterns',
  Regexp: 'pattern',
  SemVer: 'ranges',
  Timespan: 'from; to',
  Timestamp: 'from; to',
  Collection: 'size_type',
  Array: 'element_type; size_type',
  Hash: 'key_type value_type; size_type',
  Struct: 'elements',
  Tuple: 'types; size_type',
  Callable: 'param_types; block_type return_type',
  Iterable: 'type',
  Iterator: 'type',
  Variant: 'types',
  Optional: 'type',
  NotUndef: '; type',
  Type: 'type',
  Class: 'class_name',
  Resource: 'type_name; title',
  Runtime: 'runtime name_or_pattern',
  Init: 'type init_args',
  TypeReference: 'type_string',
  TypeAlias: 'name type_expr; resolved_type',
  Object: '_pcore_init_hash; (expression)',
  ObjectTypeExten: 'base_type init_parameters',
  URI: '; parameters',
};

const NO_TYPE_SETS =
  "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not match any of the " +
  'attributes of type Pcore::TypeSetType';

/**
 * The initializer with which `new` of a meta type makes a type; null when `name` is not a meta
 * type.
 */
export function metaTypeInitializer(name: string): ModelInitializer | null {
  const kind = /^Pcore::(\w+)Type$/.exec(name)?.[1];
  if (kind === undefined) return null;
  const [needed = [], others = []] = (PARAMETERS[kind] ?? '').split(';').map((part) => part.split(' ').filter(Boolean));
  const all = [...needed, ...others];
  // Puppet: a parameter without an attribute cannot be given, but counts in the error about too few
  // arguments.
  const parameters = all.filter((parameter) => !parameter.startsWith('('));
  return {
    parameters,
    minimum: needed.length,
    maximum: all.length,
    problem: kind === 'TypeSet' ? NO_TYPE_SETS : null,
    create: (args) => typeFromAttributes(name, (parameter) => args[parameters.indexOf(parameter)] ?? null),
  };
}
