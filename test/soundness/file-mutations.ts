import { extname } from 'node:path/posix';
import { isKindRecord } from '../../shared/puppet/environment/file-notes.ts';
import { memoryFile } from '../../shared/puppet/environment/memory-tree.ts';
import { printJson } from '../../shared/puppet/serialization/json.ts';
import { parseYaml } from '../../shared/puppet/serialization/yaml.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../shared/puppet/types/values/values.ts';
import type { Outcome, State } from './subject.ts';
import type { Mutation } from './value-mutations.ts';

const BROKEN = 'broken {{{ "\n';
const COMMENTS: Readonly<Record<string, string>> = {
  '.pp': '# a comment\n',
  '.rb': '# a comment\n',
  '.yaml': '# a comment\n',
};

/** Changes of files that the compile read or looked for, one at a time. */
export function* mutateRecordedFiles(state: State, { inputs }: Outcome): Generator<Mutation> {
  for (const [path, seen] of Object.entries(inputs.files)) {
    if (path.startsWith('/') || path.includes('//')) continue;
    if (seen === null) {
      yield changed('file created where one was looked for', path, state, { [path]: BROKEN });
      yield changed('folder created where one was looked for', path, state, { [`${path}/x.pp`]: BROKEN });
    } else if (path.endsWith('/')) {
      yield changed('file added to a listed folder', path, state, { [`${path}soundness_new.pp`]: BROKEN });
    } else if (state.files.has(path)) {
      const comment = COMMENTS[extname(path)];
      if (comment !== undefined)
        yield changed('comment in a file', path, state, { [path]: textOf(state, path) + comment });
      yield changed('file with another content', path, state, { [path]: BROKEN });
      yield changed('file deleted', path, state, { [path]: null });
      yield changed('file turned into a folder', path, state, { [path]: null, [`${path}/x.pp`]: BROKEN });
    } else if (isKindRecord(seen)) {
      const inside = [...state.files.keys()].filter((file) => file.startsWith(`${path}/`));
      const gone = Object.fromEntries(inside.map((file) => [file, null]));
      yield changed('folder deleted', path, state, gone);
      yield changed('folder turned into a file', path, state, { ...gone, [path]: BROKEN });
    }
  }
}

/** All files that the compile did not read are changed, then deleted, at once. */
export function* mutateOtherFiles(state: State, { inputs }: Outcome): Generator<Mutation> {
  const isRecorded = (path: string) => inputs.files[path] !== undefined;
  const others = [...state.files.keys()].filter((path) => !isRecorded(path));
  if (others.length === 0) return;
  const name = `${others.length} files`;
  yield changed('files not read, changed', name, state, Object.fromEntries(others.map((path) => [path, BROKEN])));
  const names = new Set(others.map((path) => path.slice(0, path.lastIndexOf('/') + 1)));
  const added = [...names].filter((folder) => inputs.files[folder] === undefined);
  const made = added.map((folder) => [`${folder}soundness_new.pp`, BROKEN] as const);
  yield changed('files created beside those', `${made.length} files`, state, Object.fromEntries(made));
}

/** Changes of each key of each data file. */
export function* mutateData(state: State): Generator<Mutation> {
  for (const path of state.files.keys()) {
    if (!/\/data\/.*\.yaml$/.test(path)) continue;
    const data = readData(textOf(state, path));
    if (!data) continue;
    const written = (kind: string, name: string, entries: Iterable<readonly [Value, Value]>): Mutation =>
      changed(kind, `${path} ${name}`, state, { [path]: `${printJson(PuppetHash.of([...entries]))}\n` });
    const entries = [...data.entries()];
    yield written('data file written anew', '', entries);
    yield written('key added to data', 'soundness_new', [...entries, ['soundness_new', 1n]]);
    if (entries.length > 1) yield written('order of keys of a data file', '', entries.toReversed());
    for (const [index, [key, value]] of entries.entries()) {
      const name = String(key);
      yield written('data value', name, entries.with(index, [key, otherData(value)]));
      yield written('data value of another type', name, entries.with(index, [key, [value]]));
      yield written('data key removed', name, entries.toSpliced(index, 1));
      if (key === 'lookup_options' && value instanceof PuppetHash) {
        for (const [kind, of, options] of mutateOptions(value)) {
          yield written(kind, `${name} ${of}`, entries.with(index, [key, options]));
        }
      }
      if (value instanceof PuppetHash && value.size > 1) {
        const turned = PuppetHash.of([...value.entries()].toReversed());
        yield written('order inside a data value', name, entries.with(index, [key, turned]));
      }
    }
  }
}

/** Changes of single keys and patterns of lookup_options. */
function* mutateOptions(options: PuppetHash): Generator<readonly [kind: string, name: string, options: PuppetHash]> {
  const entries = [...options.entries()];
  for (const [index, [key, value]] of entries.entries()) {
    const name = String(key);
    yield ['lookup option changed', name, PuppetHash.of(entries.with(index, [key, otherOptions(value)]))];
    yield ['lookup option removed', name, PuppetHash.of(entries.toSpliced(index, 1))];
    yield ['lookup option of no hash', name, PuppetHash.of(entries.with(index, [key, 'x']))];
  }
  for (const name of ['key1', 'hash1', '^key', '^unused', '^(', '%{facts.role}', 'alpha::param']) {
    const added = PuppetHash.of([['convert_to', 'Array']]);
    yield ['lookup option added', name, PuppetHash.of([[name, added], ...entries])];
  }
}

function otherOptions(value: Value): Value {
  const merge = value instanceof PuppetHash ? value.get('merge') : undefined;
  return PuppetHash.of([['merge', merge === 'first' ? 'unique' : 'first']]);
}

function readData(text: string): PuppetHash | null {
  try {
    const data = parseYaml(text);
    return data instanceof PuppetHash ? data : null;
  } catch {
    // A file that does not parse has no keys to change.
    return null;
  }
}

function otherData(value: Value): Value {
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return `${value}x`;
  if (!(value instanceof PuppetHash)) return 'x';
  const [first, ...rest] = [...value.entries()];
  return first ? PuppetHash.of([[first[0], otherData(first[1])], ...rest]) : PuppetHash.of([['x', 1n]]);
}

function textOf({ files }: State, path: string): string {
  return new TextDecoder().decode(files.get(path)?.readBytes());
}

/** The state with these files; null deletes one. */
function changed(kind: string, name: string, state: State, change: Readonly<Record<string, string | null>>): Mutation {
  const files = new Map(state.files);
  for (const [path, text] of Object.entries(change)) {
    if (text === null) files.delete(path);
    else files.set(path, memoryFile(text));
  }
  return { kind, name, state: { ...state, files } };
}
