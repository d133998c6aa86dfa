import { CatalogResource, type CatalogResourceOptions, type ParameterSetting } from '../catalog/resource.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { ResourceTypeInfo } from '../evaluator/ports.ts';
import type { Scope } from '../evaluator/scope.ts';
import { parseTitle, type TitleParts } from '../evaluator/title-patterns.ts';
import type { Value } from '../types/values/values.ts';
import { CodeUnit } from './code-unit.ts';

/** The implementation of a resource: Puppet code, or a native type; null when it is unknown. */
export type Implementation =
  | { readonly kind: 'unit'; readonly unit: CodeUnit }
  | { readonly kind: 'type'; readonly type: ResourceTypeInfo };

interface DeclaredResourceOptions extends CatalogResourceOptions {
  readonly implementation: Implementation | null;
  readonly scope: Scope;
  /** The class, node or define whose code declares the resource. */
  readonly unit: CodeUnit | null;
  /** Parameters set by the declaration, without defaults. */
  readonly parameters?: readonly ParameterSetting[] | undefined;
}

const NAME_ONLY: readonly string[] = ['name'];

/** A resource of the catalog under construction. Puppet: lib/puppet/parser/resource.rb */
export class DeclaredResource extends CatalogResource {
  readonly scope: Scope;
  readonly unit: CodeUnit | null;
  readonly implementation: Implementation | null;
  /** Whether the resource's code was evaluated. */
  evaluated = false;
  finished = false;
  /** Identifies the origin of a collected export. */
  collectorId: string | null = null;
  #tagsInherited = false;
  /** Number of parameter writes at the last successful validation; -1 before the first. */
  #validated = -1;

  constructor(options: DeclaredResourceOptions) {
    const { implementation } = options;
    super(options, implementation?.kind === 'type' ? implementation.type.namevars : NAME_ONLY);
    this.scope = options.scope;
    this.unit = options.unit;
    this.implementation = implementation;
    // Puppet: tags from the declaration precede those from type and title, lib/puppet/resource.rb
    if (options.parameters) this.#setAll(options.parameters);
    this.tags.addIfValid(this.type);
    // Puppet: only a String can be a tag.
    if (!this.#isMainOfTypes() && typeof this.givenTitle === 'string') this.tags.addIfValid(this.title);
  }

  get nativeType(): ResourceTypeInfo | null {
    return this.implementation?.kind === 'type' ? this.implementation.type : null;
  }

  /** The class, define or node that implements the resource; null for a native type. */
  get codeUnit(): CodeUnit | null {
    return this.implementation?.kind === 'unit' ? this.implementation.unit : null;
  }

  /** The resource whose code declared this one. */
  get container(): DeclaredResource | null {
    const container = resourceOf(this.scope);
    return container === this ? null : container;
  }

  override titleParts(): TitleParts {
    const native = this.nativeType;
    return native ? parseTitle(native, this.title) : new Map([['name', this.title]]);
  }

  protected override get hasPlainTitle(): boolean {
    const native = this.nativeType;
    return native === null || (native.titlePatterns === null && native.namevars.length <= 1);
  }

  /**
   * Returns the values of the namevars, ordered by name; null for a type whose resources need not
   * be unique.
   */
  getIdentity(): readonly Value[] | null {
    if (this.nativeType && !this.nativeType.isomorphic) return null;
    const namevar = this.namevars.length === 1 ? (this.namevars[0] ?? 'name') : 'name';
    if (this.namevars.length === 1 && !this.nativeType?.titlePatterns) {
      return [this.parameters.get(namevar)?.value ?? this.title];
    }
    const attributes = this.getAttributes();
    const name = attributes.get(namevar) ?? attributes.get('name') ?? this.title;
    if (!attributes.has(namevar)) attributes.set(namevar, name);
    if (!attributes.has('name')) attributes.set('name', name);
    return [...this.namevars].sort().map((key) => attributes.get(key) ?? null);
  }

  /** Sets a parameter on behalf of the resource's own unit, without a source location. */
  setValue(name: string, value: ParameterSetting['value']): void {
    this.set({ name, value, unit: this.unit, append: false, file: undefined, line: undefined });
  }

  /** Whether the resource or one of its containers has one of these (lower case) tags. */
  hasAnyTag(tags: readonly string[]): boolean {
    return tags.some((tag) => this.tags.has(tag)) || (this.container?.hasAnyTag(tags) ?? false);
  }

  /** Marks the current parameters as valid for the resource's code. */
  markValidated(): void {
    this.#validated = this.parameters.changes;
  }

  /** Whether the parameters were validated and have not changed since. */
  get isValidated(): boolean {
    return this.#validated === this.parameters.changes;
  }

  /** Adds the tags of the containing resource; later calls do nothing. */
  inheritTags(): void {
    if (this.#tagsInherited) return;
    this.#tagsInherited = true;
    if (this.container) this.tags.merge(this.container.tags);
  }

  #setAll(parameters: readonly ParameterSetting[]): void {
    const second = parameters.find(({ name }, place) => isNamedBefore(parameters, name, place));
    if (!second) this.parameters.fill(parameters);
    const first = second ? parameters.slice(0, parameters.indexOf(second)) : parameters;
    for (const { name, value } of first) if (name === 'tag') this.tag(value);
    if (!second) return;
    const issue = ISSUES.DUPLICATE_OVERRIDE_PARAMETER({ name: second.name, reference: this.reference });
    throw new PuppetError(issue, { file: this.file || undefined, line: this.line });
  }

  // Puppet: the title of the main class and of stage main is a Symbol, and a Symbol cannot be a
  // tag.
  #isMainOfTypes(): boolean {
    return this.title === 'main' && (this.isClass || this.isStage);
  }
}

function isNamedBefore(parameters: readonly ParameterSetting[], name: string, place: number): boolean {
  for (let before = 0; before < place; before += 1) if (parameters[before]?.name === name) return true;
  return false;
}

/** Returns the resource that the scope's code belongs to. */
export function resourceOf(scope: Scope): DeclaredResource | null {
  return scope.resource instanceof DeclaredResource ? scope.resource : null;
}

/** Returns the class, node or define that the scope's code belongs to. */
export function unitOf(scope: Scope): CodeUnit | null {
  return scope.source instanceof CodeUnit ? scope.source : null;
}
