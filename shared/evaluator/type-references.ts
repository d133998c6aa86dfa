/** Names of types in code. Puppet: TypeParser#interpret_QualifiedReference, Runtime3TypeLoader#find */
import { capitalizeSegments } from '../catalog/type-name.ts';
import { RuntimeIssues } from '../errors/runtime-issues.ts';
import type { QualifiedReference } from '../language/ast.ts';
import { ResourceType } from '../types/catalog-types.ts';
import type { PType } from '../types/ptype.ts';
import { behindAliases, TypeAliasType, TypeReferenceType } from '../types/reference-types.ts';
import { builtInType, type TypeResolver } from '../types/type-parser.ts';
import type { Value } from '../types/values.ts';
import { fail } from './report.ts';
import type { Scope } from './scope.ts';

/** The type of that name; fails when there is none. */
export function evalTypeReference(node: QualifiedReference, scope: Scope): Value {
  const type = referencedType(node, scope);
  // Puppet: an alias is resolved where it is named; what is wrong with it is an error of that place.
  if (type instanceof TypeAliasType) behindAliases(type);
  if (type instanceof TypeReferenceType) fail(RuntimeIssues.UNKNOWN_RESOURCE_TYPE, { type: type.typeString }, node);
  return type;
}

/** The type of that name; a TypeReference when there is none. */
export function referencedType(node: QualifiedReference, scope: Scope): PType {
  if (node.value === 'typereference') return new TypeReferenceType();
  return builtInType(node.value) ?? definedType(node.value, scope) ?? new TypeReferenceType(node.casedValue);
}

/** Finds types that are not built in, for the parser of type texts. */
export function typeResolver(scope: Scope): TypeResolver {
  return (name) => definedType(name.toLowerCase(), scope);
}

function definedType(name: string, scope: Scope): PType | null {
  const { definitions } = scope.context;
  const plain = name.startsWith('::') ? name.slice(2) : name;
  // Nodes are no resource type, but what a node statement puts into the catalog can be referred to.
  const isResource = plain === 'node' || (!plain.includes('::') && definitions.findResourceType(plain) !== null);
  if (isResource || definitions.findDefine(plain)) {
    return new ResourceType(capitalizeSegments(plain));
  }
  return definitions.findType(plain);
}
