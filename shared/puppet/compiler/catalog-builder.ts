import { capitalizeTypeName, definitionName, referenceTypeName } from '../catalog/type-name.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type {
  CatalogOperations,
  ResourceChange,
  ResourceName,
  ResourceParameter,
  ResourceView,
} from '../evaluator/ports.ts';
import { failWith } from '../evaluator/report.ts';
import type { ReplacedDefaults } from '../evaluator/ruby-port.ts';
import type { Scope } from '../evaluator/scope.ts';
import type { CollectExpression, Positioned, ResourceForm } from '../language/ast.ts';
import { ClassType, ResourceType } from '../types/catalog-types.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import type { PType } from '../types/ptype.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import { placeOf } from './code-unit.ts';
import { CatalogCollector, Collector, ExportedCollector, FixedSetCollector } from './collector.ts';
import { resourceQuery, storeFilter } from './collector-query.ts';
import type { CompileState } from './compile-state.ts';
import { type DeclaredResource, resourceOf, unitOf } from './declared-resource.ts';
import { referenceOf, referenceText } from './references.ts';
import { declarationPlace, declareResources, parameterSettings } from './resource-declaration.ts';
import { addOverride } from './resource-override.ts';
import { hasAttribute } from './resource-types/builtin-types.ts';
import { evaluateClasses, findClasses } from './unit-evaluation.ts';

/** Applies the operations of Puppet code to the catalog of one compile. */
export class CatalogBuilder implements CatalogOperations {
  readonly #state: () => CompileState;

  /**
   * `state` is called at each operation, because the builder is part of the context that the state
   * is created from.
   */
  constructor(state: () => CompileState) {
    this.#state = state;
  }

  createResources(
    scope: Scope,
    node: Positioned | null,
    form: ResourceForm,
    typeName: string,
    titles: readonly string[],
    parameters: readonly ResourceParameter[],
  ): readonly PType[] {
    const settings = parameterSettings(scope, parameters);
    const place = declarationPlace(node);
    return declareResources(this.#state(), scope, place, form, typeName, titles, settings).map(referenceType);
  }

  createDefaults(scope: Scope, _node: Positioned, typeName: string, parameters: readonly ResourceParameter[]): void {
    this.#state().defaults.define(scope, referenceTypeName(typeName), parameterSettings(scope, parameters));
  }

  overrideResource(scope: Scope, node: Positioned, reference: PType, parameters: readonly ResourceParameter[]): void {
    if (!(reference instanceof ResourceType) || reference.lowerName === null || reference.lowerName === 'class') {
      failWith(ISSUES.ILLEGAL_OVERRIDDEN_TYPE({ actual: String(reference) }), node);
    }
    const type = referenceTypeName(reference.lowerName);
    const title = reference.title ?? '';
    addOverride(this.#state(), type, title, {
      reference: `${type}[${title}]`,
      parameters: parameterSettings(scope, parameters),
      unit: unitOf(scope),
      ...placeOf(node),
    });
  }

  collect(scope: Scope, node: CollectExpression, typeName: string, parameters: readonly ResourceParameter[]): Value {
    const state = this.#state();
    const name = definitionName(typeName);
    if (name === 'class') throw new PuppetError(ISSUES.CLASSES_NOT_COLLECTABLE());
    if (!state.isKnownType(name)) throw new PuppetError(ISSUES.UNKNOWN_COLLECTED_TYPE({ type: name }));
    const query = resourceQuery(node.query, scope);
    const overrides =
      node.operations.length > 0 ? { parameters: parameterSettings(scope, parameters), ...placeOf(node) } : null;
    const collector =
      node.query.kind === 'ExportedQuery'
        ? new ExportedCollector(scope, name, query, overrides, storeFilter(node.query, scope))
        : new CatalogCollector(scope, name, query, overrides);
    state.collectors.add(collector);
    return collector;
  }

  relate(_scope: Scope, node: Positioned, source: Value, target: Value, kind: 'before' | 'notify'): void {
    const sources = flatten(source);
    const targets = flatten(target);
    const { relationships } = this.#state();
    relationships.push({ sources, targets, kind });
    // Puppet: the right operand stores the left one, whichever way the arrow points.
    const [left, right] = pointsLeft(node) ? [targets, sources] : [sources, targets];
    const [only] = right;
    if (right.length === 1 && only instanceof Collector) only.alternative = left;
  }

  resourceParameter(_scope: Scope, reference: PType, parameter: string, _node: Positioned): Value | undefined {
    const resource = this.#find(reference);
    if (!resource) return undefined;
    const value = resource.valueOf(parameter) ?? null;
    if (value !== null) return value;
    return this.#state().defaults.inForce(resource.scope, resource.type).get(parameter)?.value ?? null;
  }

  isParameterOf(reference: PType, parameter: string): boolean {
    const resource = this.#find(reference);
    if (resource?.nativeType) return hasAttribute(resource.nativeType, parameter);
    return resource?.codeUnit?.acceptsParameter(parameter) ?? false;
  }

  includeClasses(scope: Scope, names: readonly string[]): readonly PType[] {
    this.#evaluate(scope, names);
    return names.map(classType);
  }

  containClasses(scope: Scope, names: readonly string[]): readonly PType[] {
    const { catalog } = this.#state();
    const container = resourceOf(scope);
    for (const resource of this.#evaluate(scope, names)) {
      if (container && !catalog.hasEdge(container, resource)) catalog.addEdge(container, resource);
    }
    return names.map(classType);
  }

  requireClasses(scope: Scope, names: readonly string[]): readonly PType[] {
    this.#evaluate(scope, names);
    const resource = resourceOf(scope);
    for (const name of resource ? names : []) {
      const before = resource?.valueOf('require') ?? null;
      resource?.setValue('require', [...flatten(before).filter((item) => item !== null), classType(name)]);
    }
    return names.map(classType);
  }

  hasResource(typeName: string, title: string): boolean {
    return this.#state().find(typeName, title) !== undefined;
  }

  resourcesOfType(typeName: string): readonly PType[] {
    const wanted = this.#state().catalog.resources.filter(({ type }) => type.toLowerCase() === typeName);
    return wanted.map(referenceType);
  }

  realize(_scope: Scope, references: readonly Value[]): void {
    const wanted = references.map((reference) => referenceText(reference) ?? rubyToS(reference));
    this.#state().collectors.add(new FixedSetCollector(wanted));
  }

  tag(scope: Scope, tags: readonly string[]): void {
    resourceOf(scope)?.tag(tags);
  }

  defaultsOf(scope: Scope, typeName: string): ReadonlyMap<string, Value> {
    const defaults = this.#state().defaults.inForce(scope, referenceTypeName(typeName));
    return new Map([...defaults].map(([name, { value }]) => [name, value]));
  }

  replaceDefaults(scope: Scope, lookUp: (type: string) => ReplacedDefaults): void {
    this.#state().defaults.replace(scope, lookUp);
  }

  resourceView(scope: Scope, name: ResourceName | null): ResourceView | null {
    const found = name ? this.#findNamed(name) : resourceOf(scope);
    return found ? viewOf(found) : null;
  }

  changeResource(name: ResourceName, change: ResourceChange): void {
    const found = this.#findNamed(name);
    if (found) applyChange(this.#state(), found, change);
  }

  removeResource(name: ResourceName, from: 'catalog' | 'compiler'): void {
    const { resources } = this.#state();
    const [type, title] = name;
    // The compiler may still hold a resource that was removed from the catalog.
    const found = this.#findNamed(name) ?? resources.find((one) => one.type === type && one.title === title);
    if (found) this.#state().remove(found, from);
  }

  scopeNames(scope: Scope): readonly ResourceName[] {
    const names: ResourceName[] = [];
    for (let one: Scope | null = scope; one; one = one.parent) {
      const resource = one.kind === 'function' || one.kind === 'local' ? null : resourceOf(one);
      if (resource) names.push([resource.type, resource.title]);
    }
    return names;
  }

  #findNamed([type, title]: ResourceName): DeclaredResource | undefined {
    const { catalog } = this.#state();
    return this.#state().find(type, title) ?? catalog.resources.find((one) => one.type === type && one.title === title);
  }

  resourceNames(): readonly ResourceName[] {
    return this.#state().catalog.resources.map(({ type, title }) => [type, title]);
  }

  tagsOf(scope: Scope, which: 'scope' | 'all' | 'classes'): readonly string[] {
    const { catalog } = this.#state();
    if (which === 'all') return [...catalog.tags];
    return which === 'classes' ? [...catalog.classes] : [...(resourceOf(scope)?.tags ?? [])];
  }

  isTagged(scope: Scope, tags: readonly string[]): boolean {
    const resource = resourceOf(scope);
    const { catalog } = this.#state();
    return tags
      .map((tag) => tag.toLowerCase())
      .every((tag) => catalog.tags.has(tag) || (resource?.hasAnyTag([tag]) ?? false));
  }

  #evaluate(scope: Scope, names: readonly string[]): readonly DeclaredResource[] {
    const state = this.#state();
    return evaluateClasses(state, findClasses(state, names), scope);
  }

  #find(reference: PType): DeclaredResource | undefined {
    const found = referenceOf(reference);
    return found ? this.#state().find(found.type, found.title) : undefined;
  }
}

function flatten(value: Value): readonly Value[] {
  if (!isArray(value)) return [value];
  return value.some(Array.isArray) ? value.flatMap(flatten) : value;
}

function pointsLeft(node: Positioned & { readonly operator?: string }): boolean {
  return node.operator === '<-' || node.operator === '<~';
}

function classType(name: string): ClassType {
  return new ClassType(definitionName(name));
}

function referenceType(resource: DeclaredResource): PType {
  return new ResourceType(capitalizeTypeName(resource.type), resource.title);
}

function viewOf(resource: DeclaredResource): ResourceView {
  const { type, title, file, line, virtual, exported, tags } = resource;
  const given = [...resource.parameters].map(({ name, value }): [string, Value] => [name, value]);
  return {
    name: [type, title],
    evaluated: resource.evaluated,
    file: file || null,
    line: line ?? null,
    virtual,
    exported,
    tags: [...tags],
    parameters: new Map(given.filter(([, value]) => value !== null)),
  };
}

function applyChange(state: CompileState, resource: DeclaredResource, change: ResourceChange): void {
  switch (change.kind) {
    case 'tag':
      resource.tag(change.tags);
      break;
    case 'set':
      resource.setValue(change.parameter, change.value);
      break;
    case 'place':
      resource.file = change.file;
      resource.line = change.line;
      break;
    case 'loose':
      state.remove(resource, 'compiler');
      state.catalog.removeContainment(resource);
  }
}
