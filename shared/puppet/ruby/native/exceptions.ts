/** Errors of Ruby that code of modules may rescue. */
import { InternalValue, type Value } from '../../types/values/values.ts';
import { Fallback, fallBack } from './fallback.ts';
import { RubyClass } from './objects.ts';
import { byName, type RubyMethod, withoutArguments } from './runtime.ts';

/** Error classes, each with its parent. */
const PARENTS: ReadonlyMap<string, string> = new Map(
  `StandardError<Exception ArgumentError<StandardError NameError<StandardError NoMethodError<NameError TypeError<StandardError
  RuntimeError<StandardError FrozenError<RuntimeError IndexError<StandardError KeyError<IndexError RangeError<StandardError
  ZeroDivisionError<StandardError IOError<StandardError Puppet::Error<RuntimeError Puppet::ParseError<Puppet::Error
  IPAddr::Error<ArgumentError IPAddr::InvalidAddressError<IPAddr::Error IPAddr::AddressFamilyError<IPAddr::Error
  IPAddr::InvalidPrefixError<IPAddr::InvalidAddressError`
    .split(/\s+/)
    .map((pair): readonly [string, string] => {
      const [name = '', parent = ''] = pair.split('<');
      return [name, parent];
    }),
);

export function isException(name: string): boolean {
  return name === 'Exception' || PARENTS.has(name);
}

/** Whether a class equals another one or inherits from it. */
function isKindOf(name: string, other: string): boolean {
  for (let at: string | undefined = name; at !== undefined; at = PARENTS.get(at)) if (at === other) return true;
  return false;
}

export class RubyException extends InternalValue {
  readonly className: string;
  /** Null when only Ruby knows the message. */
  readonly message: string | null;

  constructor(className: string, message: string | null) {
    super();
    this.className = className;
    this.message = message;
  }

  equalityKey(): string {
    return fallBack('an error compared');
  }
}

/**
 * Thrown where Ruby raises an error. Native code may rescue it; an unrescued one falls back to
 * Ruby.
 */
export class RubyRaise extends Fallback {
  readonly error: RubyException;

  constructor(error: RubyException) {
    super(`${error.className} raised`);
    this.error = error;
  }

  /** Whether `rescue` with those classes catches it; without classes it catches StandardErrors. */
  isOneOf(classes: readonly Value[]): boolean {
    const names = classes.length === 0 ? ['StandardError'] : classes.map(exceptionName);
    return names.some((name) => isKindOf(this.error.className, name));
  }
}

function exceptionName(value: Value): string {
  return value instanceof RubyClass && isException(value.name) ? value.name : fallBack('what is no class of errors');
}

export function raise(className: string, message: string | null = null): never {
  throw new RubyRaise(new RubyException(className, message));
}

/**
 * Raises the error of `raise 'text'`, `raise Error` or `raise Error, 'text'`. Puppet's own errors
 * contain more than their text.
 */
export function raiseGiven(args: readonly Value[]): never {
  const [first = null, second] = args;
  if (typeof first === 'string' && args.length === 1) raise('RuntimeError', first);
  const name = exceptionName(first);
  if (args.length > 2 || (second !== undefined && typeof second !== 'string')) fallBack('arguments of raise');
  raise(name, name.startsWith('Puppet::') ? null : (second ?? name));
}

const message: RubyMethod<RubyException> = withoutArguments((self) => self.message ?? fallBack('the text of an error'));

export const EXCEPTION_METHODS = byName<RubyMethod<RubyException>>({
  message,
  to_s: message,
  class: withoutArguments((self) => new RubyClass(self.className)),
});

/** Methods that nil does not have. */
const LACKING: ReadonlySet<string> = new Set(
  `[] []= + - * / < > <= >= << each each_pair each_with_index each_key each_value map collect select reject find empty? downcase upcase
  capitalize split strip lstrip rstrip chomp chop sub gsub tr keys values key? has_key? value? length size join include? start_with?
  end_with? first last merge sort sort_by fetch dig match match? to_sym flatten compact uniq reverse index delete scan lines chars
  push pop shift unshift concat zip any? all? none? unwrap ljust rjust center`.split(/\s+/),
);

/** Raises NoMethodError for a method that nil is known to lack. */
export function refuseNil(name: string): never {
  return LACKING.has(name) ? raise('NoMethodError') : fallBack(`the method ${name} of nil`);
}
