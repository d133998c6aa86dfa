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
  const additions: Additions = new Map();
  for (const { source, target, kind } of state.relationships) {
    for (const from of sources(source)) for (const to of targets(target)) connect(state, additions, from, to, kind);
  }
  if (additions.size > 0) for (const resource of state.catalog.resources) applyAdditions(resource, additions);
}

/**
 * What is added to lists. Puppet adds to the list itself: resources that got it from one expression (several titles,
 * a default, a collector's override) all have what was added for one of them (Relationship#mk_relationship).
 */
type Additions = Map<readonly Value[], Value[]>;

interface Operand extends Reference {
  /** As messages show it. */
  readonly text: string;
}

/** Left of an arrow, a collector that collected nothing is as good as what is left of it. */
function sources(value: Value): readonly Operand[] {
  if (!(value instanceof Collector)) return references([value]);
  if (value.collected.size > 0) return collected(value);
  const { alternative } = value;
  if (alternative === null) return [];
  const [only] = alternative;
  if (alternative.length === 1 && only instanceof Collector) return sources(only);
  return references(alternative).map((operand, index) => ({ ...operand, text: String(alternative[index]) }));
}

function targets(value: Value): readonly Operand[] {
  return value instanceof Collector ? collected(value) : references([value]);
}

function collected(collector: Collector): readonly Operand[] {
  return [...collector.collected.values()].map(operandOf);
}

function references(values: readonly Value[]): readonly Operand[] {
  return values.flatMap((value) => {
    const reference = referenceOf(value);
    return reference ? operandOf(reference) : [];
  });
}

function operandOf({ type, title }: Reference): Operand {
  return { type, title, text: `${type}[${title}]` };
}

function connect(
  state: CompileState,
  additions: Additions,
  source: Operand,
  target: Operand,
  kind: Relationship['kind'],
): void {
  const resource = state.find(source.type, source.title);
  if (!resource) throw new PuppetError(`Could not find resource '${source.text}' for relationship on '${target.text}'`);
  if (!state.find(target.type, target.title)) {
    throw new PuppetError(`Could not find resource '${target.text}' for relationship from '${source.text}'`);
  }
  const list = listOf(resource, kind);
  const added = additions.get(list);
  const reference = `${target.type}[${target.title}]`;
  if (added) added.push(reference);
  else additions.set(list, [reference]);
}

/** The list that the parameter holds; it is made one when it is none. */
function listOf(resource: DeclaredResource, kind: Relationship['kind']): readonly Value[] {
  const value = resource.valueOf(kind) ?? null;
  if (Array.isArray(value)) return value;
  const list = value === null ? [] : [value];
  const parameter = resource.parameters.get(kind);
  if (parameter) resource.set({ ...parameter, value: list });
  else resource.setValue(kind, list);
  return list;
}

function applyAdditions(resource: DeclaredResource, additions: Additions): void {
  for (const kind of ['before', 'notify'] as const) {
    const parameter = resource.parameters.get(kind);
    const added = parameter && Array.isArray(parameter.value) ? additions.get(parameter.value) : undefined;
    if (parameter && added) resource.set({ ...parameter, value: [...flatten(parameter.value), ...added] });
  }
}

function flatten(value: Value): readonly Value[] {
  return Array.isArray(value) ? value.flatMap((item: Value) => flatten(item)) : [value];
}
