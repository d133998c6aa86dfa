/**
 * Puppet code that renders a template with variables of many kinds, made from what the template
 * names.
 */
import { openDirectoryEnvironment } from '../../shared/puppet/environment/directory-environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';

/**
 * Files of templates in the modules of a control repo, by `module/path` as `template` names them.
 */
export function templatesOf(repo: string): ReadonlyMap<string, string> {
  const environment = openDirectoryEnvironment(repo, 'production', NO_RECORDER);
  const found = new Map<string, string>();
  const collect = (folder: string, name: string): void => {
    for (const entry of environment.list(folder) ?? []) {
      const path = `${folder}/${entry}`;
      if (environment.kindOf(path) === 'directory') collect(path, `${name}/${entry}`);
      else if (entry.endsWith('.erb')) found.set(`${name}/${entry}`, path);
    }
  };
  for (const module of environment.listModules()) collect(`${module.root}/templates`, module.name);
  return found;
}

/** How the values of a template's variables are chosen. */
export const PROFILES = ['used', 'strings', 'undef', 'collections'] as const;
export type Profile = (typeof PROFILES)[number];

/** Set by Puppet itself, or by the facts. */
const RESERVED: ReadonlySet<string> = new Set([
  'name',
  'title',
  'module_name',
  'caller_module_name',
  'facts',
  'trusted',
  'server_facts',
]);
const STRINGS = ["'value'", "'10'", "'/etc/a b'", "'true'", "'Línea'", "''"];
const HASHES = [
  "{ 'one' => 'first', 'two' => 'second' }",
  "{ 'b' => { 'x' => 1, 'y' => ['p', 'q'] }, 'a' => { 'x' => 2 } }",
  "{ 'key' => ['v1', 'v2'], 'other' => true, 'none' => undef }",
];
const ARRAYS = ["['b', 'a']", "['10.0.0.1:80', '10.0.0.2']", "[{ 'name' => 'x', 'port' => 1 }]", '[]'];

/** The code; its `Notify[out]` has what the template gives. */
export function renderingCode(template: string, text: string, profile: Profile): string {
  const locals = unique(text.matchAll(/(?<!@)@([a-z_]\w*)/g)).filter((name) => !RESERVED.has(name));
  const looked = unique(text.matchAll(/scope(?:\.lookupvar\(|\[|\.to_hash\[)\s*['":](?:::)?([\w:]+)/g));
  const classes = Map.groupBy(
    looked.filter((name) => name.includes('::') && !/^::|::$/.test(name)),
    (name) => name.slice(0, name.lastIndexOf('::')),
  );
  const own = [...new Set([...locals, ...looked.filter((name) => /^[a-z_]\w*$/.test(name) && !RESERVED.has(name))])];
  const lines = [...classes].map(([name, names]) => {
    const variables = names.map((full) => assignment(full.slice(name.length + 2), text, profile));
    return `class ${name} { ${variables.join(' ')} }\ninclude ${name}`;
  });
  const body = own.map((name) => assignment(name, text, profile)).join('\n  ');
  lines.push(
    `class rendering {\n  ${body}\n  notify { 'out': message => template('${template}') }\n}\ninclude rendering`,
  );
  return lines.join('\n');
}

function assignment(name: string, text: string, profile: Profile): string {
  return `$${name} = ${value(name, text, profile)}`;
}

function value(name: string, text: string, profile: Profile): string {
  const turn = [...name].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9973, 7);
  const pick = (list: readonly string[]): string => list[turn % list.length] ?? '';
  if (profile === 'undef') return 'undef';
  if (profile === 'strings') return pick(STRINGS);
  if (profile === 'collections') return turn % 2 === 0 ? pick(HASHES) : pick(ARRAYS);
  const use = (pattern: string): boolean => new RegExp(`(?:@|['":])${name}\\b['"]?[\\])]*${pattern}`).test(text);
  const pairs = String.raw`(?:\.sort\w*(?:\s*\{[^}]*\})?|\.to_a)?\.(?:each|map|collect|select|reject|each_pair|sort_by)\s*(?:do|\{)\s*\|\s*\(?\w+\s*,`;
  if (use(pairs) || use(String.raw`\.(?:keys|values|each_pair|key\?|has_key\?)|\[['":]`))
    return pick(HASHES.slice(0, 2));
  if (use(String.raw`\.(?:each|map|join|flatten|collect|sort|uniq|first|last|compact|each_with_index|any\?)\b`)) {
    return pick(ARRAYS.slice(0, 2));
  }
  if (use(String.raw`\.to_i\b|\s*[-+*<>]=?\s*\d`)) return String(turn % 100);
  return pick(STRINGS);
}

function unique(matches: Iterable<RegExpMatchArray>): string[] {
  return [...new Set([...matches].map((match) => match[1] ?? ''))].filter((name) => name !== '');
}
