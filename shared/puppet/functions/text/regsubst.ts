import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import type { Language } from '../../levels/language.ts';
import {
  gsubPattern,
  type Replacement,
  replacementText,
  subPattern,
  UndefinedGroupError,
} from '../../ruby-core/ruby-pattern.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { RegexpType } from '../../types/scalar-types.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { escapeRegexp, PuppetRegexp } from '../../types/values/regexp.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { warnOnce } from '../support/deprecation.ts';

const SENSITIVE_TEXTS = 'Array[Variant[String,Sensitive[String]]]';
const TARGETS = {
  plain: 'Variant[Array[String],String] target',
  sensitive: `Variant[${SENSITIVE_TEXTS},Sensitive[${SENSITIVE_TEXTS}],Variant[String,Sensitive[String]]] target`,
};

/** Defines Ruby's `sub` and (flag G) `gsub` on a text or each text of an array. */
export function defineRegsubst({ regsubstOfSensitive, regsubstEncoding }: Language): PuppetFunction {
  const target = regsubstOfSensitive ? TARGETS.sensitive : TARGETS.plain;
  return defineFunction('regsubst', [
    {
      params: [
        target,
        'String pattern',
        'Variant[String,Hash[String,String]] replacement',
        '?Optional[Pattern[/^[GEIM]*$/]] flags',
        ...(regsubstEncoding ? ["?Enum['N','E','S','U'] encoding"] : []),
      ],
      body: (site, [target = null, pattern, replacement = null, flags, encoding]) => {
        if (encoding !== undefined) warnOnce(site, 'regsubst_function_encoding', ENCODING_IGNORED);
        const options = typeof flags === 'string' ? flags : '';
        return substitute(target, withOptions(String(pattern), options), replacement, options.includes('G'));
      },
    },
    {
      params: [
        target,
        'Variant[Regexp,Type[Regexp]] pattern',
        'Variant[String,Hash[String,String]] replacement',
        '?Pattern[/^G?$/] flags',
      ],
      body: (_, [target = null, pattern = null, replacement = null, flags]) =>
        substitute(target, regexpOf(pattern), replacement, flags === 'G'),
    },
  ]);
}

const ENCODING_IGNORED =
  "The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be removed in a future release";

function withOptions(pattern: string, flags: string): PuppetRegexp {
  const options = [...'MIE'].flatMap((flag) => (flags.includes(flag) ? (flag === 'E' ? 'x' : flag.toLowerCase()) : []));
  const alone = new PuppetRegexp(pattern);
  if (options.length === 0) return alone;
  // A pattern in extended syntax may end in a comment.
  const whole = new PuppetRegexp(`(?${options.join('')}:${pattern}${flags.includes('E') ? '\n' : ''})`);
  // Alone, a pattern in extended syntax has another meaning.
  for (const each of flags.includes('E') ? [whole] : [alone, whole])
    compileAs(each, `${alone.inspect()}${options.join('')}`);
  return whole;
}

/** Throws the error of a malformed pattern, which shows it as `shown`. */
function compileAs(regexp: PuppetRegexp, shown: string): void {
  try {
    regexp.toNative();
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    throw new PuppetError(
      error.basic.replace(/: \/[\s\S]*\/$/, () => `: ${shown}`),
      { cause: error },
    );
  }
}

// Puppet: a Regexp type's pattern is replaced literally, because it is a String there
// (functions/regsubst.rb).
function regexpOf(pattern: Value): PuppetRegexp {
  if (pattern instanceof PuppetRegexp) return pattern;
  return new PuppetRegexp(escapeRegexp(pattern instanceof RegexpType ? (pattern.pattern ?? '') : ''));
}

function substitute(target: Value, regexp: PuppetRegexp, replacement: Value, all: boolean): Value {
  const pattern = regexp.toNative();
  const replace = replacementFor(replacement);
  const change = (text: Value): string =>
    all ? gsubPattern(String(text), pattern, replace) : subPattern(String(text), pattern, replace);
  // Puppet: a sensitive array gives a plain one.
  const changeEach = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(changeEach);
    if (!(value instanceof Sensitive)) return change(value);
    const inner = value.unwrap();
    return Array.isArray(inner) ? changeEach(inner) : new Sensitive(change(inner));
  };
  try {
    return changeEach(target);
  } catch (error) {
    if (error instanceof UndefinedGroupError) throw new PuppetError(error.message, { cause: error });
    throw error;
  }
}

function replacementFor(replacement: Value): Replacement {
  if (replacement instanceof PuppetHash) return (found) => rubyToS(replacement.get(found[0]) ?? null);
  return replacementText(String(replacement));
}
