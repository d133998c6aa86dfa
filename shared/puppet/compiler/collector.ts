import type { ParameterSetting } from '../catalog/resource.ts';
import { capitalizeTypeName } from '../catalog/type-name.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Scope } from '../evaluator/scope.ts';
import type { PType } from '../types/ptype.ts';
import { RuntimeType } from '../types/runtime-type.ts';
import type { RichKind } from '../types/values/value-kinds.ts';
import { RichValue, type Value } from '../types/values/values.ts';
import type { ResourceQuery } from './collector-query.ts';
import type { CompileState } from './compile-state.ts';
import { type DeclaredResource, unitOf } from './declared-resource.ts';
import { collectExported, type ExportQuery } from './exported-collection.ts';
import { parseReference } from './references.ts';
import { addOverride } from './resource-override.ts';

let lastId = 0;

const COLLECTORS = 'Puppet::Pops::Evaluator::Collectors';

/**
 * Realizes virtual resources at each evaluation and applies its overrides to them. As an operand of
 * a relationship it represents all resources that it collects until the end. Puppet:
 * lib/puppet/pops/evaluator/collectors/
 */
export abstract class Collector extends RichValue {
  /** Name of the corresponding Puppet class. */
  abstract readonly rubyClass: string;
  /** Collected resources by reference, in order. */
  readonly collected = new Map<string, DeclaredResource>();
  /**
   * Left operand of the relationship in which this is the right operand. It replaces the collector
   * when nothing was collected.
   */
  alternative: readonly Value[] | null = null;
  readonly #id: number;

  constructor() {
    super();
    lastId += 1;
    this.#id = lastId;
  }

  get valueKind(): RichKind {
    return 'Collector';
  }

  /** The type that Puppet code sees. */
  get type(): PType {
    return new RuntimeType('ruby', this.rubyClass);
  }

  /** Evaluates the collector; returns whether it found new resources. */
  evaluate(state: CompileState): boolean {
    const found = this.find(state);
    for (const resource of found) resource.virtual = false;
    const added = found.filter((resource) => !this.collected.has(resource.reference));
    if (found.length > 0) this.overrideResources(state, added);
    for (const resource of added) this.collected.set(resource.reference, resource);
    return added.length > 0;
  }

  /** Returns the references that were not found yet. */
  getUnresolved(): readonly string[] {
    return [];
  }

  equalityKey(): string {
    return `collector:${this.#id}`;
  }

  protected abstract find(state: CompileState): readonly DeclaredResource[];

  protected overrideResources(_state: CompileState, _resources: readonly DeclaredResource[]): void {}
}

/** The block `{ ... }` after a collector's query. */
interface CollectorOverrides {
  readonly parameters: readonly ParameterSetting[];
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** The collector `Type <| query |> { overrides }`. */
export class CatalogCollector extends Collector {
  readonly rubyClass: string = `${COLLECTORS}::CatalogCollector`;
  protected readonly scope: Scope;
  /** Lower case. */
  protected readonly typeName: string;
  protected readonly query: ResourceQuery | null;
  readonly #overrides: CollectorOverrides | null;

  constructor(scope: Scope, typeName: string, query: ResourceQuery | null, overrides: CollectorOverrides | null) {
    super();
    this.scope = scope;
    this.typeName = typeName;
    this.query = query;
    this.#overrides = overrides;
  }

  protected find(state: CompileState): readonly DeclaredResource[] {
    const { query } = this;
    const all = state.ofType(capitalizeTypeName(this.typeName));
    return query ? all.filter((resource) => query(resource)) : [...all];
  }

  protected override overrideResources(state: CompileState, resources: readonly DeclaredResource[]): void {
    const overrides = this.#overrides;
    if (!overrides) return;
    const unit = unitOf(this.scope);
    if (unit) unit.overriding = true;
    // Puppet: resource defaults in force at the collector act as overrides too, as if the braces
    // contained them.
    const defaults = state.defaults.inForce(this.scope, capitalizeTypeName(this.typeName));
    const given = new Set(overrides.parameters.map(({ name }) => name));
    const parameters = [...overrides.parameters, ...[...defaults.values()].filter(({ name }) => !given.has(name))];
    for (const { type, title, reference } of resources) {
      addOverride(state, type, title, { ...overrides, parameters, reference, unit });
    }
  }

  override toString(): string {
    return `Catalog-Collector[${capitalizeTypeName(this.typeName)}]`;
  }
}

/** The collector `Type <<| query |>> { overrides }`. */
export class ExportedCollector extends CatalogCollector {
  override readonly rubyClass: string = `${COLLECTORS}::ExportedCollector`;
  /** The query for the store of exported resources; null for all. */
  readonly #filter: unknown;

  constructor(
    scope: Scope,
    typeName: string,
    query: ResourceQuery | null,
    overrides: CollectorOverrides | null,
    filter: unknown,
  ) {
    super(scope, typeName, query, overrides);
    this.#filter = filter;
  }

  /** The query that it sends to the store of exported resources. */
  get exportQuery(): ExportQuery {
    return { type: capitalizeTypeName(this.typeName), query: this.#filter };
  }

  override evaluate(state: CompileState): boolean {
    return state.context.settings.storeconfigs && super.evaluate(state);
  }

  protected override find(state: CompileState): readonly DeclaredResource[] {
    const own = super.find(state).filter((resource) => resource.exported);
    const { type, query } = this.exportQuery;
    return [...own, ...collectExported(state, this.scope, type, query)];
  }

  override toString(): string {
    return `Exported-Collector[${capitalizeTypeName(this.typeName)}]`;
  }
}

/** Collects the resources named in `realize`. */
export class FixedSetCollector extends Collector {
  readonly rubyClass: string = `${COLLECTORS}::FixedSetCollector`;
  /** References that were not found yet; duplicates are kept. */
  #waiting: readonly string[];

  constructor(references: Iterable<string>) {
    super();
    this.#waiting = [...references];
  }

  override getUnresolved(): readonly string[] {
    return this.#waiting;
  }

  protected find(state: CompileState): readonly DeclaredResource[] {
    const found = new Set<DeclaredResource>();
    this.#waiting = this.#waiting.filter((reference) => {
      const { type, title } = parseLate(reference);
      const resource = state.find(type, title);
      if (resource) found.add(resource);
      return !resource;
    });
    if (this.#waiting.length === 0) state.collectors.delete(this);
    return [...found];
  }

  override toString(): string {
    return 'Collector';
  }
}

// Puppet: the texts are parsed at collection, so errors do not name the calling code
// (Compiler#evaluate_collections).
function parseLate(reference: string): ReturnType<typeof parseReference> {
  try {
    return parseReference(reference);
  } catch (cause) {
    if (!(cause instanceof PuppetError)) throw cause;
    throw new PuppetError(ISSUES.COMPILER_FAILED({ rubyClass: 'ArgumentError', detail: cause.message }), { cause });
  }
}
