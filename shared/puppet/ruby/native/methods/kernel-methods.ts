/** Methods that all code may call without a receiver. */

import { parseRubyFloat, parseRubyInteger } from '../../../ruby-core/ruby-number.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { raise, raiseGiven } from '../exceptions.ts';
import { fallBack } from '../fallback.ts';
import { RubyRange, UNKNOWN } from '../objects.ts';
import { assertText, byName, getArgument, type MethodCall, textArgument } from '../runtime.ts';
import { toS } from '../text-form.ts';
import { formatText } from './common-methods.ts';

/** Parts of the standard library that are always available. */
export const LIBRARIES: ReadonlySet<string> = new Set([
  'json',
  'erb',
  'set',
  'stringio',
  'puppet',
  'puppet/util',
  'digest/md5',
  'digest/sha1',
  'digest/sha2',
  'yaml',
  'digest',
  'uri',
  'securerandom',
  'shellwords',
  'openssl',
  'date',
  'pathname',
  'base64',
  'ipaddr',
  'etc',
  'cgi',
  'zlib',
  'open-uri',
  'timeout',
  'ostruct',
  'forwardable',
  'singleton',
  'fileutils',
  'tempfile',
  'find',
  'delegate',
  'benchmark',
  'tsort',
  'monitor',
  'open3',
  'resolv',
  'socket',
  'logger',
]);

const ASCII = /^\p{ASCII}*$/u;

export const KERNEL_METHODS: ReadonlyMap<string, (call: MethodCall) => Value> = byName<(call: MethodCall) => Value>({
  require: (call) => (LIBRARIES.has(textArgument(call)) ? UNKNOWN : fallBack('require')),
  Array: (call) => toArray(call, getArgument(call)),
  String: (call) => toS(getArgument(call), call.render),
  Integer: (call) => toInteger(getArgument(call)),
  Float: (call) => toFloat(getArgument(call)),
  format,
  sprintf: format,
  _: textArgument,
  // Code with a block runs in Ruby.
  'block_given?': (call) => call.args.length > 0 && fallBack('arguments'),
  raise: ({ args }) => raiseGiven(args),
  rand: drawNumber,
});

export function isKernelMethod(name: string): boolean {
  return KERNEL_METHODS.has(name);
}

export function callKernelMethod(name: string, call: MethodCall): Value {
  const method = KERNEL_METHODS.get(name) ?? fallBack(`the method ${name}`);
  return call.block ? fallBack('a block') : method(call);
}

/** Node draws numbers below 2**48. */
const LARGEST_LIMIT = 2n ** 47n;

function drawNumber(call: MethodCall): bigint {
  const given = getArgument(call);
  const [least, end] = given instanceof RubyRange ? endsOf(given) : [0n, given];
  if (typeof end !== 'bigint') return fallBack('a random number that is no integer');
  const count = end - least;
  if (count <= 0n || count > LARGEST_LIMIT) return fallBack('a limit of random numbers');
  return least + BigInt(call.render.world.drawNumber('rand', Number(count)));
}

function endsOf({ from, to, excludesEnd }: RubyRange): readonly [least: bigint, end: bigint] {
  if (typeof from !== 'bigint' || typeof to !== 'bigint') return fallBack('a range of other values');
  return [from, excludesEnd ? to : to + 1n];
}

function toArray({ render }: MethodCall, value: Value): Value {
  if (value === null) return render.markOwn([]);
  if (Array.isArray(value)) return value;
  if (value instanceof PuppetHash) return render.markOwn(Array.from(value, ([key, item]) => [key, item]));
  return typeof value === 'object' ? fallBack('an object as array') : render.markOwn([value]);
}

function toInteger(value: Value): Value {
  if (typeof value === 'bigint') return value;
  const read = typeof value === 'string' && ASCII.test(value) && !value.includes('\0') ? parseRubyInteger(value) : null;
  if (read !== null) return read;
  if (value === null) return raise('TypeError');
  return typeof value === 'string' && ASCII.test(value) ? raise('ArgumentError') : fallBack('no integer');
}

/** Texts that certainly do not start with a float. */
const NO_FLOAT = /^(?:[a-zA-Z/:,;][\p{ASCII}]*|)$/u;

function toFloat(value: Value): Value {
  if (typeof value === 'number') return value;
  const read = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? parseRubyFloat(value) : null;
  if (read !== null) return read;
  if (value === null) return raise('TypeError');
  return typeof value === 'string' && NO_FLOAT.test(value) ? raise('ArgumentError') : fallBack('no float');
}

function format({ args, render }: MethodCall): string {
  return formatText(assertText(args[0]), args.slice(1), render);
}
