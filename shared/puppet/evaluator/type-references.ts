/**
 * Resolves type names in code. Puppet: TypeParser#interpret_QualifiedReference,
 * Runtime3TypeLoader#find
 */
import { capitalizeTypeName } from '../catalog/type-name.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import type { QualifiedReference } from '../language/ast.ts';
import { ResourceType } from '../types/catalog-types.ts';
import type { PType } from '../types/ptype.ts';
import { resolveAliases, TypeAliasType, TypeReferenceType } from '../types/reference-types.ts';
import { findBuiltInType, type TypeResolver } from '../types/type-parser.ts';
import type { Value } from '../types/values/values.ts';
import type { Definitions } from './ports.ts';
import { failWith } from './report.ts';
import type { Scope } from './scope.ts';

/** Returns the type of that name; throws when it does not exist. */
export function evalTypeReference(node: QualifiedReference, scope: Scope): Value {
  scope.context.inputs.site = node;
  const type = resolveReferencedType(node, scope);
  // Puppet: an alias is resolved at its use, and its errors are reported there.
  if (type instanceof TypeAliasType) resolveAliases(type);
  if (type instanceof TypeReferenceType) failWith(ISSUES.UNKNOWN_RESOURCE_TYPE({ type: type.typeString }), node);
  return type;
}

/** Returns the type of that name; a TypeReference when it does not exist. */
export function resolveReferencedType({ value: name, casedValue }: QualifiedReference, scope: Scope): PType {
  const known = resourceTypes.get(scope.context.definitions)?.get(name);
  if (known) return known;
  if (name === 'typereference') return new TypeReferenceType();
  return findBuiltInType(name) ?? findDefinedType(name, scope) ?? new TypeReferenceType(casedValue);
}

/** Resource types of each compile, by name. A definition found later does not replace an entry. */
const resourceTypes = new WeakMap<Definitions, Map<string, ResourceType>>();

/** Resolves types that are not built in, for the parser of type texts. */
export function typeResolver(scope: Scope): TypeResolver {
  return (name) => findDefinedType(name.toLowerCase(), scope);
}

function findDefinedType(name: string, scope: Scope): PType | null {
  const { definitions } = scope.context;
  const plain = name.startsWith('::') ? name.slice(2) : name;
  // Nodes are not a resource type, but code can refer to a node statement's catalog entry.
  const isResource = plain === 'node' || (!plain.includes('::') && definitions.findResourceType(plain) !== null);
  if (!isResource && !definitions.findDefine(plain)) return definitions.findType(plain);
  const type = new ResourceType(capitalizeTypeName(plain));
  const known = resourceTypes.get(definitions);
  if (known) known.set(name, type);
  else resourceTypes.set(definitions, new Map<string, ResourceType>().set(name, type));
  return type;
}
