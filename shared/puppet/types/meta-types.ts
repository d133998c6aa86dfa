/**
 * What the types of types (`Pcore::IntegerType`) make, and whose types they are. Follows
 * lib/puppet/pops/types.
 */
import type { ModelInitializer } from './objects/object-type.ts';
import { typeFromAttributes } from './objects/type-from-attributes.ts';

/**
 * The parameters of the constructors of Ruby's classes: those that are needed, and behind `;` those
 * that are not.
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

/** How `new` of a type of types makes a type; null for a name that is none. */
export function metaTypeInitializer(name: string): ModelInitializer | null {
  const kind = /^Pcore::(\w+)Type$/.exec(name)?.[1];
  if (kind === undefined) return null;
  const [needed = [], others = []] = (PARAMETERS[kind] ?? '').split(';').map((part) => part.split(' ').filter(Boolean));
  const all = [...needed, ...others];
  // Puppet: what has no attribute is not to be given, and yet counted where too little is given.
  const parameters = all.filter((parameter) => !parameter.startsWith('('));
  return {
    parameters,
    minimum: needed.length,
    maximum: all.length,
    problem: kind === 'TypeSet' ? NO_TYPE_SETS : null,
    create: (args) => typeFromAttributes(name, (parameter) => args[parameters.indexOf(parameter)] ?? null),
  };
}
