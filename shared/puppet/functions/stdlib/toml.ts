/**
 * Prints hashes as TOML. Follows the dumper of puppetlabs-stdlib
 * (lib/puppet_x/stdlib/toml_dumper.rb).
 */

import { inspectString } from '../../ruby-core/ruby-inspect.ts';
import { compareStrings } from '../../ruby-core/ruby-string.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { Timestamp } from '../../types/time/timestamp.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import type { Value } from '../../types/values/values.ts';

export function printToml(hash: PuppetHash): string {
  return printTable(hash, []);
}

function printTable(hash: PuppetHash, path: readonly string[]): string {
  const hasOwn = hash.size === 0 || [...hash.values()].some(isSimple);
  return (path.length > 0 && hasOwn ? `[${path.join('.')}]\n` : '') + printPairs(hash, path);
}

/** Prints simple values, then tables, then arrays of tables, each sorted by key. */
function printPairs(hash: PuppetHash, path: readonly string[]): string {
  const entries = [...hash]
    .map(([key, value]) => [rubyToS(key), value] as const)
    .sort(([left], [right]) => compareStrings(left, right));
  return [
    ...entries.map(([key, value]) => (isSimple(value) ? `${keyText(key)} = ${printLiteral(value)}\n` : '')),
    ...entries.map(([key, value]) => (value instanceof PuppetHash ? printTable(value, [...path, keyText(key)]) : '')),
    ...entries.map(([key, value]) => (isTableArray(value) ? tableArray(value, [...path, keyText(key)]) : '')),
  ].join('');
}

function isSimple(value: Value): boolean {
  return !(value instanceof PuppetHash) && !isTableArray(value);
}

function isTableArray(value: Value): value is readonly Value[] {
  return Array.isArray(value) && value[0] instanceof PuppetHash;
}

function tableArray(elements: readonly Value[], path: readonly string[]): string {
  return elements
    .map((element) => `[[${path.join('.')}]]\n${element instanceof PuppetHash ? printPairs(element, path) : ''}`)
    .join('');
}

function keyText(key: string): string {
  return /(?<![^\n])[a-zA-Z0-9_-]*(?![^\n])/.test(key) ? key : `"${key.replaceAll('"', '\\"')}"`;
}

function printLiteral(value: Value): string {
  if (value instanceof Timestamp) return value.format('%FT%TZ');
  if (value instanceof PuppetRegexp) return inspectString(value.inspect());
  return typeof value === 'string' ? inspectString(value).replace(/\\(?=#[$@{])/g, '') : inspectRuby(value);
}
