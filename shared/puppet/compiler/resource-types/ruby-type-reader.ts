import type { RubyError } from '../../errors/ruby-error.ts';
import type { ResourceAttribute, ResourceTypeInfo } from '../../evaluator/ports.ts';
import { loadRequiredCode, type RubyLibrary, rubyMethod, withoutComments } from '../ruby-code.ts';
import { hasEmptyDefault } from './plain-type-definition.ts';
import { readTitlePatterns } from './ruby-title-patterns.ts';

const NAMEVAR = /\bisnamevar\b|\bnamevar(?::|\s*=>)\s*true|(?::namevar\s*=>|namevar:)\s*true/;
const API_ATTRIBUTE = /^\s*[:'"]?(\w+)['"]?\s*(?::|=>)\s*\{/;

/**
 * Reads a resource type from the text of its Ruby definition and of required code: attributes,
 * namevars, title patterns. Supports `Puppet::Type.newtype` blocks and
 * `Puppet::ResourceApi.register_type` hashes.
 */
export function readRubyType(
  name: string,
  source: string,
  library: RubyLibrary = () => null,
): Omit<ResourceTypeInfo, 'hasProviders'> {
  const own = withoutComments(source);
  const required = loadRequiredCode(own, library);
  const code = withMixins(own, required);
  const { attributes, namevars } = code.includes('ResourceApi.register_type')
    ? readApiType(code)
    : readClassicType(code);
  return {
    name,
    attributes,
    namevars,
    titlePatterns: readTitlePatterns(code, required) ?? (namevars.length === 0 ? [] : null),
    isomorphic: !/@isomorphic\s*=\s*false/.test(code),
    kind: 'compilable_type',
  };
}

/** Errors of features that our Ruby lacks and a Puppet Server may have. */
const LACKING: ReadonlySet<string> = new Set(['LoadError', 'NotImplementedError', 'Understudy::Unavailable']);

/**
 * Reads a type whose code failed because our Ruby lacks what it needs. Null for other failures, and
 * for a text without a namevar, since code that did not run declares that type, and for a text that
 * Puppet refuses.
 */
export function readTypeThatFailed(
  { rubyClass }: RubyError,
  name: string,
  source: string,
  library: RubyLibrary,
): ReturnType<typeof readRubyType> | null {
  if (!LACKING.has(rubyClass) || hasEmptyDefault(withoutComments(source))) return null;
  const type = readRubyType(name, source, library);
  return type.namevars.length > 0 ? type : null;
}

interface Attributes {
  readonly attributes: readonly ResourceAttribute[];
  readonly namevars: readonly string[];
}

/** Inlines the bodies of methods that the type gets from a mixin. */
function withMixins(code: string, required: string): string {
  if (!/^\s*(?:self\.)?(?:extend|include)\b/m.test(code)) return code;
  return code.replace(/^[ \t]+([a-z_]\w*)[ \t]*$/gm, (line, name: string) => {
    const body = RESERVED.has(name) ? null : (rubyMethod(required, name)?.body ?? null);
    return body?.match(DECLARES) ? body : line;
  });
}

const RESERVED: ReadonlySet<string> = new Set(['end', 'else', 'begin', 'ensure', 'rescue', 'ensurable', 'isnamevar']);
const DECLARES = /\bnew(?:param|property)\b|\bensurable\b/;
const WRAPPER = /^[ \t]*def self\.(\w+)[ (]+(\w+)/gm;
const LOOP = /(?:\[([^\]]*)\]|%[wi][[({<]([^\])}>]*)[\])}>])\s*\.each\s*(?:do|\{)\s*\|\s*(\w+)/g;

/** Finds the type's methods that declare the attribute named in their argument, with its kind. */
function findDeclaringMethods(code: string): Map<string, ResourceAttribute['kind']> {
  const methods = new Map<string, ResourceAttribute['kind']>([
    ['newparam', 'parameter'],
    ['newproperty', 'property'],
  ]);
  for (const [, name = '', parameter = ''] of code.matchAll(WRAPPER)) {
    const inner = new RegExp(`\\bnew(param|property)\\s*\\(?\\s*${parameter}\\b`).exec(
      rubyMethod(code, name)?.body ?? '',
    );
    if (inner) methods.set(name, inner[1] === 'property' ? 'property' : 'parameter');
  }
  return methods;
}

/** Reads a `newtype` block. Only parameters can be namevars. */
function readClassicType(code: string): Attributes {
  const attributes: ResourceAttribute[] = [];
  const namevars = new Set<string>();
  if (/^\s*ensurable\b/m.test(code)) attributes.push({ name: 'ensure', kind: 'property' });
  const methods = findDeclaringMethods(code);
  const declaration = new RegExp(`\\b(${[...methods.keys()].join('|')})\\b\\s*\\(?\\s*([:'"]?)(\\w+)`);
  const loops = new Map<string, readonly string[]>();
  let current: readonly string[] = [];
  let isParameter = false;
  for (const line of findJoinedLists(code)) {
    for (const [, list, words, variable = ''] of line.matchAll(LOOP)) {
      loops.set(variable, (list ?? words ?? '').match(/\w+/g) ?? []);
    }
    const [, method, quote, word = ''] = declaration.exec(line) ?? [];
    if (method !== undefined && !/\bdef\b/.test(line)) {
      const kind = methods.get(method) ?? 'parameter';
      current = quote === '' ? (loops.get(word) ?? []) : [word];
      isParameter = kind === 'parameter';
      attributes.push(...current.map((name) => ({ name, kind })));
      if (isParameter && current.includes('name')) namevars.add('name');
    }
    if (isParameter && NAMEVAR.test(line)) for (const name of current) namevars.add(name);
  }
  return { attributes, namevars: [...namevars] };
}

/** Splits code into lines; a list across several lines becomes one line. */
function findJoinedLists(code: string): string[] {
  return code.replace(/\[\s*(?::\w+\s*,?\s*)+\]/g, (list) => list.replaceAll('\n', ' ')).split('\n');
}

/** Reads a hash `attributes: { name: { type: ..., behaviour: :namevar }, ... }`. */
function readApiType(code: string): Attributes {
  const attributes: ResourceAttribute[] = [];
  const namevars: string[] = [];
  const start = code.search(/\battributes(?::|\s*=>)\s*\{/);
  let depth = 0;
  let current = '';
  for (const line of code.slice(Math.max(start, 0)).split('\n')) {
    const declaration = depth === 1 ? API_ATTRIBUTE.exec(line) : null;
    if (declaration) {
      current = declaration[1] ?? '';
      attributes.push({ name: current, kind: 'property' });
    }
    if (/behaviou?r(?::|\s*=>)\s*:namevar/.test(line)) namevars.push(current);
    depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length;
    if (depth <= 0) break;
  }
  return { attributes, namevars };
}
