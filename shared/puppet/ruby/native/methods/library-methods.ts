/** Constants that code may name, and methods of Ruby's library that are called by them. */
import { createHash } from 'node:crypto';
import { baseName, directoryName, extensionName } from '../../../ruby-core/ruby-path.ts';
import { compareVersions } from '../../../ruby-core/version-compare.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import { RichValue, type Value } from '../../../types/values/values.ts';
import { isException } from '../exceptions.ts';
import { fallBack } from '../fallback.ts';
import { RubyClass } from '../objects.ts';
import { argument, type MethodCall, text, textArgument } from '../runtime.ts';
import { CLASSES } from '../text-form.ts';
import { newAddress } from './address-methods.ts';
import { toHash } from './enumerable-methods.ts';
import { generateJson, readJson } from './json-methods.ts';

type ClassMethod = (call: MethodCall) => Value;

/** Bytes that are no text. */
class RubyBytes extends RichValue {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }

  equalityKey(): string {
    return fallBack('bytes compared');
  }
}

function bytes(value: Value): Uint8Array {
  return value instanceof RubyBytes ? value.bytes : Buffer.from(text(value), 'utf8');
}

function digests(name: string, algorithm: string): readonly (readonly [string, ClassMethod])[] {
  const hash = (call: MethodCall) => createHash(algorithm).update(bytes(argument(call)));
  return [
    [`Digest::${name}.hexdigest`, (call) => hash(call).digest('hex')],
    [`Digest::${name}.digest`, (call) => new RubyBytes(hash(call).digest())],
    [`Digest::${name}.base64digest`, (call) => hash(call).digest('base64')],
  ];
}

/** Each character that is none of those as `%XX`. */
function escaped(kept: RegExp): ClassMethod {
  return (call) =>
    Array.from(Buffer.from(textArgument(call), 'utf8'), (byte) => {
      const char = String.fromCharCode(byte);
      return byte < 128 && kept.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }).join('');
}

const LEVELS = ['debug', 'info', 'notice', 'warning', 'err', 'alert', 'emerg', 'crit'];

const logged = LEVELS.map((level): readonly [string, ClassMethod] => [
  `Puppet.${level}`,
  ({ render, args, block }) => {
    if (block) fallBack('a block');
    render.world.log(level, args.map((arg) => text(arg)).join(' '));
    return null;
  },
]);

const METHODS: ReadonlyMap<string, ClassMethod> = new Map<string, ClassMethod>([
  ...digests('MD5', 'md5'),
  ...digests('SHA1', 'sha1'),
  ...digests('SHA256', 'sha256'),
  ...digests('SHA512', 'sha512'),
  ...logged,
  ['Base64.strict_encode64', (call) => Buffer.from(bytes(argument(call))).toString('base64')],
  ['ERB::Util.url_encode', escaped(/[a-zA-Z0-9_\-.~]/)],
  ['CGI.escape', (call) => String(escaped(/[a-zA-Z0-9_\-.~ ]/)(call)).replaceAll(' ', '+')],
  ['JSON.generate', generateJson],
  ['JSON.parse', readJson],
  [
    'File.basename',
    ({ args }) =>
      args.length > 2 ? fallBack('arguments') : baseName(path(args[0]), args.length === 2 ? path(args[1]) : ''),
  ],
  ['File.dirname', (call) => directoryName(path(argument(call)))],
  ['File.extname', (call) => extensionName(path(argument(call)))],
  ['File.join', ({ args }) => joinedPath(args.map(path))],
  ['Hash.[]', hashOf],
  ['IPAddr.new', newAddress],
  ['Puppet::Util::Package.versioncmp', versionOrder],
]);

function path(value: Value | undefined): string {
  const given = text(value);
  return given.includes('\0') || /\/\/|\.$/.test(given) ? fallBack('a path') : given;
}

/** Of slashes where two parts meet one is left. */
function joinedPath(parts: readonly string[]): string {
  if (parts.length === 0) return '';
  return parts.reduce((before, part) => `${before.replace(/\/$/, '')}/${part.replace(/^\//, '')}`);
}

function hashOf(call: MethodCall): PuppetHash {
  const given = argument(call);
  if (given instanceof PuppetHash) return call.render.own(PuppetHash.of(given.entries()));
  return Array.isArray(given) ? toHash(given, call.render) : fallBack('what is no list of pairs');
}

/** Constants that only stand in front of such methods. */
const HOLDERS: ReadonlySet<string> = new Set([...METHODS.keys()].map((key) => key.slice(0, key.lastIndexOf('.'))));

export function isKnownConstant(name: string): boolean {
  return CLASSES.has(name) || HOLDERS.has(name) || isException(name);
}

export function constantOf(name: string): Value {
  return isKnownConstant(name) ? new RubyClass(name) : fallBack(`the constant ${name}`);
}

/** The method of that class or module; undefined when it isn't known. */
export function findLibraryMethod(owner: string, name: string): ClassMethod | undefined {
  const method = METHODS.get(`${owner}.${name}`);
  return method && ((call) => (call.block ? fallBack('a block') : method(call)));
}

function versionOrder({ args }: MethodCall): bigint {
  if (args.length !== 2) fallBack('arguments');
  return BigInt(compareVersions(text(args[0]), text(args[1]), false));
}
