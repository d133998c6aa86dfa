/**
 * Makes TypeSets from the hashes that define them. Follows
 * lib/puppet/pops/types/p_type_set_type.rb.
 */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { assertInstance } from '../assertion.ts';
import { PType } from '../ptype.ts';
import { TypeAliasType } from '../reference-types.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';
import { SemVer } from '../versions/sem-ver.ts';
import { SemVerRange } from '../versions/sem-ver-range.ts';
import { defineObject, isNothing } from './object-definition.ts';
import { QUALIFIED_REFERENCE, TYPE_SET_SHAPE } from './object-shapes.ts';
import { ObjectType } from './object-type.ts';
import { TYPE_SET, type TypeSetDefinition, type TypeSetReference, TypeSetType } from './type-set-type.ts';

const PARSABLE = SemVerRange.parse('1.x');

/**
 * Makes `TypeSet[{...}]`. A name alone makes an empty set of that name; an empty value makes the
 * TypeSet type.
 */
export function anonymousTypeSet(definition: Value): PType {
  if (isNothing(definition)) return TYPE_SET;
  if (!(definition instanceof PuppetHash)) {
    return new TypeSetType(String(assertInstance('TypeSet name', QUALIFIED_REFERENCE, definition)));
  }
  const set = new TypeSetType(null, (self) => defineTypeSet(self, null, definition));
  void set.definition;
  return set;
}

/** Finds a TypeSet by its name. */
type FindTypeSet = (name: string) => PType | null;

/**
 * Reads the definition of a set from its hash. The types in it may be types, or hashes that define
 * Object types. Throws PuppetError when the hash is not a definition.
 */
export function defineTypeSet(
  set: TypeSetType,
  name: string | null,
  definition: Value,
  find: FindTypeSet = () => null,
  authority: string | null = null,
): TypeSetDefinition {
  assertInstance('TypeSet initializer', TYPE_SET_SHAPE, definition);
  const hash = definition instanceof PuppetHash ? definition : new PuppetHash();
  const ownName = name ?? textOf(hash.get('name'));
  const pcoreVersion = versionOf(hash.get('pcore_version')) ?? new SemVer(1, 0, 0);
  if (!PARSABLE.includes(pcoreVersion)) {
    throw new PuppetError(
      ISSUES.PCORE_VERSION_NOT_UNDERSTOOD({
        name: String(ownName),
        expected: String(PARSABLE),
        actual: String(pcoreVersion),
      }),
    );
  }
  const nameAuthority = authority ?? textOf(hash.get('name_authority'));
  if (nameAuthority === null) {
    throw new PuppetError(ISSUES.NAME_AUTHORITY_MISSING({ name: String(ownName) }));
  }
  const types = typesOf(hash.get('types'), ownName);
  return {
    name: ownName,
    nameAuthority,
    pcoreUri: textOf(hash.get('pcore_uri')),
    pcoreVersion,
    version: versionOf(hash.get('version')),
    types,
    references: referencesOf(hash.get('references'), ownName, nameAuthority, types, find, set),
  };
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function versionOf(value: Value | undefined): SemVer | null {
  if (value instanceof SemVer) return value;
  return typeof value === 'string' ? SemVer.parse(value) : null;
}

function typesOf(value: Value | undefined, setName: string | null): Map<string, PType> {
  const types = new Map<string, PType>();
  for (const [key, item] of value instanceof PuppetHash ? value.entries() : []) {
    const name = String(key);
    const fullName = `${setName}::${name}`;
    if (item instanceof PuppetHash) types.set(name, new ObjectType(fullName, (self) => defineObject(self, item)));
    else if (item instanceof ObjectType || item instanceof TypeAliasType || item instanceof TypeSetType)
      types.set(name, item);
    else if (item instanceof PType) types.set(name, new TypeAliasType(fullName, () => item));
  }
  return types;
}

function referencesOf(
  value: Value | undefined,
  setName: string | null,
  authority: string,
  types: ReadonlyMap<string, PType>,
  find: FindTypeSet,
  owner: TypeSetType,
): Map<string, TypeSetReference> {
  const references = new Map<string, TypeSetReference>();
  for (const [key, item] of value instanceof PuppetHash ? value.entries() : []) {
    const alias = String(key);
    if (!(item instanceof PuppetHash)) continue;
    const reference = readReference(item, authority, find, owner);
    const overlapping = [...references.values()].some(
      (other) => other.name === reference.name && other.versionRange.intersect(reference.versionRange) !== null,
    );
    if (overlapping) {
      throw new PuppetError(
        ISSUES.TYPE_SET_REFERENCED_TWICE({
          name: String(setName),
          authority: String(reference.nameAuthority),
          referenced: reference.name,
        }),
      );
    }
    if (types.has(alias)) {
      throw new PuppetError(ISSUES.TYPE_SET_ALIAS_COLLIDES({ name: String(setName), alias }));
    }
    references.set(alias, reference);
  }
  return references;
}

function readReference(hash: PuppetHash, authority: string, find: FindTypeSet, owner: TypeSetType): TypeSetReference {
  const name = textOf(hash.get('name')) ?? '';
  const range = hash.get('version_range');
  const versionRange = range instanceof SemVerRange ? range : SemVerRange.parse(String(range));
  const label = () => `TypeSet '${owner.name}' reference to TypeSet named '${name}'`;
  const typeSet = () => {
    const found = find(name);
    if (found === null) throw new PuppetError(ISSUES.TYPE_SET_REFERENCE_UNRESOLVED({ reference: label() }));
    if (!(found instanceof TypeSetType))
      throw new PuppetError(ISSUES.TYPE_SET_REFERENCE_NO_TYPE_SET({ reference: label(), actual: found.name }));
    const version = found.definition?.version;
    if (!version || !versionRange.includes(version)) {
      throw new PuppetError(
        ISSUES.TYPE_SET_REFERENCE_VERSION({
          reference: label(),
          expected: String(versionRange),
          actual: String(version ?? ''),
        }),
      );
    }
    return found;
  };
  return { name, nameAuthority: textOf(hash.get('name_authority')) ?? authority, versionRange, typeSet };
}
