import { PuppetError } from '../errors/puppet-error.ts';
import type { Value } from '../types/values.ts';
import { Collector } from './collector.ts';
import type { CompileState } from './compile-state.ts';
import type { DeclaredResource } from './declared-resource.ts';
import { type Reference, referenceOf } from './references.ts';

/** `source -> target`, kept until the catalog is complete. Puppet: lib/puppet/parser/relationship.rb */
export interface Relationship {
  readonly source: Value;
  readonly target: Value;
  readonly kind: 'before' | 'notify';
}

/** Adds to `before` or `notify` of each source what the relationship says. */
export function evaluateRelationships(state: CompileState): void {
  for (const { source, target, kind } of state.relationships) {
    for (const from of sources(source)) for (const to of targets(target)) connect(state, from, to, kind);
  }
}

/** Left of an arrow, a collector that collected nothing is as good as what is left of it. */
function sources(value: Value): readonly Reference[] {
  if (!(value instanceof Collector)) return references([value]);
  if (value.collected.size > 0) return collected(value);
  const { alternative } = value;
  if (alternative === null) return [];
  const [only] = alternative;
  return alternative.length === 1 && only instanceof Collector ? sources(only) : references(alternative);
}

function targets(value: Value): readonly Reference[] {
  return value instanceof Collector ? collected(value) : references([value]);
}

function collected(collector: Collector): readonly DeclaredResource[] {
  return [...collector.collected.values()];
}

function references(values: readonly Value[]): readonly Reference[] {
  return values.flatMap((value) => referenceOf(value) ?? []);
}

function connect(state: CompileState, source: Reference, target: Reference, kind: 'before' | 'notify'): void {
  const from = `${source.type}[${source.title}]`;
  const to = `${target.type}[${target.title}]`;
  const resource = state.find(source.type, source.title);
  if (!resource) throw new PuppetError(`Could not find resource '${from}' for relationship on '${to}'`);
  if (!state.find(target.type, target.title)) {
    throw new PuppetError(`Could not find resource '${to}' for relationship from '${from}'`);
  }
  const current = resource.valueOf(kind) ?? null;
  const list: readonly Value[] = Array.isArray(current) ? current : current === null ? [] : [current];
  const parameter = resource.parameters.get(kind);
  const value = [...list, to];
  if (parameter) resource.set({ ...parameter, value });
  else resource.setValue(kind, value);
}
