/**
 * Makes Object types from the hashes that define them. Follows
 * lib/puppet/pops/types/p_object_type.rb.
 */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { assertInstance } from '../assertion.ts';
import { infer } from '../inference.ts';
import { PType } from '../ptype.ts';
import { TypeReferenceType } from '../reference-types.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import { DEFAULT, type Value } from '../values/values.ts';
import { OptionalType, TYPE } from '../wrapper-types.ts';
import { type AttributeKind, type MemberFeature, ObjectMember } from './object-members.ts';
import { ATTRIBUTE_SHAPE, FUNCTION_SHAPE, FUNCTION_TYPE, OBJECT_SHAPE, QUALIFIED_REFERENCE } from './object-shapes.ts';
import { OBJECT, type ObjectDefinition, ObjectType } from './object-type.ts';

/** Makes the type `Object[{...}]`, with the name in the hash, if there is one. */
export function anonymousObject(definition: Value): PType {
  if (isNothing(definition)) return OBJECT;
  if (!(definition instanceof PuppetHash)) {
    return new ObjectType(String(assertInstance('object name', QUALIFIED_REFERENCE, definition)));
  }
  const name = definition.get('name');
  const type = new ObjectType(typeof name === 'string' ? name : null, (self) => defineObject(self, definition));
  void type.definition;
  return type;
}

/** Whether Puppet treats the value as no definition: `undef`, or an empty value. */
export function isNothing(definition: Value): boolean {
  if (definition instanceof PuppetHash) return definition.size === 0;
  return definition === null || definition === '' || (Array.isArray(definition) && definition.length === 0);
}

/**
 * Reads the definition of a type from its hash. Throws PuppetError when the hash is not a
 * definition or contradicts the parent.
 */
export function defineObject(type: ObjectType, definition: Value): ObjectDefinition {
  assertInstance('object initializer', OBJECT_SHAPE, definition);
  const hash = definition instanceof PuppetHash ? definition : new PuppetHash();
  const name = hash.get('name');
  const label = type.declaredName ?? (typeof name === 'string' ? name : 'Object');
  const parent = parentOf(hash, type);
  const reader = new MemberReader(label, parent instanceof ObjectType ? parent : null);
  const typeParameters = reader.typeParameters(hash.get('type_parameters'));
  const attributes = reader.readAttributes(hash.get('attributes'), hash.get('constants'));
  const functions = reader.readFunctions(hash.get('functions'), attributes);
  const equalityIncludesType = hash.get('equality_include_type') !== false;
  const annotations = hash.get('annotations');
  return {
    name: typeof name === 'string' ? name : null,
    parent: typeOfEntry(hash.get('parent')),
    typeParameters,
    attributes,
    functions,
    equality: reader.readEquality(hash.get('equality'), equalityIncludesType, attributes, functions),
    equalityIncludesType,
    checks: hash.get('checks'),
    annotations: annotations instanceof PuppetHash ? annotations : null,
  };
}

function typeOfEntry(value: Value | undefined): PType | null {
  return value instanceof PType ? value : null;
}

function parentOf(hash: PuppetHash, type: ObjectType): PType | null {
  let parent = typeOfEntry(hash.get('parent'));
  while (parent !== null && 'resolvedType' in parent && parent.resolvedType instanceof PType) {
    parent = parent.resolvedType;
  }
  if (parent instanceof TypeReferenceType) {
    throw new PuppetError(ISSUES.PARENT_TYPE_UNRESOLVED({ type: parent.typeString }));
  }
  for (let above = parent; above instanceof ObjectType; above = above.parent) {
    if (above === type) throw new PuppetError(ISSUES.TYPE_INHERITS_FROM_ITSELF({ name: String(type.declaredName) }));
  }
  return parent;
}

type Members = Map<string, ObjectMember>;

/** Reads the members of a type and checks them against the parent's members. */
class MemberReader {
  readonly #label: string;
  readonly #parent: ObjectType | null;

  constructor(label: string, parent: ObjectType | null) {
    this.#label = label;
    this.#parent = parent;
  }

  #checkName(feature: MemberFeature, name: string): string {
    return `${feature} ${this.#label}[${name}]`;
  }

  typeParameters(specs: Value | undefined): Members {
    const members: Members = new Map();
    if (!(specs instanceof PuppetHash)) return members;
    for (const [key, spec] of specs.entries()) {
      const name = String(key);
      const declared = spec instanceof PuppetHash ? spec.get('type') : spec;
      const type = assertInstance(this.#checkName('type_parameter', name), TYPE, declared ?? null);
      if (!(type instanceof PType)) continue;
      const optional = type instanceof OptionalType ? type : new OptionalType(type);
      const value = spec instanceof PuppetHash ? spec.get('value') : undefined;
      const member = new ObjectMember({
        feature: 'type_parameter',
        name,
        container: this.#label,
        type: optional,
        value,
      });
      members.set(name, this.#assertMember(member, this.#parent?.allTypeParameters.get(name)));
    }
    return members;
  }

  readAttributes(specs: Value | undefined, constants: Value | undefined): Members {
    const members: Members = new Map();
    for (const key of constants instanceof PuppetHash ? constants.keys() : []) {
      if (!(specs instanceof PuppetHash) || specs.get(key) === undefined) continue;
      throw new PuppetError(ISSUES.CONSTANT_IS_ATTRIBUTE({ label: this.#label, name: String(key) }));
    }
    for (const [key, spec] of specs instanceof PuppetHash ? specs.entries() : []) {
      const name = String(key);
      members.set(
        name,
        this.#assertMember(this.#readAttribute(name, this.#attributeSpec(name, spec)), this.#findInherited(name)),
      );
    }
    for (const [key, value] of constants instanceof PuppetHash ? constants.entries() : []) {
      const name = String(key);
      const spec = PuppetHash.of([
        ['type', infer(value).generalize()],
        ['value', value],
        ['kind', 'constant'],
        ['override', this.#findInherited(name) !== undefined],
      ]);
      members.set(name, this.#assertMember(this.#readAttribute(name, spec), this.#findInherited(name)));
    }
    return members;
  }

  #findInherited(name: string): ObjectMember | undefined {
    return this.#parent?.findMember(name) ?? undefined;
  }

  #attributeSpec(name: string, spec: Value): PuppetHash {
    if (spec instanceof PuppetHash) return spec;
    const type = assertInstance(this.#checkName('attribute', name), TYPE, spec);
    const hash = new PuppetHash().set('type', type);
    return type instanceof OptionalType ? hash.set('value', null) : hash;
  }

  #readAttribute(name: string, spec: PuppetHash): ObjectMember {
    const label = this.#checkName('attribute', name);
    assertInstance(`initializer for ${label}`, ATTRIBUTE_SHAPE, spec);
    if (name === '__ptype' || name === '__pvalue') {
      throw new PuppetError(ISSUES.ATTRIBUTE_RESERVED({ name }));
    }
    const type = typeOfEntry(spec.get('type')) ?? OBJECT;
    const kind = kindOf(spec.get('kind'));
    const value = attributeValue(label, kind, type, spec);
    return new ObjectMember({
      feature: 'attribute',
      name,
      container: this.#label,
      type,
      kind,
      value,
      isFinal: kind === 'constant' || spec.get('final') === true,
      overrides: spec.get('override') === true,
      annotations: annotationsOf(spec),
      plainConstant: kind === 'constant' && value !== undefined && infer(value).generalize().equals(type),
    });
  }

  readFunctions(specs: Value | undefined, attributes: Members): Members {
    const members: Members = new Map();
    for (const [key, spec] of specs instanceof PuppetHash ? specs.entries() : []) {
      const name = String(key);
      const hash = this.#functionSpec(name, spec);
      assertInstance(`initializer for function '${name}'`, FUNCTION_SHAPE, hash);
      if (attributes.has(name)) {
        throw new PuppetError(ISSUES.FUNCTION_CONFLICTS_WITH_ATTRIBUTE({ member: this.#checkName('function', name) }));
      }
      const member = new ObjectMember({
        feature: 'function',
        name,
        container: this.#label,
        type: typeOfEntry(hash.get('type')) ?? OBJECT,
        isFinal: hash.get('final') === true,
        overrides: hash.get('override') === true,
        annotations: annotationsOf(hash),
      });
      members.set(name, this.#assertMember(member, this.#findInherited(name)));
    }
    return members;
  }

  #functionSpec(name: string, spec: Value): PuppetHash {
    if (spec instanceof PuppetHash) return spec;
    return new PuppetHash().set('type', assertInstance(this.#checkName('function', name), FUNCTION_TYPE, spec));
  }

  #assertMember(member: ObjectMember, inherited: ObjectMember | undefined): ObjectMember {
    if (inherited !== undefined) {
      assertCanOverride(inherited, member);
      return member;
    }
    if (!member.overrides) return member;
    const what = member.feature;
    throw new PuppetError(ISSUES.OVERRIDDEN_MEMBER_NOT_FOUND({ member: member.label, feature: what }));
  }

  readEquality(
    spec: Value | undefined,
    includesType: boolean,
    attributes: Members,
    functions: Members,
  ): readonly string[] | null {
    if (spec === undefined || spec === null) return null;
    const names = Array.isArray(spec) ? spec.map(String) : [String(spec)];
    if (names.length > 0 && !includesType) {
      throw new PuppetError(ISSUES.EQUALITY_INCLUDES_NO_TYPE());
    }
    for (const name of names) this.#checkEquality(name, attributes, functions);
    return names;
  }

  #checkEquality(name: string, attributes: Members, functions: Members): void {
    const inherited = this.#parent?.findMember(name) ?? null;
    if (inherited?.feature === 'attribute' && this.#parent?.equalityAttributes.includes(name)) {
      const definer = equalityDefiner(this.#parent, name);
      throw new PuppetError(
        ISSUES.EQUALITY_OF_INHERITED({ type: this.#label, member: inherited.label, definer: definer.name }),
      );
    }
    const member = inherited ?? attributes.get(name) ?? functions.get(name);
    if (member === undefined) {
      throw new PuppetError(ISSUES.EQUALITY_OF_UNKNOWN({ type: this.#label, name }));
    }
    if (member.feature !== 'attribute') {
      throw new PuppetError(ISSUES.EQUALITY_OF_FUNCTION({ type: this.#label, member: member.label }));
    }
    if (member.isConstant) {
      throw new PuppetError(ISSUES.EQUALITY_OF_CONSTANT({ type: this.#label, member: member.label }));
    }
  }
}

function annotationsOf(spec: PuppetHash): PuppetHash | null {
  const annotations = spec.get('annotations');
  return annotations instanceof PuppetHash ? annotations : null;
}

function kindOf(value: Value | undefined): AttributeKind | null {
  const known: readonly AttributeKind[] = ['constant', 'derived', 'given_or_derived', 'reference'];
  return known.find((kind) => kind === value) ?? null;
}

function attributeValue(label: string, kind: AttributeKind | null, type: PType, spec: PuppetHash): Value | undefined {
  if (kind === 'constant' && spec.get('final') === false) {
    throw new PuppetError(ISSUES.CONSTANT_NOT_FINAL({ attribute: label }));
  }
  const value = spec.get('value');
  if (value === undefined) {
    if (kind === 'constant') throw new PuppetError(ISSUES.CONSTANT_WITHOUT_VALUE({ attribute: label }));
    return undefined;
  }
  if (kind === 'derived' || kind === 'given_or_derived') {
    throw new PuppetError(ISSUES.DERIVED_WITH_VALUE({ attribute: label, kind }));
  }
  return value === DEFAULT ? value : assertInstance(`${label} value`, type, value);
}

function assertCanOverride(inherited: ObjectMember, member: ObjectMember): void {
  const labels = { member: member.label, inherited: inherited.label };
  if (inherited.feature !== member.feature) throw new PuppetError(ISSUES.OVERRIDE_OF_OTHER_FEATURE(labels));
  if (inherited.isFinal && !(inherited.isConstant && member.isConstant)) {
    throw new PuppetError(ISSUES.OVERRIDE_OF_FINAL(labels));
  }
  if (!member.overrides) throw new PuppetError(ISSUES.OVERRIDE_NOT_DECLARED(labels));
  if (!inherited.type.isAssignable(member.type)) {
    throw new PuppetError(ISSUES.OVERRIDE_TYPE_MISMATCH(labels));
  }
}

function equalityDefiner(start: ObjectType, attribute: string): ObjectType {
  let type = start;
  for (let above = type.parentObject; above?.equalityAttributes.includes(attribute); above = above.parentObject) {
    type = above;
  }
  return type;
}
