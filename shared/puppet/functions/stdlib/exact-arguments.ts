import type { PType } from '../../types/ptype.ts';
import { parseType } from '../../types/type-parser.ts';
import type { Value } from '../../types/values/values.ts';
import { PREVIOUS_CHECKS } from './previous-validation.ts';

/**
 * The arguments for which a function here equals stdlib's Ruby, as a type of the argument array.
 * stdlib checks few arguments; Ruby's behaviour for others, mostly an error, is left to the
 * module's own Ruby. Functions without an entry are equal for all arguments.
 */
const EXACT: Readonly<Record<string, string>> = {
  defined_with_params: 'Tuple[Variant[String[1], Type], Named, 1, 2]',
  ensure_packages: 'Tuple[Variant[Texts, Hash[String[1], Named]], Named, 1, 2]',
  ensure_resource: 'Tuple[String[1], Titles, Named, 2, 3]',
  ensure_resources: 'Tuple[String[1], Hash[String[1], Optional[Named]], Named, 2, 3]',
  fqdn_rand_string: 'Tuple[Whole, Optional[String], ScalarData, 1, default]',
  getparam: 'Tuple[Variant[String[1], Type], String]',
  loadjson: 'Tuple[String, Any, 1, default]',
  loadyaml: 'Tuple[String, Any, 1, default]',
  parsejson: 'Tuple[String, Any, 1, default]',
  parseyaml: 'Tuple[String, Any, 1, default]',
  // Releases of stdlib differ in how they print a Sensitive inside data.
  to_json_pretty: 'Tuple[Plain, Optional[Boolean], Layout, 1, 3]',
  to_toml: 'Tuple[Table]',
  validate_legacy:
    "Variant[Tuple[Variant[Type, String], Check, Plain], Tuple[Variant[Type, String], Enum['validate_re'], String, Patterns, String, 4, 5]]",
};

const ALIASES: Readonly<Record<string, string>> = {
  Check: `Enum['${[...PREVIOUS_CHECKS].join("', '")}']`,
  Layout: "Hash[Enum['indent', 'space', 'space_before', 'object_nl', 'array_nl'], String]",
  Named: 'Hash[String[1], Any]',
  Patterns: 'Variant[String, Array[Patterns]]',
  Plain: 'Variant[ScalarData, Undef, Array[Plain], Hash[Plain, Plain]]',
  Table: 'Hash[String, Variant[Table, Array[Table], Array[Plain], ScalarData, Undef]]',
  Texts: 'Variant[String, Array[String]]',
  Titles: 'Variant[String, Integer, Array[Variant[String, Integer]]]',
  Whole: 'Variant[Integer, String]',
};

const parsed = new Map<string, PType | null>();

function typeFor(name: string): PType | null {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const text = EXACT[name] ?? EXACT[name.replace(/^stdlib::/, '')];
  const type = text === undefined ? null : parseType(text, ALIASES);
  parsed.set(name, type);
  return type;
}

/** Whether the function here equals stdlib's Ruby for these arguments. */
export function isExactFor(name: string, args: readonly Value[]): boolean {
  return typeFor(name)?.isInstance(args) ?? true;
}
