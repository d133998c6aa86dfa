/** Texts that Puppet raises about Object types, TypeSets and the data that defines them. */
import { defineIssues, fault } from './issue.ts';

export const OBJECT_TYPE_ISSUES = defineIssues({
  NO_IMPLEMENTATION_MAPPING: fault(
    ({ type }: { type: string }) => `No implementation mapping found for Puppet Type ${type}`,
  ),
  TYPE_NOT_DESERIALIZABLE: fault(() => 'Unable to deserialize type'),
  VALUE_NOT_CREATABLE: fault(
    ({ target, actual }: { target: string; actual: string }) => `Cannot create a ${target} from a ${actual}`,
  ),
  PARENT_TYPE_UNRESOLVED: fault(({ type }: { type: string }) => `reference to unresolved type '${type}'`),
  TYPE_INHERITS_FROM_ITSELF: fault(({ name }: { name: string }) => `The Object type '${name}' inherits from itself`),
  CONSTANT_IS_ATTRIBUTE: fault(
    ({ label, name }: { label: string; name: string }) =>
      `attribute ${label}[${name}] is defined as both a constant and an attribute`,
  ),
  ATTRIBUTE_RESERVED: fault(({ name }: { name: string }) => `The attribute '${name}' is reserved and cannot be used`),
  FUNCTION_CONFLICTS_WITH_ATTRIBUTE: fault(
    ({ member }: { member: string }) => `${member} conflicts with attribute with the same name`,
  ),
  OVERRIDDEN_MEMBER_NOT_FOUND: fault(
    ({ member, feature }: { member: string; feature: string }) =>
      `expected ${member} to override an inherited ${feature}, but no such ${feature} was found`,
  ),
  EQUALITY_INCLUDES_NO_TYPE: fault(
    () => 'equality_include_type = false cannot be combined with non empty equality specification',
  ),
  EQUALITY_OF_INHERITED: fault(
    ({ type, member, definer }: { type: string; member: string; definer: string }) =>
      `${type} equality is referencing ${member} which is included in equality of ${definer}`,
  ),
  EQUALITY_OF_UNKNOWN: fault(
    ({ type, name }: { type: string; name: string }) =>
      `${type} equality is referencing non existent attribute '${name}'`,
  ),
  EQUALITY_OF_FUNCTION: fault(
    ({ type, member }: { type: string; member: string }) =>
      `${type} equality is referencing ${member}. Only attribute references are allowed`,
  ),
  EQUALITY_OF_CONSTANT: fault(
    ({ type, member }: { type: string; member: string }) =>
      `${type} equality is referencing constant ${member}. Reference to constant is not allowed in equality`,
  ),
  CONSTANT_NOT_FINAL: fault(
    ({ attribute }: { attribute: string }) => `${attribute} of kind 'constant' cannot be combined with final => false`,
  ),
  CONSTANT_WITHOUT_VALUE: fault(
    ({ attribute }: { attribute: string }) => `${attribute} of kind 'constant' requires a value`,
  ),
  DERIVED_WITH_VALUE: fault(
    ({ attribute, kind }: { attribute: string; kind: string }) =>
      `${attribute} of kind '${kind}' cannot be combined with an attribute value`,
  ),
  OVERRIDE_OF_OTHER_FEATURE: fault(
    ({ member, inherited }: { member: string; inherited: string }) => `${member} attempts to override ${inherited}`,
  ),
  OVERRIDE_OF_FINAL: fault(
    ({ member, inherited }: { member: string; inherited: string }) =>
      `${member} attempts to override final ${inherited}`,
  ),
  OVERRIDE_NOT_DECLARED: fault(
    ({ member, inherited }: { member: string; inherited: string }) =>
      `${member} attempts to override ${inherited} without having override => true`,
  ),
  OVERRIDE_TYPE_MISMATCH: fault(
    ({ member, inherited }: { member: string; inherited: string }) =>
      `${member} attempts to override ${inherited} with a type that does not match`,
  ),
  OBJECT_TYPE_WITHOUT_PARAMETERS: fault(
    ({ name }: { name: string }) => `The ${name}-Type cannot be parameterized using []`,
  ),
  OBJECT_TYPE_PARAMETERS_EMPTY: fault(
    ({ name }: { name: string }) => `The ${name}-Type cannot be parameterized using an empty parameter list`,
  ),
  OBJECT_TYPE_PARAMETER_UNKNOWN: fault(
    ({ name, type }: { name: string; type: string }) => `'${name}' is not a known type parameter for ${type}-Type`,
  ),
  TYPE_UNRESOLVED: fault(({ name }: { name: string }) => `Reference to unresolved type ${name}`),
  PCORE_VERSION_NOT_UNDERSTOOD: fault(
    ({ name, expected, actual }: { name: string; expected: string; actual: string }) =>
      `The pcore version for TypeSet '${name}' is not understood by this runtime. Expected range ${expected}, got ${actual}`,
  ),
  NAME_AUTHORITY_MISSING: fault(
    ({ name }: { name: string }) => `No 'name_authority' is declared in TypeSet '${name}' and it cannot be inferred`,
  ),
  TYPE_SET_REFERENCED_TWICE: fault(
    ({ name, authority, referenced }: { name: string; authority: string; referenced: string }) =>
      `TypeSet '${name}' references TypeSet '${authority}/${referenced}' more than once using overlapping version ranges`,
  ),
  TYPE_SET_ALIAS_COLLIDES: fault(
    ({ name, alias }: { name: string; alias: string }) =>
      `TypeSet '${name}' references a TypeSet using alias '${alias}'. The alias collides with the name of a declared type`,
  ),
  TYPE_SET_REFERENCE_UNRESOLVED: fault(({ reference }: { reference: string }) => `${reference} cannot be resolved`),
  TYPE_SET_REFERENCE_NO_TYPE_SET: fault(
    ({ reference, actual }: { reference: string; actual: string }) => `${reference} resolves to a ${actual}`,
  ),
  TYPE_SET_REFERENCE_VERSION: fault(
    ({ reference, expected, actual }: { reference: string; expected: string; actual: string }) =>
      `${reference} resolves to an incompatible version. Expected ${expected}, got ${actual}`,
  ),
});
