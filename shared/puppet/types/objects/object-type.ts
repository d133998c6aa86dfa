import { PType, type TypeVisitor } from '../ptype.ts';
import { resolveAliases } from '../reference-types.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { RecursionGuard } from '../values/recursion-guard.ts';
import type { Value } from '../values/values.ts';
import type { ObjectMember } from './object-members.ts';
import { metaTypeNames } from './pcore-objects.ts';
import { type ObjectShape, PuppetObject } from './puppet-object.ts';

/** The definition of an Object type. Maps are by member name, in the order of declaration. */
export interface ObjectDefinition {
  /** The name, used when the type was created without one. */
  readonly name: string | null;
  readonly parent: PType | null;
  readonly typeParameters: ReadonlyMap<string, ObjectMember>;
  readonly attributes: ReadonlyMap<string, ObjectMember>;
  readonly functions: ReadonlyMap<string, ObjectMember>;
  /** Names of attributes by the functions that return their values. */
  readonly readers?: ReadonlyMap<string, string>;
  readonly equality: readonly string[] | null;
  readonly equalityIncludesType: boolean;
  readonly checks: Value | undefined;
  readonly annotations: PuppetHash | null;
}

/** The way objects of a type are made. */
export interface Instantiation {
  /** Whether `new` also accepts a hash of attributes. */
  readonly takesHash: boolean;
  /**
   * Attributes by position, all of which may be absent, and how many of them have an effect;
   * without it, they are as the type defines them.
   */
  readonly positions?: { readonly names: readonly string[]; readonly effective: number };
  /**
   * Makes an object from its attributes by name. `type` is the Object type or its parameterized
   * form.
   */
  create(shape: ObjectType, attributes: ReadonlyMap<string, Value>, type: PType): PuppetObject;
}

/** Makes instances of a type of Puppet's model, like the constructor of its Ruby class. */
export interface ModelInitializer {
  /** Attributes by position. */
  readonly parameters: readonly string[];
  readonly minimum: number;
  readonly maximum: number;
  /** The error text when instances cannot be made; else null. */
  readonly problem: string | null;
  create(args: readonly Value[]): Value;
}

/** An empty definition. */
export const NO_MEMBERS: ObjectDefinition = {
  name: null,
  parent: null,
  typeParameters: new Map(),
  attributes: new Map(),
  functions: new Map(),
  equality: null,
  equalityIncludesType: true,
  checks: undefined,
  annotations: null,
};

/**
 * A type with attributes and functions. Its definition is resolved at first use, so that types can
 * refer to each other. Follows lib/puppet/pops/types/p_object_type.rb.
 */
export class ObjectType extends PType implements ObjectShape {
  readonly kind = 'Object';
  readonly #givenName: string | null;
  readonly #define: ((type: ObjectType) => ObjectDefinition) | null;
  readonly #instantiation: Instantiation | null;
  readonly initializer: ModelInitializer | null;
  #definition: ObjectDefinition | undefined;
  #defining = false;
  #visiting = false;

  constructor(
    name: string | null = null,
    define: ((type: ObjectType) => ObjectDefinition) | null = null,
    instantiation: Instantiation | null = null,
    initializer: ModelInitializer | null = null,
  ) {
    super();
    this.initializer = initializer;
    this.#instantiation = instantiation;
    this.#givenName = name;
    this.#define = define;
  }

  /** Throws PuppetError when the definition is wrong. */
  get definition(): ObjectDefinition {
    if (this.#definition) return this.#definition;
    if (this.#define === null || this.#defining) return NO_MEMBERS;
    this.#defining = true;
    try {
      this.#definition = this.#define(this);
      return this.#definition;
    } finally {
      this.#defining = false;
    }
  }

  /** The name it was declared with; null for none. */
  get declaredName(): string | null {
    return this.#givenName ?? this.definition.name;
  }

  override get name(): string {
    return this.declaredName ?? 'Object';
  }

  /** The parent type, with aliases unwrapped. */
  get parent(): PType | null {
    const { parent } = this.definition;
    return parent && resolveAliases(parent);
  }

  get parentObject(): ObjectType | null {
    const { parent } = this;
    return parent instanceof ObjectType ? parent : null;
  }

  /** Whether `new` accepts a hash of attributes. */
  get takesHash(): boolean {
    return this.#instantiation?.takesHash ?? this.parentObject?.takesHash ?? true;
  }

  /** Makes an object. Values are not checked. */
  instantiate(attributes: ReadonlyMap<string, Value>, type: PType, shape: ObjectType = this): PuppetObject {
    if (this.#instantiation) return this.#instantiation.create(shape, attributes, type);
    return this.parentObject?.instantiate(attributes, type, shape) ?? new PuppetObject(shape, attributes, type);
  }

  get isDefault(): boolean {
    return this.#define === null;
  }

  /**
   * Own and inherited attributes, inherited ones first. An overriding attribute takes the position
   * of the overridden one.
   */
  get allAttributes(): ReadonlyMap<string, ObjectMember> {
    return new Map([...(this.parentObject?.allAttributes ?? []), ...this.definition.attributes]);
  }

  get allFunctions(): ReadonlyMap<string, ObjectMember> {
    return new Map([...(this.parentObject?.allFunctions ?? []), ...this.definition.functions]);
  }

  get allTypeParameters(): ReadonlyMap<string, ObjectMember> {
    return new Map([...(this.parentObject?.allTypeParameters ?? []), ...this.definition.typeParameters]);
  }

  /** The attribute or function of that name, own or inherited. */
  findMember(name: string): ObjectMember | null {
    const { attributes, functions } = this.definition;
    return attributes.get(name) ?? functions.get(name) ?? this.parentObject?.findMember(name) ?? null;
  }

  get equalityIncludesType(): boolean {
    return this.definition.equalityIncludesType;
  }

  get equalityAttributes(): readonly string[] {
    const { equality, attributes } = this.definition;
    const own = equality ?? [...attributes.values()].filter((item) => !item.isConstant).map((item) => item.name);
    return [...new Set([...(this.parentObject?.equalityAttributes ?? []), ...own])];
  }

  get givenAttributes(): readonly ObjectMember[] {
    return [...this.allAttributes.values()].filter((attribute) => attribute.isGiven);
  }

  // Puppet: a class without attributes to compare gets no equality method
  // (RubyGenerator#class_body).
  get comparesIdentity(): boolean {
    if (this.parentObject !== null) return this.parentObject.comparesIdentity;
    return !this.equalityIncludesType && this.equalityAttributes.length === 0;
  }

  /** The number of arguments by position, from the first on, that have an effect. */
  get effectiveArguments(): number {
    return this.#instantiation?.positions?.effective ?? Number.POSITIVE_INFINITY;
  }

  /** The number of arguments by position that `new` needs. */
  get neededArguments(): number {
    if (this.#instantiation?.positions !== undefined) return 0;
    return this.constructorAttributes.filter((attribute) => attribute.value === undefined).length;
  }

  /** The parameters of `new`, in order: attributes without a default first. */
  get constructorAttributes(): readonly ObjectMember[] {
    const positions = this.#instantiation?.positions;
    if (positions !== undefined) return positions.names.flatMap((name) => this.allAttributes.get(name) ?? []);
    const given = this.givenAttributes;
    const required = given.filter((attribute) => attribute.value === undefined);
    return [...required, ...given.filter((attribute) => attribute.value !== undefined)];
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (value instanceof PuppetObject) return this.isAssignable(value.shape, guard);
    return value instanceof PType && (this.isDefault || metaTypeNames(value.kind).has(this.name));
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    if (other instanceof ObjectType) {
      if (this.isDefault || this.equals(other)) return true;
      const { parent } = other.definition;
      return parent !== null && this.isAssignable(parent, guard);
    }
    return other.kind === 'ObjectExtension' && 'base' in other && other.base instanceof ObjectType
      ? this.isAssignable(other.base, guard)
      : false;
  }

  /** The hash that defines the type; without its name when `includeName` is false. */
  toInitHash(includeName = true): PuppetHash {
    const { parent, typeParameters, attributes, functions, equality, checks, annotations } = this.definition;
    const hash = new PuppetHash();
    if (annotations !== null) hash.set('annotations', annotations);
    if (includeName && this.declaredName !== null) hash.set('name', this.declaredName);
    if (parent !== null) hash.set('parent', parent);
    if (typeParameters.size > 0) hash.set('type_parameters', membersHash(typeParameters.values()));
    const others = [...attributes.values()].filter((item) => !item.plainConstant);
    const constants = [...attributes.values()].filter((item) => item.plainConstant);
    if (others.length > 0) hash.set('attributes', membersHash(others));
    if (constants.length > 0) {
      hash.set('constants', PuppetHash.of(constants.map((item) => [item.name, item.value ?? null] as const)));
    }
    if (functions.size > 0) hash.set('functions', membersHash(functions.values()));
    if (equality !== null) hash.set('equality', equality);
    if (checks !== undefined) hash.set('checks', checks);
    return hash;
  }

  protected override acceptParts(visit: TypeVisitor): void {
    if (this.#visiting) return;
    this.#visiting = true;
    const { parent, typeParameters, attributes, functions } = this.definition;
    parent?.accept(visit);
    for (const members of [typeParameters, attributes, functions]) {
      for (const member of members.values()) member.type.accept(visit);
    }
    this.#visiting = false;
  }

  protected override parametersKey(): string {
    return this.declaredName === null ? `[${this.isDefault ? '' : this.toString()}]` : `[${this.declaredName}]`;
  }
}

function membersHash(members: Iterable<ObjectMember>): PuppetHash {
  return PuppetHash.of([...members].map((member) => [member.name, member.toDefinition()] as const));
}

export const OBJECT = new ObjectType();
