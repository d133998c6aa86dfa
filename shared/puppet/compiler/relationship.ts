import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Value } from '../types/values/values.ts';
import { Collector } from './collector.ts';
import type { CompileState } from './compile-state.ts';
import type { DeclaredResource } from './declared-resource.ts';
import { parseReference, type Reference, referenceOf, referenceText } from './references.ts';

type Kind = 'before' | 'notify';

/**
 * `sources -> targets`, kept until the catalog is complete. Puppet:
 * lib/puppet/parser/relationship.rb
 */
export interface Relationship {
  readonly sources: readonly Value[];
  readonly targets: readonly Value[];
  readonly kind: Kind;
}

/**
 * What relationships add to lists. Puppet adds to the list itself: resources that got it from one
 * expression (several titles, a default, a collector's override) all have what was added for one of
 * them (Relationship#mk_relationship). A list that a relationship made stands for itself: all that
 * is in it was added, and is known to exist.
 */
export type Additions = ReadonlyMap<readonly Value[], readonly Value[]>;

/** Adds to `before` or `notify` of each source what the relationships say. */
export function evaluateRelationships(state: CompileState): Additions {
  const additions = new Map<readonly Value[], Value[]>();
  for (const relationship of state.relationships) relateAll(state, additions, relationship);
  if (additions.size > 0) for (const resource of state.catalog.resources) applyAdditions(resource, additions);
  return additions;
}

function relateAll(
  state: CompileState,
  additions: Map<readonly Value[], Value[]>,
  { sources, targets, kind }: Relationship,
): void {
  for (const source of sources) {
    for (const target of targets) {
      const from = sourceOperands(source);
      const to = targetOperands(target);
      for (const one of from) for (const other of to) connect(state, additions, one, other, kind);
    }
  }
}

interface Operand extends Reference {
  /** As messages show it, where that is not `Type[title]`. */
  readonly text?: string;
}

const NONE: readonly Operand[] = [];

/** Left of an arrow, a collector that collected nothing is as good as what is left of it. */
function sourceOperands(value: Value): readonly Operand[] {
  if (!(value instanceof Collector)) return listOperands(value);
  if (value.collected.size > 0) return [...value.collected.values()];
  const { alternative } = value;
  if (alternative === null) return NONE;
  const [only] = alternative;
  if (alternative.length === 1 && only instanceof Collector) return sourceOperands(only);
  return alternative.flatMap(listOperands).map((operand, index) => ({ ...operand, text: String(alternative[index]) }));
}

function targetOperands(value: Value): readonly Operand[] {
  return value instanceof Collector ? [...value.collected.values()] : listOperands(value);
}

function listOperands(value: Value): readonly Operand[] {
  const reference = referenceOf(value);
  if (reference && reference.title !== '') return [reference];
  const text = referenceText(value);
  return text === null ? NONE : [{ type: '', title: '', text }];
}

/**
 * The resource of an operand. Throws for a type without a title, which is found out when it is
 * looked for.
 */
function find(state: CompileState, { type, title, text = '' }: Operand): DeclaredResource | undefined {
  const reference = type === '' ? parseReference(text) : { type, title };
  return state.find(reference.type, reference.title);
}

function textOf({ type, title, text }: Operand): string {
  return text ?? `${type}[${title}]`;
}

function connect(
  state: CompileState,
  additions: Map<readonly Value[], Value[]>,
  source: Operand,
  target: Operand,
  kind: Kind,
): void {
  const resource = find(state, source);
  if (!resource) {
    throw new PuppetError(ISSUES.RELATIONSHIP_SOURCE_NOT_FOUND({ source: textOf(source), target: textOf(target) }));
  }
  if (!find(state, target)) {
    throw new PuppetError(ISSUES.RELATIONSHIP_TARGET_NOT_FOUND({ target: textOf(target), source: textOf(source) }));
  }
  add(additions, resource, kind, `${target.type}[${target.title}]`);
}

function add(
  additions: Map<readonly Value[], Value[]>,
  resource: DeclaredResource,
  kind: Kind,
  reference: string,
): void {
  const value = resource.valueOf(kind) ?? null;
  if (value === null) {
    const list = [reference];
    setList(resource, kind, list);
    additions.set(list, list);
    return;
  }
  const list = Array.isArray(value) ? value : [value];
  if (list !== value) setList(resource, kind, list);
  const added = additions.get(list);
  if (added) added.push(reference);
  else additions.set(list, [reference]);
}

function setList(resource: DeclaredResource, kind: Kind, list: readonly Value[]): void {
  const parameter = resource.parameters.get(kind);
  if (parameter) resource.set({ ...parameter, value: list });
  else resource.setValue(kind, list);
}

function applyAdditions(resource: DeclaredResource, additions: Additions): void {
  for (const kind of ['before', 'notify'] as const) {
    const parameter = resource.parameters.get(kind);
    if (!parameter || !Array.isArray(parameter.value)) continue;
    const added = additions.get(parameter.value);
    if (!added || added === parameter.value) continue;
    resource.set({ ...parameter, value: [...flatten(parameter.value), ...added] });
  }
}

function flatten(value: Value): readonly Value[] {
  return Array.isArray(value) ? value.flatMap((item: Value) => flatten(item)) : [value];
}
