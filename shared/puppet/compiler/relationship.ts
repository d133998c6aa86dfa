import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Value } from '../types/values/values.ts';
import { Collector } from './collector.ts';
import type { CompileState } from './compile-state.ts';
import type { DeclaredResource } from './declared-resource.ts';
import { parseReference, type Reference, referenceOf, referenceText } from './references.ts';

type Kind = 'before' | 'notify';

/**
 * A relationship `sources -> targets`. It is evaluated when the catalog is complete. Puppet:
 * lib/puppet/parser/relationship.rb
 */
export interface Relationship {
  readonly sources: readonly Value[];
  readonly targets: readonly Value[];
  readonly kind: Kind;
}

/**
 * The elements that relationships add to a list. Puppet appends to the list object itself, so
 * resources that share one expression (several titles, a default, a collector's override) all get
 * the additions of each (Relationship#mk_relationship). A list created by a relationship maps to
 * itself: all its elements are additions, and their targets exist.
 */
export type Additions = ReadonlyMap<readonly Value[], readonly Value[]>;

/** Adds the targets of all relationships to `before` or `notify` of their sources. */
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
  /** The text in messages, when it is not `Type[title]`. */
  readonly text?: string;
}

const NONE: readonly Operand[] = [];

/** Left of an arrow, a collector without results is replaced by its own left operand. */
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

/** Finds the resource of an operand. Throws for a type without a title, at lookup time. */
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
