/** Implements `Gem::Version` for plain numbers, and constants that differ between Ruby releases. */
import { InternalValue, type Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { assertText, getArgument, type MethodCall, type RubyMethod } from '../runtime.ts';

/** A version of numbers alone, without zeros at the end. */
export class RubyVersion extends InternalValue {
  readonly numbers: readonly number[];
  /** Whether only this is known: that the version is this one or a later one. */
  readonly isLeast: boolean;

  constructor(numbers: readonly number[], isLeast = false) {
    super();
    this.numbers = numbers;
    this.isLeast = isLeast;
  }

  equalityKey(): string {
    return fallBack('a version compared');
  }
}

/** A constant of the Ruby that runs other code: another text in each host. */
export class HostConstant extends InternalValue {
  /** The least version of all hosts; null for another constant. */
  readonly least: RubyVersion | null;

  constructor(least: RubyVersion | null) {
    super();
    this.least = least;
  }

  equalityKey(): string {
    return fallBack('a constant of Ruby compared');
  }
}

export const HOST_CONSTANTS: ReadonlyMap<string, HostConstant> = new Map([
  ['RUBY_VERSION', new HostConstant(new RubyVersion([3], true))],
  ['Psych::VERSION', new HostConstant(new RubyVersion([3, 3], true))],
  ['RUBY_PLATFORM', new HostConstant(null)],
]);

/** Implements the question whether Ruby is JRuby, which no host is. */
export function callHostConstant(self: HostConstant, name: string, call: MethodCall): boolean {
  const isAsked = self.least === null && name === '==' && getArgument(call) === 'java';
  return isAsked ? false : fallBack(`${name} of a constant of Ruby`);
}

export function newVersion(call: MethodCall): Value {
  const given = getArgument(call);
  if (given instanceof HostConstant) return given.least ?? fallBack('what is no version');
  const text = assertText(given);
  if (!/^\d{1,9}(?:\.\d{1,9})*$/.test(text)) return fallBack('a version of more than numbers');
  const numbers = text.split('.').map(Number);
  while (numbers.at(-1) === 0) numbers.pop();
  return new RubyVersion(numbers);
}

function order(left: RubyVersion, right: RubyVersion): number {
  const length = Math.max(left.numbers.length, right.numbers.length);
  for (let place = 0; place < length; place += 1) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareWith(isTrue: (order: number) => boolean): RubyMethod<RubyVersion> {
  return (self, call) => {
    const other = getArgument(call);
    if (!(other instanceof RubyVersion) || other.isLeast) return fallBack('a version compared');
    const found = order(self, other);
    // A later version than the least one is greater than what that is greater than.
    if (self.isLeast && found <= 0) return fallBack('the version of Ruby compared');
    return isTrue(found);
  };
}

export const VERSION_METHODS: ReadonlyMap<string, RubyMethod<RubyVersion>> = new Map([
  ['<', compareWith((found) => found < 0)],
  ['<=', compareWith((found) => found <= 0)],
  ['>', compareWith((found) => found > 0)],
  ['>=', compareWith((found) => found >= 0)],
]);
