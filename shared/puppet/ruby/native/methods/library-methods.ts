import { createHash } from 'node:crypto';
import { LOG_LEVELS } from '../../../errors/compile-log.ts';
import { baseName, directoryName, getFileExtension } from '../../../ruby-core/ruby-path.ts';
import { RubyRandom } from '../../../ruby-core/ruby-random.ts';
import { compareVersions } from '../../../ruby-core/version-compare.ts';
import { PType } from '../../../types/ptype.ts';
import { BytesText, restoreBytes } from '../../../types/values/bytes-text.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { isException } from '../exceptions.ts';
import { fallBack } from '../fallback.ts';
import { RubyClass, RubyFacade } from '../objects.ts';
import { assertIndex, assertText, byName, getArgument, type MethodCall, nameOf, textArgument } from '../runtime.ts';
import { CLASSES } from '../text-form.ts';
import { newAddress } from './address-methods.ts';
import { toHash } from './enumerable-methods.ts';
import { generateJson, parseJsonArgument } from './json-methods.ts';
import { HOST_CONSTANTS, newVersion } from './version-methods.ts';
import { loadYaml } from './yaml-methods.ts';

/** Constants that code may name, and the library methods called on them. */

type ClassMethod = (call: MethodCall) => Value;

function toBytes(value: Value): Uint8Array {
  return value instanceof BytesText ? value.bytes : Buffer.from(assertText(value), 'utf8');
}

function makeDigests(name: string, algorithm: string): readonly (readonly [string, ClassMethod])[] {
  const hash = (call: MethodCall) => createHash(algorithm).update(toBytes(getArgument(call)));
  return [
    [`Digest::${name}.hexdigest`, (call) => hash(call).digest('hex')],
    [`Digest::${name}.digest`, (call) => BytesText.fromBytes(hash(call).digest())],
  ];
}

/** Creates an escape that prints each character outside `kept` as `%XX`. */
function makeEscape(kept: RegExp): (call: MethodCall) => string {
  return (call) =>
    Array.from(Buffer.from(textArgument(call), 'utf8'), (byte) => {
      const char = String.fromCharCode(byte);
      return byte < 128 && kept.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }).join('');
}

const logged = LOG_LEVELS.map((level): readonly [string, ClassMethod] => [
  `Puppet.${level}`,
  ({ render, args, block }) => {
    if (block) fallBack('a block');
    render.world.log(level, args.map((arg) => assertText(arg)).join(' '));
    return null;
  },
]);

export const LIBRARY_METHODS = byName<ClassMethod>({
  ...Object.fromEntries(makeDigests('MD5', 'md5')),
  ...Object.fromEntries(makeDigests('SHA1', 'sha1')),
  ...Object.fromEntries(makeDigests('SHA256', 'sha256')),
  ...Object.fromEntries(makeDigests('SHA512', 'sha512')),
  ...Object.fromEntries(logged),
  'Array.new': newArray,
  'Base64.decode64': decodeBase64,
  'Base64.encode64': (call) => textInBase64(call).replace(/.{1,60}/g, '$&\n'),
  'Base64.urlsafe_encode64': (call) => textInBase64(call).replaceAll('+', '-').replaceAll('/', '_'),
  'Base64.strict_encode64': textInBase64,
  // Ruby has no environment variables here; code might set others.
  'ENV.[]': (call) => (textArgument(call).startsWith('STDLIB_') ? null : fallBack('ENV')),
  'ERB::Util.url_encode': makeEscape(/[a-zA-Z0-9_\-.~]/),
  'CGI.escape': (call) => makeEscape(/[a-zA-Z0-9_\-.~ ]/)(call).replaceAll(' ', '+'),
  'JSON.generate': generateJson,
  'JSON.parse': parseJsonArgument,
  'File.basename': ({ args }) =>
    args.length > 2 ? fallBack('arguments') : baseName(readPath(args[0]), args.length === 2 ? readPath(args[1]) : ''),
  'File.dirname': (call) => directoryName(readPath(getArgument(call))),
  'File.extname': fileExtension,
  'File.directory?': fileKind('directory'),
  'File.exist?': isThere,
  'File.exists?': (call) => (call.render.isRuby40 ? fallBack('a method that Ruby 3.2 removed') : isThere(call)),
  'File.file?': fileKind('file'),
  'File.read': readFile,
  'File.join': ({ args }) => joinPath(args.map(readPart)),
  'Gem::Version.new': newVersion,
  'Hash.[]': hashOf,
  'IPAddr.new': newAddress,
  'Puppet.[]': readSetting,
  'Puppet.version': ({ render }) => render.world.getSetting('language.release') ?? fallBack('a version'),
  'Puppet::Module.find': findModule,
  'Puppet::Pops::Types::TypeCalculator.instance?': isInstanceOfType,
  'Random.new': ({ args: [seed = null] }) => newRandom(typeof seed === 'bigint' ? seed : fallBack('a seed')),
  'Puppet::Util.absolute_path?': isAbsolutePath,
  'Puppet::Util.respond_to?': (call) => nameOf(getArgument(call)) === 'absolute_path?' || fallBack('respond_to?'),
  'Puppet::Util::Package.versioncmp': versionOrder,
  'Shellwords.shellescape': (call) => escapeForShell(textArgument(call)),
  'Shellwords.shelljoin': joinForShell,
  'URI::DEFAULT_PARSER.escape': makeEscape(/[-_.!~*'()a-zA-Z\d;/?:@&=+$,[\]]/),
  'YAML.safe_load': loadYaml,
});

// Ruby: an empty extension is a text of bytes.
function fileExtension(call: MethodCall): Value {
  const extension = getFileExtension(readPath(getArgument(call)));
  return restoreBytes(extension, extension === '');
}

function readSetting(call: MethodCall): Value {
  const name = nameOf(getArgument(call));
  // Code may turn it off for a while.
  return name === 'strict' ? fallBack('the setting strict') : call.render.world.getSetting(name);
}

/** Finds a module of the environment, as Puppet does, whatever environment is given. */
function findModule({ args, render: { world } }: MethodCall): Value {
  const path = args.length > 2 ? fallBack('arguments') : world.findModule(assertText(args[0]));
  return path === null ? null : new RubyFacade({ path: () => path, 'nil?': () => false });
}

function isInstanceOfType({ args: [type, value = null, ...others] }: MethodCall): Value {
  return type instanceof PType && others.length === 0 ? type.isInstance(value) : fallBack('what is no type');
}

/** A generator that draws integers below a limit. */
function newRandom(seed: bigint): Value {
  const random = new RubyRandom(seed);
  const draw = (limit: Value) => (typeof limit === 'bigint' ? random.drawInteger(limit) : null);
  return new RubyFacade({ rand: (call) => draw(getArgument(call)) ?? fallBack('a limit') });
}

function readPath(value: Value | undefined): string {
  const given = assertText(value);
  return given.includes('\0') ? fallBack('a path') : given;
}

/** A part of a path; an array is joined first. */
function readPart(value: Value): string {
  if (!Array.isArray(value)) return readPath(value).includes('//') ? fallBack('a path') : readPath(value);
  return value.length === 0 ? fallBack('an empty list, whose text is bytes') : joinPath(value.map(readPart));
}

/** Joins paths; slashes at a joint collapse to one. */
function joinPath(parts: readonly string[]): string {
  if (parts.length === 0) return '';
  return parts.reduce((before, part) => `${before.replace(/\/$/, '')}/${part.replace(/^\//, '')}`);
}

function textInBase64(call: MethodCall): string {
  return Buffer.from(toBytes(getArgument(call))).toString('base64');
}

function decodeBase64(call: MethodCall): BytesText {
  const text = textArgument(call).replace(/\s/g, '');
  // Ruby skips other characters, Node does not.
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 > 0) fallBack('base64');
  return BytesText.fromBytes(Buffer.from(text, 'base64'));
}

function isAbsolutePath({ args: [path, platform = null, ...others] }: MethodCall): boolean {
  if (nameOf(platform) !== 'posix' || others.length > 0) return fallBack('a path of Windows');
  return /(?<![^\n])\//.test(assertText(path));
}

/** Implements `Shellwords.escape`. */
function escapeForShell(text: string): string {
  if (text.includes('\0')) fallBack('a text that a shell cannot take');
  return text.replace(/[^A-Za-z0-9_\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'") || "''";
}

function joinForShell(call: MethodCall): string {
  const words = getArgument(call);
  if (!Array.isArray(words)) return fallBack('what is no list of words');
  return words.map((word) => escapeForShell(assertText(word))).join(' ');
}

const LONGEST_NEW_ARRAY = 100_000;

function newArray({ render, args, block }: MethodCall): Value[] {
  const [count = 0n, value = null] = args;
  const length = assertIndex(count);
  if (length < 0 || length > LONGEST_NEW_ARRAY || args.length > (block ? 1 : 2)) return fallBack('a new array');
  return render.markOwn(Array.from({ length }, (_, at) => (block ? block.call([BigInt(at)]) : value)));
}

function hashOf(call: MethodCall): PuppetHash {
  if (call.args.length > 1) return hashOfList(call);
  const given = getArgument(call);
  if (given instanceof PuppetHash) return call.render.markOwn(PuppetHash.of(given.entries()));
  return Array.isArray(given) ? toHash(given, call.render) : fallBack('what is no list of pairs');
}

/** Returns the hash of keys and values in turns. */
function hashOfList({ args, render }: MethodCall): PuppetHash {
  if (args.length % 2 === 1) fallBack('a key without a value');
  const hash = render.markOwn(new PuppetHash());
  for (let at = 0; at < args.length; at += 2) {
    const [key = null, value = null] = args.slice(at, at + 2);
    if (typeof key === 'number') fallBack('a float as key');
    hash.set(key, value);
  }
  return hash;
}

/** Constants that only stand in front of such methods. */
const HOLDERS: ReadonlySet<string> = new Set(
  [...LIBRARY_METHODS.keys()].map((key) => key.slice(0, key.lastIndexOf('.'))),
);

export function isKnownConstant(name: string): boolean {
  return HOST_CONSTANTS.has(name) || CLASSES.has(name) || HOLDERS.has(name) || isException(name);
}

export function constantOf(name: string): Value {
  const ofHost = HOST_CONSTANTS.get(name);
  if (ofHost) return ofHost;
  return isKnownConstant(name) ? new RubyClass(name) : fallBack(`the constant ${name}`);
}

/** Returns the method of that class or module; undefined when it is unknown. */
export function findLibraryMethod(owner: string, name: string): ClassMethod | undefined {
  const method = LIBRARY_METHODS.get(`${owner}.${name}`);
  if (method === newArray) return method;
  return method && ((call) => (call.block ? fallBack('a block') : method(call)));
}

function versionOrder({ args }: MethodCall): bigint {
  if (args.length !== 2) fallBack('arguments');
  return BigInt(compareVersions(assertText(args[0]), assertText(args[1]), false));
}

/** Implements `File` for files of the environment. */

/** Paths that may be those of Ruby's own library, which Ruby itself reads. */
const LIBRARY = /ruby|gem/i;

function pathArgument(call: MethodCall): string {
  const path = getArgument(call);
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('\0') || LIBRARY.test(path))
    return fallBack('a path');
  return path;
}

function isThere(call: MethodCall): Value {
  return call.render.world.kindOf(pathArgument(call)) !== null;
}

function fileKind(kind: 'file' | 'directory'): (call: MethodCall) => Value {
  return (call) => call.render.world.kindOf(pathArgument(call)) === kind;
}

/** Reads a text; a file that is missing or holds invalid UTF-8 is left to Ruby. */
function readFile(call: MethodCall): Value {
  const text = call.render.world.readFile(pathArgument(call));
  return text === null || text.includes('\ufffd') ? fallBack('a file') : text;
}
