import { RuntimeType } from '../types/runtime-type.ts';
import { BytesText } from '../types/values/bytes-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { InternalValue, type Value } from '../types/values/values.ts';
import {
  parseYamlDocument,
  type YamlMapping,
  type YamlNode,
  type YamlScalar,
  type YamlSequence,
} from './yaml-nodes.ts';
import { DisallowedClass, readPlainScalar } from './yaml-plain.ts';
import { YamlSyntaxError } from './yaml-tokens.ts';

const SYMBOL = new RuntimeType('ruby', 'Symbol');

/** A Ruby symbol (`:name`), which only YAML brings in. */
export class RubySymbol extends InternalValue {
  /** The name of the class in messages. */
  static override readonly name = 'Symbol';
  readonly name: string;
  readonly type = SYMBOL;

  constructor(name: string) {
    super();
    this.name = name;
  }

  equalityKey(): string {
    return `symbol:${this.name}`;
  }

  override toString(): string {
    return this.name;
  }
}

interface YamlOptions {
  /** The file's path, shown in errors. */
  readonly file?: string;
  /** Reads `:name` as a RubySymbol; otherwise it is an error. */
  readonly symbols?: boolean;
  /**
   * Reads `!ruby/regexp` as a PuppetRegexp, if it has no options and no slash; otherwise it is an
   * error.
   */
  readonly regexps?: boolean;
}

/** Thrown for a text that cannot be read, with the text of Puppet::Util::Yaml::YamlLoadError. */
export class YamlLoadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'YamlLoadError';
  }
}

/**
 * Parses the first document of a YAML text like `Puppet::Util::Yaml.safe_load`; `undefined` for an
 * empty document (Puppet's `false`). Mappings become PuppetHash, integers bigint. Throws
 * YamlLoadError.
 */
export function parseYaml(text: string, options: YamlOptions = {}): Value | undefined {
  const file = options.file ?? '<unknown>';
  try {
    const root = parseYamlDocument(text);
    const value = root && new YamlBuilder(options).build(root);
    return value ?? undefined;
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof DisallowedClass) {
      throw new YamlLoadError(`(${file}): ${error.message}`);
    }
    if (error instanceof Error) throw new YamlLoadError(error.message);
    throw error;
  }
}

/** Converts nodes to values as psych/visitors/to_ruby.rb does for `safe_load`. */
class YamlBuilder {
  readonly #options: YamlOptions;
  readonly #anchors = new Map<string, Value>();

  constructor(options: YamlOptions) {
    this.#options = options;
  }

  build(node: YamlNode): Value {
    if (node.kind === 'alias') {
      const value = this.#anchors.get(node.name);
      if (value === undefined) throw new Error(`Unknown alias: ${node.name}`);
      return value;
    }
    const value = this.#buildContent(node);
    if (node.anchor !== null) this.#anchors.set(node.anchor, value);
    return value;
  }

  #buildContent(node: YamlScalar | YamlSequence | YamlMapping): Value {
    if (node.kind === 'scalar') return this.#buildScalar(node);
    if (node.kind === 'sequence') return this.#buildSequence(node);
    const className = node.tag === null ? null : findMappingClass(node.tag);
    if (className !== null) throw new DisallowedClass(className);
    return this.#buildMapping(node);
  }

  #buildScalar(node: YamlScalar): Value {
    const { tag, value } = node;
    const plain = (text: string) => readPlainScalar(text, (name) => this.#createSymbol(name));
    if (tag === null || tag === '!') return node.plain ? plain(value) : value;
    if (tag === 'tag:yaml.org,2002:str') return value;
    if (tag === '!binary' || tag === 'tag:yaml.org,2002:binary')
      return BytesText.fromBytes(Buffer.from(value, 'base64'));
    if (/^!ruby\/sym(bol)?:?/.test(tag)) return this.#createSymbol(value);
    if (tag === '!float' || tag === 'tag:yaml.org,2002:float') return Number(plain(value));
    const string = /^!(?:str|ruby\/string)(?::(.*))?$/.exec(tag);
    if (string?.[1]) throw new DisallowedClass(string[1]);
    if (string) return value;
    const className = scalarClass(tag, value);
    const pattern = className === 'Regexp' && this.#options.regexps ? /^\/([^/\n]*)\/$/.exec(value) : null;
    if (pattern) return new PuppetRegexp(String(pattern[1]));
    if (className !== null) throw new DisallowedClass(className);
    return plain(value);
  }

  #createSymbol(name: string): Value {
    if (!this.#options.symbols) throw new DisallowedClass('Symbol');
    return new RubySymbol(name);
  }

  #buildSequence(node: YamlSequence): Value {
    const [, className] = /^!(?:seq|ruby\/array):(.*)$/.exec(node.tag ?? '') ?? [];
    if (className) throw new DisallowedClass(className);
    const items = node.items.map((item) => this.build(item));
    if (node.tag !== '!omap' && node.tag !== 'tag:yaml.org,2002:omap') return items;
    return items.reduce<PuppetHash>(
      (map, item) => (item instanceof PuppetHash ? map.merge(item) : map),
      new PuppetHash(),
    );
  }

  #buildMapping(node: YamlMapping): PuppetHash {
    const hash = new PuppetHash();
    if (node.anchor !== null) this.#anchors.set(node.anchor, hash);
    for (const [keyNode, valueNode] of node.pairs) {
      const key = this.build(keyNode);
      const value = this.build(valueNode);
      const merges = key === '<<' && !(keyNode.kind === 'scalar' && keyNode.tag === 'tag:yaml.org,2002:str');
      if (!merges || !mergeInto(hash, value, valueNode)) hash.set(key, value);
    }
    return hash;
  }
}

/** Merges the value of `<<: value`; returns false when the value cannot be merged. */
function mergeInto(hash: PuppetHash, value: Value, node: YamlNode): boolean {
  const sources = node.kind === 'sequence' && Array.isArray(value) ? [...value].reverse() : [value];
  if (node.kind === 'scalar' || !sources.every((source) => source instanceof PuppetHash)) return false;
  for (const source of sources) {
    for (const [key, item] of source.entries()) hash.set(key, item);
  }
  return true;
}

function scalarClass(tag: string, value: string): string | null {
  const [, objectClass] = /^!ruby\/object:(.*)$/.exec(tag) ?? [];
  if (objectClass !== undefined) return objectClass;
  if (tag === '!ruby/class' || tag === '!ruby/module') return value;
  if (tag === '!ruby/regexp') return 'Regexp';
  return tag === '!ruby/range' ? 'Range' : null;
}

function findMappingClass(tag: string): string | null {
  if (tag === '!set' || tag === 'tag:yaml.org,2002:set') return 'Psych::Set';
  if (tag === '!omap' || tag === 'tag:yaml.org,2002:omap') return 'Psych::Omap';
  if (tag === '!ruby/range') return 'Range';
  const [, kind, name] = /^!ruby\/(object|struct|exception|array|hash|marshalable):?(.*)$/.exec(tag) ?? [];
  if (kind === 'object' && name === 'Hash') return null;
  if (kind !== undefined) return name || { object: 'Object', struct: 'Struct', exception: 'Exception' }[kind] || null;
  return /^!map:(.+)$/.exec(tag)?.[1] ?? null;
}
