import { Catalog } from '../catalog/catalog.ts';
import { classTitle, definitionName, referenceTypeName } from '../catalog/type-name.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import type { Scope } from '../evaluator/scope.ts';
import { parseTitle } from '../evaluator/title-patterns.ts';
import type { Value } from '../types/values/values.ts';
import type { CodeUnit } from './code-unit.ts';
import type { Collector } from './collector.ts';
import { type DeclaredResource, resourceOf } from './declared-resource.ts';
import type { EnvironmentDefinitions } from './definitions.ts';
import type { ExportSource } from './exported-collection.ts';
import type { Relationship } from './relationship.ts';
import { ResourceDefaults } from './resource-defaults.ts';
import type { ResourceOverride } from './resource-override.ts';

/** The mutable state of one compile, apart from scopes. Puppet: lib/puppet/parser/compiler.rb */
export class CompileState {
  readonly context: CompileContext;
  readonly definitions: EnvironmentDefinitions;
  readonly catalog: Catalog<DeclaredResource>;
  /** All declared resources in order, without Stage[main] and Class[settings]. */
  readonly resources: DeclaredResource[] = [];
  readonly collectors = new Set<Collector>();
  readonly relationships: Relationship[] = [];
  readonly defaults = new ResourceDefaults();
  readonly exports: ExportSource;
  /** Overrides of resources that are not (yet) in the catalog, by reference. */
  readonly pendingOverrides = new Map<string, ResourceOverride[]>();
  readonly #byType = new Map<string, DeclaredResource[]>();
  /**
   * Resources whose code may still have to be evaluated. Evaluated ones are removed from time to
   * time.
   */
  #unevaluated: DeclaredResource[] = [];

  constructor(context: CompileContext, definitions: EnvironmentDefinitions, exports: ExportSource) {
    this.context = context;
    this.definitions = definitions;
    this.exports = exports;
    this.catalog = new Catalog(context.node.certname, context.environment.name);
  }

  /**
   * Declares a resource in `scope`. Its title must be free. Unless it is a class, the scope's
   * resource contains it.
   */
  declare(scope: Scope, resource: DeclaredResource): void {
    this.resources.push(resource);
    if (!resource.nativeType) this.#unevaluated.push(resource);
    this.catalog.add(resource, resource.getIdentity());
    const list = this.#byType.get(resource.type);
    if (list) list.push(resource);
    else this.#byType.set(resource.type, [resource]);
    if (resource.isClass) return;
    const stage = resource.valueOf('stage');
    if (stage !== undefined && stage !== null && stage !== false) {
      throw new PuppetError(ISSUES.STAGE_OF_RESOURCE({ reference: resource.reference }));
    }
    const container = resourceOf(scope);
    if (!resource.isStage && container) this.catalog.addEdge(container, resource);
  }

  /**
   * Removes a resource from the catalog, or from the evaluation and finish steps of the compiler.
   */
  remove(resource: DeclaredResource, from: 'catalog' | 'compiler'): void {
    if (from === 'catalog') {
      this.catalog.remove(resource);
      return;
    }
    for (const list of [this.resources, this.#unevaluated, this.#byType.get(resource.type) ?? []]) {
      const index = list.indexOf(resource);
      if (index >= 0) list.splice(index, 1);
    }
  }

  /** Returns the declared resources of a (capitalised) type, in order. */
  ofType(type: string): readonly DeclaredResource[] {
    return this.#byType.get(type) ?? [];
  }

  /**
   * Returns classes, nodes and instances of defines that are not evaluated yet, without virtual
   * ones.
   */
  listUnevaluated(): readonly DeclaredResource[] {
    this.#unevaluated = this.#unevaluated.filter((resource) => !resource.evaluated);
    return this.#unevaluated.filter((resource) => !resource.virtual);
  }

  /**
   * Finds the resource that a reference names, by title, alias or namevars. Throws for a title that
   * is invalid for the type.
   */
  find(typeName: string, title: string): DeclaredResource | undefined {
    const type = referenceTypeName(typeName);
    const shownTitle = type === 'Class' ? classTitle(title) : title;
    const found = this.catalog.find(type, shownTitle);
    if (found) return found;
    const native = this.context.definitions.findResourceType(definitionName(typeName));
    if (!native) return undefined;
    return this.catalog.findByIdentity(type, identityOfTitle(native, shownTitle));
  }

  /** Whether the resource type exists, native or defined. */
  isKnownType(name: string): boolean {
    return this.definitions.findResourceType(name) !== null || this.definitions.findDefine(name) !== null;
  }

  warn(message: string): void {
    this.context.log.add({ level: 'warning', message });
  }

  addClass(unit: CodeUnit): void {
    if (unit.name !== '') this.catalog.addClass(unit.name);
  }
}

function identityOfTitle(
  native: NonNullable<ReturnType<CompileContext['definitions']['findResourceType']>>,
  title: string,
): readonly Value[] {
  const parts = parseTitle(native, title);
  const namevar = native.namevars.length === 1 ? (native.namevars[0] ?? 'name') : 'name';
  if (!parts.has(namevar)) parts.set(namevar, parts.get('name') ?? title);
  return [...native.namevars].sort().map((key) => parts.get(key) ?? null);
}
