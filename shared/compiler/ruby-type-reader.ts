import type { ResourceAttribute, ResourceTypeInfo, TitlePattern } from '../evaluator/ports.ts';

const DECLARATION = /\bnew(param|property)\s*\(?\s*[:'"](\w+)/;
const NAMEVAR = /\bisnamevar\b|\bnamevar(?::|\s*=>)\s*true|(?::namevar\s*=>|namevar:)\s*true/;
const API_ATTRIBUTE = /^\s*[:'"]?(\w+)['"]?\s*(?::|=>)\s*\{/;

/**
 * What can be told of a resource type from the text of its Ruby definition: attributes, namevars, title patterns. Reads
 * `Puppet::Type.newtype` blocks and `Puppet::ResourceApi.register_type` hashes.
 */
export function readRubyType(name: string, source: string): ResourceTypeInfo {
  const code = withoutComments(source);
  const { attributes, namevars } = code.includes('ResourceApi.register_type')
    ? readApiType(code)
    : readClassicType(code);
  const keys = namevars.length > 0 ? namevars : ['name'];
  const patterns = readTitlePatterns(code);
  return {
    name,
    attributes: [...attributes, { name: 'provider', kind: 'parameter' }],
    namevars: keys,
    titlePatterns: patterns.length > 0 ? patterns : null,
    isomorphic: !/@isomorphic\s*=\s*false/.test(code),
    kind: 'compilable_type',
  };
}

interface Attributes {
  readonly attributes: readonly ResourceAttribute[];
  readonly namevars: readonly string[];
}

function withoutComments(source: string): string {
  return source
    .replace(/^=begin\b[\s\S]*?^=end\b.*$/gm, '')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n');
}

function readClassicType(code: string): Attributes {
  const attributes: ResourceAttribute[] = [];
  const namevars = new Set<string>();
  if (/^\s*ensurable\b/m.test(code)) attributes.push({ name: 'ensure', kind: 'property' });
  let current = '';
  for (const line of code.split('\n')) {
    const declaration = DECLARATION.exec(line);
    if (declaration) {
      current = declaration[2] ?? '';
      attributes.push({ name: current, kind: declaration[1] === 'property' ? 'property' : 'parameter' });
    }
    if (current !== '' && (NAMEVAR.test(line) || (declaration && current === 'name'))) namevars.add(current);
  }
  return { attributes, namevars: [...namevars] };
}

/** `attributes: { name: { type: ..., behaviour: :namevar }, ... }` */
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

const PATTERN = /(?:%r\{((?:\\.|[^}\\])*)\}|\/((?:\\.|[^/\\\n])+)\/)([mix]*)\s*,\s*\[((?:[^[\]]|\[[^[\]]*\])*)\]/g;

function readTitlePatterns(code: string): TitlePattern[] {
  const start = code.search(/def\s+self\.title_patterns|\btitle_patterns(?::|\s*=>)/);
  if (start < 0) return [];
  const body = code.slice(start).split(/^\s{0,2}end\b/m)[0] ?? '';
  return [...body.matchAll(PATTERN)].map((match) => {
    const [, braced, slashed, flags = '', groups = ''] = match;
    const pattern = braced ?? slashed ?? '';
    return {
      pattern: flags === '' ? pattern : `(?${flags}:${pattern})`,
      groups: [...groups.matchAll(/\[\s*:(\w+)/g)].map((group) => group[1] ?? ''),
    };
  });
}
