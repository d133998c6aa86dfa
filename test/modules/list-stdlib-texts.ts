/**
 * `node test/modules/list-stdlib-texts.ts CLONE` writes
 * `shared/puppet/functions/stdlib/known-texts.json` from the tags of a clone of puppetlabs-stdlib:
 * the digests of the texts of each function that mean the same as the text its built-in was judged
 * against. Two texts mean the same when they differ only in comments, documentation, white space
 * and the spelling of symbols as keys.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { functionsOf } from '../../shared/puppet/functions/registry.ts';
import { DIGEST_LENGTH, EDITIONS, type Edition } from '../../shared/puppet/functions/stdlib/known-function.ts';
import { functionsOfEdition } from '../../shared/puppet/functions/stdlib/pack.ts';
import { DEFAULT_LANGUAGE } from '../../shared/puppet/levels/language.ts';

/** The releases that the functions of each edition were judged against. */
const JUDGED: Readonly<Record<Edition, readonly string[]>> = {
  '8': ['v8.5.0'],
  '8.6': ['v8.6.0'],
  '9': ['v9.4.1', 'HEAD', 'v9.7.0'],
};

const FOLDERS = ['lib/puppet/functions', 'lib/puppet/parser/functions'];
const HELPER = 'lib/puppet_x/stdlib/toml_dumper.rb';

const [, , clone = ''] = process.argv;

function git(...args: string[]): string {
  return execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8', maxBuffer: 64 << 20 });
}

/** Paths of the Ruby below `lib` of a release, with the names of their blobs. */
function filesOf(release: string): ReadonlyMap<string, string> {
  const lines = git('ls-tree', '-r', release, 'lib').split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [about = '', path = ''] = line.split('\t');
      return [path, about.split(' ')[2] ?? ''];
    }),
  );
}

const texts = new Map<string, string>();

function textOf(blob: string): string {
  const text = texts.get(blob) ?? git('cat-file', 'blob', blob);
  texts.set(blob, text);
  return text;
}

/** What is left of a text without comments, documentation and layout. */
function meaningOf(text: string): string {
  return text
    .replace(/:?doc(?:\s*=>|:) *<<[-~]?'?(\w+)'?(.*)\n[\s\S]*?\n *\1\b/g, 'doc:$2')
    .replace(/^\s*#.*$/gm, '')
    .replace(/:(\w+)\s*=>\s*/g, '$1: ')
    .replaceAll('"', "'")
    .replace(/\s+|,(?=\s*\))/g, '');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}

function pathsOf(name: string): string[] {
  const file = `${name.replaceAll('::', '/')}.rb`;
  return FOLDERS.map((folder) => `${folder}/${file}`);
}

/** The functions of stdlib that a text calls from Ruby. */
function calledBy(text: string, name: string): string[] {
  const calls = text.matchAll(/\bfunction_(\w+)[([]|\bcall_function\(\s*['":]+([\w:]+)/g);
  const called = new Set([...calls].map(([, old, now]) => old ?? now ?? ''));
  return [...called].filter((one) => one !== name && !functionsOf(DEFAULT_LANGUAGE).has(one));
}

interface Row {
  readonly digests: Map<Edition | 'behind', Set<string>>;
  readonly requires: Set<string>;
}

const rows = new Map<string, Row>();
const releases = git('tag').split('\n').filter(Boolean).concat('HEAD');
const files = new Map(releases.map((release) => [release, filesOf(release)]));

/**
 * Notes the texts of all releases that mean what the judged text means. Where the judged release
 * has the function in both APIs, the text of API 3.x stands behind the other.
 */
function note(edition: Edition, name: string): void {
  const row: Row = rows.get(name) ?? { digests: new Map(), requires: new Set() };
  rows.set(name, row);
  for (const judged of JUDGED[edition]) {
    const paths = pathsOf(name).filter((path) => files.get(judged)?.has(path));
    for (const [index, path] of paths.entries()) noteTexts(row, index === 0 ? edition : 'behind', name, judged, path);
  }
}

function noteTexts(row: Row, group: Edition | 'behind', name: string, judged: string, path: string): void {
  const text = textOf(files.get(judged)?.get(path) ?? '');
  for (const one of calledBy(text, name)) row.requires.add(one);
  for (const blob of new Set(releases.map((release) => files.get(release)?.get(path)))) {
    if (blob === undefined || meaningOf(textOf(blob)) !== meaningOf(text)) continue;
    const digest = digestOf(textOf(blob));
    if ([...row.digests.values()].some((known) => known.has(digest))) continue;
    row.digests.set(group, (row.digests.get(group) ?? new Set()).add(digest));
  }
}

for (const edition of EDITIONS) for (const name of functionsOfEdition(edition).keys()) note(edition, name);
const required = [...rows.values()].flatMap(({ requires }) => [...requires]).filter((name) => !rows.has(name));
for (const edition of EDITIONS) for (const name of required) note(edition, name);

const known = [...rows]
  .filter(([, { digests }]) => digests.size > 0)
  .sort(([left], [right]) => (left < right ? -1 : 1))
  .map(([name, { digests, requires }]) => {
    const groups = ([...EDITIONS, 'behind'] as const).flatMap((group) => {
      const some = digests.get(group);
      return some ? [[group, [...some].sort()] as const] : [];
    });
    const called = [...requires].filter((one) => (rows.get(one)?.digests.size ?? 0) > 0).sort();
    return [
      name,
      Object.fromEntries([...groups, ...(called.length > 0 ? [['requires', called] as const] : [])]),
    ] as const;
  });
const helpers = new Set(
  releases.map((release) => files.get(release)?.get(HELPER)).filter((blob) => blob !== undefined),
);
const judgedHelpers = Object.values(JUDGED)
  .flat()
  .map((release) => meaningOf(textOf(files.get(release)?.get(HELPER) ?? '')));
const dumpers = [...helpers]
  .filter((blob) => judgedHelpers.includes(meaningOf(textOf(blob))))
  .map((blob) => digestOf(textOf(blob)));

const path = join(import.meta.dirname, '../../shared/puppet/functions/stdlib/known-texts.json');
writeFileSync(path, JSON.stringify(Object.fromEntries(known), null, 2));
execFileSync('npx', ['biome', 'format', '--write', path]);
console.log(`${known.length} functions; KNOWN_TOML_DUMPERS: ${dumpers.sort().join(' ')}`);
