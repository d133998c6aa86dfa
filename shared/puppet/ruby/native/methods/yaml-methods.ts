/** Implements `to_yaml`, as Psych prints data, and `YAML.safe_load`. */
import { BoundedCache } from '../../../../util/bounded-cache.ts';
import { RecordingHash } from '../../../environment/recording-hash.ts';
import { parseYaml, RubySymbol, YamlLoadError } from '../../../serialization/yaml.ts';
import { printYaml } from '../../../serialization/yaml-emitter.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { RubyClass } from '../objects.ts';
import { assertText, type MethodCall, noArguments } from '../runtime.ts';

/** Longer keys are printed in another form. */
const KEY_LIMIT = 100;
/** Characters that are printed unescaped. */
const PLAIN = /^[\n\t -~\u00a1-\u00ac\u00ae-\u024f]*$/u;

export function toYaml(self: Value, call: MethodCall): string {
  const [options] = call.args;
  noArguments(options instanceof PuppetHash && options.size === 0 ? { ...call, args: call.args.slice(1) } : call);
  requireData(self, new Set());
  return printYaml(self);
}

/** Checks that no container occurs twice; Psych prints the second occurrence as a reference. */
function requireData(value: Value, seen: Set<object>): void {
  if (typeof value === 'string') requireText(value);
  else if (Array.isArray(value)) {
    requireFirst(value, seen);
    for (const item of value) requireData(item, seen);
  } else if (value instanceof PuppetHash) {
    // It is not known which of its values are the same object.
    if (value instanceof RecordingHash) fallBack('a hash that notes what is read');
    requireFirst(value, seen);
    for (const [key, item] of value) {
      requireKey(key);
      requireData(item, seen);
    }
  } else if (value instanceof RubySymbol) requireName(value);
  else if (typeof value === 'object' && value !== null) fallBack('an object as YAML');
}

function requireFirst(container: object, seen: Set<object>): void {
  if (seen.has(container)) fallBack('the same container twice');
  seen.add(container);
}

function requireText(value: string): void {
  if (!PLAIN.test(value)) fallBack('characters of a text');
}

function requireName({ name }: RubySymbol): void {
  if (!/^[a-z]\w*$/i.test(name)) fallBack('a symbol that is quoted');
}

function requireKey(key: Value): void {
  if (key instanceof RubySymbol) requireName(key);
  else if (typeof key === 'string' && key.length <= KEY_LIMIT && !key.includes('\n')) requireText(key);
  else if (typeof key !== 'bigint') fallBack('a key as YAML');
}

/** Characters of texts whose data is kept. */
const KEPT_CHARACTERS = 4_000_000;

/** The value of a YAML text. */
class ParsedYaml {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** Data by how it was read and the text: backends of Hiera read the same files in each compile. */
const parsed = new BoundedCache<ParsedYaml>(KEPT_CHARACTERS, (_, text) => text.length);

export function loadYaml({ args, block }: MethodCall): Value {
  const [text, named = new PuppetHash()] = args;
  if (block || args.length > 2 || !(named instanceof PuppetHash)) return fallBack('arguments');
  const { symbols, regexps } = readOptions(named, assertText(text));
  const key = `${symbols ? 's' : ''}${regexps ? 'r' : ''}:${assertText(text)}`;
  const known = parsed.get(key) ?? new ParsedYaml(parse(assertText(text), symbols, regexps));
  parsed.set(key, known);
  return copyData(known.value, new Map());
}

/** Copies data, for code may change it; an alias stays the same container as its anchor. */
function copyData(value: Value, copies: Map<Value, Value>): Value {
  const isArray = Array.isArray(value);
  if (!isArray && !(value instanceof PuppetHash)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const copy: Value[] | PuppetHash = isArray ? [] : new PuppetHash();
  copies.set(value, copy);
  if (value instanceof PuppetHash && copy instanceof PuppetHash)
    for (const [key, item] of value) copy.set(copyData(key, copies), copyData(item, copies));
  else if (isArray && Array.isArray(copy)) for (const item of value) copy.push(copyData(item, copies));
  return copy;
}

/** Reads the named arguments; without `aliases`, Psych refuses them. */
function readOptions(named: PuppetHash, text: string): { readonly symbols: boolean; readonly regexps: boolean } {
  let areAliasesRead = false;
  let classes: readonly Value[] = [];
  for (const [key, value] of named) {
    const name = key instanceof RubySymbol ? key.name : '';
    if (name === 'aliases') areAliasesRead = value === true;
    else if (name === 'permitted_classes' && Array.isArray(value)) classes = value;
    else if (name !== 'filename') fallBack(`the option ${name}`);
  }
  if (!areAliasesRead && text.includes('*')) fallBack('aliases');
  const allows = (name: string): boolean => classes.some((one) => one instanceof RubyClass && one.name === name);
  return { symbols: allows('Symbol'), regexps: allows('Regexp') };
}

function parse(text: string, symbols: boolean, regexps: boolean): Value {
  try {
    return parseYaml(text, { symbols, regexps }) ?? null;
  } catch (error) {
    if (error instanceof YamlLoadError) return fallBack(error.message);
    throw error;
  }
}
