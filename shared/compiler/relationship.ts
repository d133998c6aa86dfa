import { PuppetError } from '../errors/puppet-error.ts';
import { ClassType, ResourceType } from '../types/catalog-types.ts';
import type { Value } from '../types/values.ts';
import { Collector } from './collector.ts';
import { type CompileState, classTitle, referenceTypeName } from './compile-state.ts';
import type { DeclaredResource } from './declared-resource.ts';

/** `source -> target`, kept until the catalog is complete. Puppet: lib/puppet/parser/relationship.rb */
export interface Relationship {
  readonly source: Value;
  readonly target: Value;
  readonly kind: 'before' | 'notify';
}

/** A reference as messages and catalogs show it, and what to look for. */
export interface Reference {
  readonly type: string;
  readonly title: string;
}

/** The resource that a type stands for; null when it is no reference to a resource. */
export function referenceOf(value: Value): Reference | null {
  if (value instanceof ClassType) {
    const { className } = value;
    return className === null ? null : { type: 'Class', title: classTitle(withoutColons(className)) };
  }
  if (!(value instanceof ResourceType) || value.typeName === null) return null;
  const type = referenceTypeName(value.typeName);
  if (value.title === null) return null;
  return { type, title: type === 'Class' ? classTitle(withoutColons(value.title)) : value.title };
}

/** `Type[title]` for a value that refers to a resource, or to all of a type (`Type[]`); null for any other. */
export function referenceText(value: Value): string | null {
  if (value instanceof ClassType) {
    return value.className === null ? null : `Class[${classTitle(withoutColons(value.className))}]`;
  }
  if (!(value instanceof ResourceType) || value.typeName === null) return null;
  const { type, title } = referenceOf(value) ?? { type: referenceTypeName(value.typeName), title: '' };
  return `${type}[${title}]`;
}

function withoutColons(name: string): string {
  return name.startsWith('::') ? name.slice(2) : name;
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
