import { CatalogResource, type CatalogResourceOptions, type ParameterSetting } from '../catalog/resource.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { ResourceTypeInfo } from '../evaluator/ports.ts';
import type { Scope } from '../evaluator/scope.ts';
import { parseTitle } from '../evaluator/title-patterns.ts';
import type { Value } from '../types/values/values.ts';
import { CodeUnit } from './code-unit.ts';

/**
 * What stands behind a resource: code written in Puppet, or a native type; null when nothing is
 * known about it.
 */
export type Implementation =
  | { readonly kind: 'unit'; readonly unit: CodeUnit }
  | { readonly kind: 'type'; readonly type: ResourceTypeInfo };

export interface DeclaredResourceOptions extends CatalogResourceOptions {
  readonly implementation: Implementation | null;
  readonly scope: Scope;
  /** The class, node or define whose code declares it. */
  readonly unit: CodeUnit | null;
  /** What its declaration sets; defaults come after. */
  readonly parameters?: readonly ParameterSetting[] | undefined;
}

const NAME_ONLY: readonly string[] = ['name'];

/** A resource of the catalog that is being compiled. Puppet: lib/puppet/parser/resource.rb */
export class DeclaredResource extends CatalogResource {
  readonly scope: Scope;
  readonly unit: CodeUnit | null;
  readonly implementation: Implementation | null;
  /** Whether the code behind it was evaluated. */
  evaluated = false;
  finished = false;
  /** Identifies where a collected export came from. */
  collectorId: string | null = null;
  #tagsInherited = false;
  /**
   * How often parameters had been set when they were last found right; -1 when they were not looked
   * at.
   */
  #validated = -1;

  constructor(options: DeclaredResourceOptions) {
    const { implementation } = options;
    super(options, implementation?.kind === 'type' ? implementation.type.namevars : NAME_ONLY);
    this.scope = options.scope;
    this.unit = options.unit;
    this.implementation = implementation;
    // Puppet: tags that the declaration gives come first, then those of type and title,
    // lib/puppet/resource.rb
    options.parameters?.forEach((parameter) => {
      this.#setOnce(parameter);
    });
    this.tags.addIfValid(this.type);
    // Puppet: only a text can be a tag.
    if (!this.#isMainOfTypes() && typeof this.givenTitle === 'string') this.tags.addIfValid(this.title);
  }

  get nativeType(): ResourceTypeInfo | null {
    return this.implementation?.kind === 'type' ? this.implementation.type : null;
  }

  /** The class, define or node whose code makes up the resource. */
  get codeUnit(): CodeUnit | null {
    return this.implementation?.kind === 'unit' ? this.implementation.unit : null;
  }

  /** What declared it: the resource whose code ran in its scope. */
  get container(): DeclaredResource | null {
    const container = resourceOf(this.scope);
    return container === this ? null : container;
  }

  override titleParts(): Map<string, string> {
    const native = this.nativeType;
    return native ? parseTitle(native, this.title) : new Map<string, string>().set('name', this.title);
  }

  protected override get hasPlainTitle(): boolean {
    const native = this.nativeType;
    return native === null || (native.titlePatterns === null && native.namevars.length <= 1);
  }

  /**
   * Values of its namevars in the order of their names; null for a type whose resources may be
   * alike.
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

  /** Sets a parameter on behalf of the resource's own unit, at no place of the source. */
  setValue(name: string, value: ParameterSetting['value']): void {
    this.set({ name, value, unit: this.unit, append: false, file: undefined, line: undefined });
  }

  /** Whether it, or what contains it, has one of these (lower case) tags. */
  hasAnyTag(tags: readonly string[]): boolean {
    return tags.some((tag) => this.tags.has(tag)) || (this.container?.hasAnyTag(tags) ?? false);
  }

  /** Notes that its code takes the parameters as they are now. */
  markValidated(): void {
    this.#validated = this.parameters.changes;
  }

  /** Whether its code was found to take the parameters, which are the same since. */
  get isValidated(): boolean {
    return this.#validated === this.parameters.changes;
  }

  /** Takes over the tags of what declared it, once. */
  inheritTags(): void {
    if (this.#tagsInherited) return;
    this.#tagsInherited = true;
    if (this.container) this.tags.merge(this.container.tags);
  }

  #setOnce(parameter: ParameterSetting): void {
    if (this.parameters.has(parameter.name)) {
      const issue = ISSUES.DUPLICATE_OVERRIDE_PARAMETER({ name: parameter.name, reference: this.reference });
      throw new PuppetError(issue, { file: this.file || undefined, line: this.line });
    }
    this.set(parameter);
  }

  // Puppet: the title of the main class and of stage main is a symbol, and symbols are no tags.
  #isMainOfTypes(): boolean {
    return this.title === 'main' && (this.isClass || this.isStage);
  }
}

/** The resource that the scope's code belongs to. */
export function resourceOf(scope: Scope): DeclaredResource | null {
  return scope.resource instanceof DeclaredResource ? scope.resource : null;
}

/** The class, node or define that the scope's code belongs to. */
export function unitOf(scope: Scope): CodeUnit | null {
  return scope.source instanceof CodeUnit ? scope.source : null;
}
