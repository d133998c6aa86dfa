import { UNKNOWN_STATE } from '../../fleet/dependencies/part-states.ts';
import type { CollectorRecord } from '../../puppet/catalog/exported.ts';
import { KEYS } from '../../puppet/environment/fact-notes.ts';
import { isKindRecord, PRESENT } from '../../puppet/environment/file-notes.ts';
import type { InputSet } from '../../puppet/environment/inputs.ts';
import { shortenId } from '../../util/short-id.ts';

/**
 * Formats the inputs of a compile for people to read: a heading for each kind, and a line for each
 * input with what the compile saw. `set` is the id of its dependency set.
 */
export function printRecordedInputs(
  inputs: InputSet,
  set: string,
  collectors: readonly Pick<CollectorRecord, 'type' | 'query'>[],
): string {
  const files = Object.entries(inputs.files);
  const sections = [
    printSection('Facts', Object.entries(inputs.facts).map(valueLine)),
    printSection('Trusted facts', Object.entries(inputs.trusted).map(valueLine)),
    printSection(
      'Settings',
      Object.entries(inputs.settings).map(([name, value]) => `${name} = ${value}`),
    ),
    printSection(`Files (dependency set ${shortenId(set)})`, files.filter(([, seen]) => seen !== null).map(fileLine)),
    printSection('Keys of data files', Object.entries(inputs.dataKeys).flatMap(keyLines)),
    printSection(
      'Looked for and not found',
      files.filter(([, seen]) => seen === null).map(([path]) => path),
    ),
    printSection(
      'Collectors',
      collectors.map(({ type, query }) => `${type} ${query === null ? '(all)' : JSON.stringify(query)}`),
    ),
    ...(inputs.queries === undefined ? [] : [printSection('Queries', Object.entries(inputs.queries).map(answerLine))]),
    printSection('Volatile functions', inputs.volatile),
    ...(inputs.currentUntil === null ? [] : [`Current until ${new Date(inputs.currentUntil).toISOString()}\n`]),
  ];
  return sections.join('\n');
}

function printSection(title: string, lines: readonly string[]): string {
  const body = lines.length === 0 ? ['(none)'] : lines;
  return [`${title}:`, ...body.map((line) => `  ${line}`), ''].join('\n');
}

function valueLine([key, seen]: readonly [string, string]): string {
  const path: readonly string[] = JSON.parse(key);
  const name = path.length === 0 ? '(all)' : path.join('.');
  if (seen === '-') return `${name}: absent`;
  if (seen.startsWith(KEYS)) return `${name}: keys ${seen.slice(KEYS.length, KEYS.length + 12)}`;
  if (seen === '{}') return `${name}: a hash`;
  return seen === '+' ? `${name}: present` : `${name}: value ${shortenId(seen)}`;
}

function answerLine([query, digest]: readonly [string, string]): string {
  return `${query}: answer ${shortenId(digest)}`;
}

function fileLine([path, seen]: readonly [string, string | null]): string {
  if (path.endsWith('//mode')) return `${path.slice(0, -'//mode'.length)}: mode ${seen}`;
  if (path.endsWith('//links')) return `${path.slice(0, -'//links'.length)}: symbolic links ${shortenId(seen ?? '')}`;
  if (isKindRecord(seen)) return `${path}: ${seen === PRESENT.directory ? 'a folder' : 'a file'}`;
  if (seen === UNKNOWN_STATE) return path;
  return path.endsWith('/') ? `${path}: names ${shortenId(seen ?? '')}` : `${path}: content ${shortenId(seen ?? '')}`;
}

/** The keys that a file has, each with its value, and the number of those that it lacks. */
function keyLines([path, keys]: readonly [string, Readonly<Record<string, string | null>>]): readonly string[] {
  const found = Object.entries(keys).flatMap(([key, seen]) =>
    seen === null ? [] : [`${key}: value ${shortenId(seen)}`],
  );
  const missing = Object.keys(keys).length - found.length;
  return [`${path}: ${missing} ${missing === 1 ? 'key' : 'keys'} not found`, ...found.map((line) => `  ${line}`)];
}
