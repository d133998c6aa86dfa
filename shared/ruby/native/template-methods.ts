/** What a template may call without a receiver, and the constants that it may name. */
import { PuppetHash } from '../../types/puppet-hash.ts';
import type { Value } from '../../types/values.ts';
import { parseRubyFloat, parseRubyInteger } from '../../util/ruby-integer.ts';
import { formatText } from './common-methods.ts';
import { fallBack } from './fallback.ts';
import { RubyClass, SCOPE, UNKNOWN } from './objects.ts';
import { argument, type MethodCall, noArguments, text, textArgument } from './runtime.ts';
import { CLASSES, toS } from './text-form.ts';

/** Parts of the standard library that are there whether they are asked for or not. */
const LIBRARIES: ReadonlySet<string> = new Set([
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
  'timeout',
  'ostruct',
  'forwardable',
  'singleton',
]);

const ASCII = /^\p{ASCII}*$/u;

const OWN: ReadonlyMap<string, (call: MethodCall) => Value> = new Map<string, (call: MethodCall) => Value>([
  [
    'scope',
    (call) => {
      noArguments(call);
      return SCOPE;
    },
  ],
  ['has_variable?', (call) => call.render.world.hasValue(toS(argument(call)))],
  ['require', (call) => (LIBRARIES.has(textArgument(call)) ? UNKNOWN : fallBack('require'))],
  ['Array', (call) => toArray(call, argument(call))],
  ['String', (call) => toS(argument(call))],
  ['Integer', (call) => toInteger(argument(call))],
  ['Float', (call) => toFloat(argument(call))],
  ['format', format],
  ['sprintf', format],
]);

/** The names that a template can't give to methods of its own. */
export function isTaken(name: string): boolean {
  return (
    OWN.has(name) ||
    /^(?:to_|inspect|method_missing|respond_to|initialize|nil\?|class|send|file|tags|classes|all_tags)/.test(name)
  );
}

export function callOwnMethod(name: string, call: MethodCall): Value {
  const { render, args, block } = call;
  const defined = render.world.findMethod(name);
  if (defined) return block ? fallBack('a block') : defined(render, args);
  const own = OWN.get(name) ?? fallBack(`the method ${name}`);
  return block ? fallBack('a block') : own(call);
}

/** An address that the library takes. */
const ADDRESS = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]\d|\d)(?:\.(?!$)|$)){4}$/;

/** `IPAddr.new(...)`, of which all that is known is whether it fails. */
export function newAddress({ args, block }: MethodCall): Value {
  const [given] = args;
  return args.length === 1 && !block && ADDRESS.test(text(given)) ? UNKNOWN : fallBack('IPAddr');
}

export function constantOf(name: string): Value {
  return CLASSES.has(name) ? new RubyClass(name) : fallBack(`the constant ${name}`);
}

function toArray({ render }: MethodCall, value: Value): Value {
  if (value === null) return render.own([]);
  if (Array.isArray(value)) return value;
  if (value instanceof PuppetHash) return render.own(Array.from(value, ([key, item]) => [key, item]));
  return typeof value === 'object' ? fallBack('an object as array') : render.own([value]);
}

function toInteger(value: Value): Value {
  if (typeof value === 'bigint') return value;
  const read = typeof value === 'string' && ASCII.test(value) && !value.includes('\0') ? parseRubyInteger(value) : null;
  return read ?? fallBack('no integer');
}

function toFloat(value: Value): Value {
  if (typeof value === 'number') return value;
  const read = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? parseRubyFloat(value) : null;
  return read ?? fallBack('no float');
}

function format({ args }: MethodCall): string {
  return formatText(text(args[0]), args.slice(1));
}
