import { PuppetError } from '../../errors/puppet-error.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import type { PType } from '../../types/ptype.ts';
import { parseType } from '../../types/type-parser.ts';
import { BytesText, findKey } from '../../types/values/bytes-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { isArray } from '../../types/values/value-kinds.ts';
import type { Value } from '../../types/values/values.ts';
import { PREVIOUS_CHECKS } from './previous-validation.ts';

/**
 * Thrown by a stdlib function, before any side effect, for a call that only the module's own Ruby
 * can answer.
 */
class LeftToRuby extends PuppetError {}

/** Leaves a call to the module's own Ruby by throwing LeftToRuby. */
export function leaveToRuby(name: string): never {
  throw new LeftToRuby(`${name}(): this call needs the Ruby of puppetlabs-stdlib`);
}

/** Functions that pass values on without reading texts. */
const HANDING_ON: ReadonlySet<string> = new Set(['deep_merge', 'ensure_resource', 'ensure_resources', 'merge']);

/** Functions that read a text of any encoding. Their results are texts of their own. */
const PARSING: ReadonlySet<string> = new Set(['parsehocon', 'parsejson', 'parseyaml']);

function readsBytes(name: string, args: readonly Value[]): boolean {
  return !HANDING_ON.has(name.replace(/^stdlib::/, '')) && args.some(containsBytes);
}

/** Looks into hashes, too, but not into facts, whose reads are recorded. */
function containsBytes(value: Value): boolean {
  if (value instanceof PuppetHash) return value.constructor === PuppetHash && [...value.values()].some(containsBytes);
  return isArray(value) ? value.some(containsBytes) : value instanceof BytesText;
}

/**
 * Returns `written` with a fallback: calls that it leaves to Ruby, and calls for which it is not
 * exact, go to the function that `inRuby` finds. Without that function, the calls left to Ruby
 * fail.
 */
export function fallBackToRuby(written: PuppetFunction, inRuby: () => PuppetFunction | null): PuppetFunction {
  return {
    name: written.name,
    getSignatures: () => written.getSignatures(),
    call: (site, given, block) => {
      const args = PARSING.has(written.name.replace(/^stdlib::/, '')) ? given.map(findKey) : given;
      const isExact = isExactFor(written.name, args) && !readsBytes(written.name, args);
      const first = isExact ? null : inRuby();
      if (first) return first.call(site, args, block);
      try {
        return written.call(site, args, block);
      } catch (error) {
        const other = error instanceof LeftToRuby ? inRuby() : null;
        if (!other) throw error;
        return other.call(site, args, block);
      }
    },
  };
}

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
function isExactFor(name: string, args: readonly Value[]): boolean {
  return typeFor(name)?.isInstance(args) ?? true;
}
