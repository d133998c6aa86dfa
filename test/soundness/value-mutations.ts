import type { ExportedResource } from '../../shared/puppet/catalog/exported.ts';
import type { Classification } from '../../shared/store/ports/node-record.ts';
import type { Outcome, Plain, State } from './subject.ts';

/** A change of one thing that a catalog may depend on. */
export interface Mutation {
  readonly kind: string;
  readonly name: string;
  readonly state: State;
}

type Hash = { readonly [key: string]: Plain };

/** Changes of the values, types and order of facts, and of facts that were looked for in vain. */
export function* mutateFacts(state: State, { inputs }: Outcome): Generator<Mutation> {
  for (const [path, value] of leavesOf(state.facts, [])) {
    const name = path.join('.');
    yield fact('fact value', name, state, path, () => otherValue(value));
    yield fact('fact removed', name, state, path, () => undefined);
    yield fact('fact type', name, state, path, () => [value]);
    yield fact('fact undef', name, state, path, () => null);
  }
  for (const [path, value] of hashesOf(state.facts, [])) {
    const name = path.join('.');
    const entries = Object.entries(value);
    yield fact('fact with a new key', name, state, path, () => ({ ...value, soundness_new: 'x' }));
    if (entries.length > 1) {
      yield fact('order of a fact', name, state, path, () => Object.fromEntries(entries.toReversed()));
    }
  }
  for (const key of Object.keys(inputs.facts)) {
    const path: readonly string[] = JSON.parse(key);
    if (inputs.facts[key] !== '-' || path.length === 0) continue;
    yield fact('fact looked for in vain', path.join('.'), state, path, () => 'found');
  }
}

function fact(
  kind: string,
  name: string,
  state: State,
  path: readonly string[],
  change: () => Plain | undefined,
): Mutation {
  return { kind, name, state: { ...state, facts: replaceAt(state.facts, path, change()) } };
}

function otherValue(value: Plain): Plain {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : `${String(value)}x`;
}

function isHash(value: Plain | undefined): value is Hash {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* leavesOf(hash: Hash, path: readonly string[]): Generator<readonly [path: readonly string[], value: Plain]> {
  for (const [key, value] of Object.entries(hash)) {
    if (isHash(value)) yield* leavesOf(value, [...path, key]);
    else yield [[...path, key], value];
  }
}

function* hashesOf(hash: Hash, path: readonly string[]): Generator<readonly [path: readonly string[], value: Hash]> {
  yield [path, hash];
  for (const [key, value] of Object.entries(hash)) if (isHash(value)) yield* hashesOf(value, [...path, key]);
}

/** The hash with another value at a path, in its place; undefined removes the key. */
function replaceAt(hash: Hash, path: readonly string[], value: Plain | undefined): Hash {
  const [key, ...rest] = path;
  if (key === undefined) return isHash(value) ? value : hash;
  const old = hash[key];
  const next = rest.length === 0 ? value : replaceAt(isHash(old) ? old : {}, rest, value);
  const entries = Object.entries(key in hash ? hash : { ...hash, [key]: null });
  return Object.fromEntries(
    entries.flatMap(([name, item]): [string, Plain][] => {
      if (name !== key) return [[name, item]];
      return next === undefined ? [] : [[name, next]];
    }),
  );
}

/** Changes of what other nodes export. */
export function* mutateExports(state: State): Generator<Mutation> {
  const { exports } = state;
  for (const [index, one] of exports.entries()) {
    const name = `${one.type}[${one.title}]`;
    const changed = (kind: string, ...others: readonly ExportedResource[]): Mutation => {
      return { kind, name, state: { ...state, exports: exports.toSpliced(index, 1, ...others) } };
    };
    yield changed('export removed');
    yield changed('export added', one, { ...one, title: `${one.title}-more` });
    yield changed('export retitled', { ...one, title: `${one.title}-other` });
    yield changed('export with another parameter', { ...one, parameters: { ...one.parameters, noop: true } });
    yield changed('export with another tag', { ...one, tags: [...one.tags, 'soundness'] });
    yield changed('export without tags', { ...one, tags: [] });
    yield changed('exporter renamed', { ...one, certname: `zz-${one.certname}` });
  }
  if (exports.length > 1) {
    yield { kind: 'order of exports', name: 'all', state: { ...state, exports: exports.toReversed() } };
  }
}

function isNames(classes: Classification['classes']): classes is readonly string[] {
  return Array.isArray(classes);
}

/** Changes of the classification. */
export function* mutateClassification(state: State): Generator<Mutation> {
  const { classification } = state;
  if (!classification) return;
  const changed = (name: string, change: Partial<typeof classification>): Mutation => {
    return { kind: 'classification', name, state: { ...state, classification: { ...classification, ...change } } };
  };
  const { classes, parameters } = classification;
  const reverse = <T>(hash: Readonly<Record<string, T>>) => Object.fromEntries(Object.entries(hash).toReversed());
  yield changed('order of classes', {
    classes: isNames(classes) ? classes.toReversed() : reverse(classes),
  });
  yield changed('no classes', { classes: [] });
  yield changed('order of parameters', { parameters: reverse(parameters) });
  yield changed('a parameter more', { parameters: { ...parameters, soundness: 1 } });
  for (const name of Object.keys(parameters)) {
    yield changed(`parameter ${name}`, { parameters: { ...parameters, [name]: 'other' } });
  }
  yield { kind: 'classification', name: 'none', state: { ...state, classification: null } };
}
