import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type {
  Expression,
  KeyedEntry,
  LiteralHash,
  QualifiedName,
  ResourceDefaultsExpression,
} from '../language/ast.ts';
import { assertInstance } from '../types/assertion.ts';
import { defineObject } from '../types/objects/object-definition.ts';
import { QUALIFIED_REFERENCE } from '../types/objects/object-shapes.ts';
import { type Instantiation, ObjectType } from '../types/objects/object-type.ts';
import { defineTypeSet } from '../types/objects/type-set-definition.ts';
import { TypeSetType } from '../types/objects/type-set-type.ts';
import { PType } from '../types/ptype.ts';
import { TypeAliasType } from '../types/reference-types.ts';
import { literalFromExpression, type TypeResolver, typeFromExpression } from '../types/type-parser.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

const RUNTIME_AUTHORITY = 'http://puppet.com/2016.1/runtime';

/**
 * Creates the type that `type Name = expression` defines: an Object type or TypeSet of that name,
 * or an alias. It is resolved at first use. Puppet: TypeDefinitionInstantiator
 */
export function createNamedType(name: string, expression: Expression, resolve: TypeResolver): PType {
  if (expression.kind === 'LiteralHash') return createNamedObject(name, expression, resolve);
  const [hash] = expression.kind === 'AccessExpression' ? expression.keys : [];
  const base = expression.kind === 'AccessExpression' ? expression.leftExpr : null;
  if (hash?.kind === 'LiteralHash' && base?.kind === 'QualifiedReference') {
    if (base.casedValue === 'Object') return createNamedObject(name, hash, resolve);
    if (base.casedValue === 'TypeSet') return createNamedTypeSet(name, hash, resolve);
  }
  if (hash && base?.kind === 'QualifiedReference' && base.casedValue === 'Object')
    return createUndefinedObject(name, hash);
  return new TypeAliasType(name, () => typeFromExpression(expression, resolve));
}

/** Puppet: a definition that is not a hash is taken from the syntax tree unevaluated. */
function createUndefinedObject(name: string, { kind }: Expression): PType {
  return new ObjectType(name, () => {
    throw new PuppetError(ISSUES.OBJECT_INITIALIZER_NO_STRUCT({ kind }));
  });
}

/** Creates the Object type that a hash defines; `instantiation` creates its objects. */
export function createNamedObject(
  name: string,
  hash: LiteralHash,
  resolve: TypeResolver,
  instantiation: Instantiation | null = null,
): PType {
  return new ObjectType(name, (self) => defineObject(self, literalFromExpression(hash, resolve)), instantiation);
}

function createNamedTypeSet(name: string, hash: LiteralHash, resolve: TypeResolver): PType {
  return new TypeSetType(name, (self) => {
    const definition = new PuppetHash();
    // Type names inside the set take precedence over outer ones.
    const resolveInside: TypeResolver = (typeName) => memberOf(definition, typeName) ?? resolve(typeName);
    for (const { key, value } of hash.entries) {
      const entry = literalFromExpression(key, resolve);
      definition.set(entry, typeSetEntry(name, entry, value, resolve, resolveInside));
    }
    return defineTypeSet(self, name, definition, resolve, RUNTIME_AUTHORITY);
  });
}

function memberOf(definition: PuppetHash, name: string): PType | null {
  const types = definition.get('types');
  if (!(types instanceof PuppetHash)) return null;
  const lower = name.toLowerCase();
  for (const [key, type] of types) {
    if (typeof key === 'string' && key.toLowerCase() === lower && type instanceof PType) return type;
  }
  return null;
}

function typeSetEntry(
  setName: string,
  entry: Value,
  value: Expression,
  resolve: TypeResolver,
  resolveInside: TypeResolver,
): Value {
  if ((entry !== 'types' && entry !== 'references') || value.kind !== 'LiteralHash') {
    return literalFromExpression(value, resolve);
  }
  const members = new PuppetHash();
  for (const { key, value: member } of value.entries) {
    const name = key.kind === 'QualifiedReference' ? key.casedValue : literalFromExpression(key, resolve);
    const made =
      entry === 'types'
        ? memberType(`${setName}::${String(name)}`, memberExpression(member), resolveInside)
        : literalFromExpression(member, resolve);
    members.set(name, made);
  }
  return members;
}

function memberType(name: string, expression: Expression, resolve: TypeResolver): PType {
  const type = createNamedType(name, expression, resolve);
  if (type instanceof ObjectType) assertInstance('object name', QUALIFIED_REFERENCE, name);
  return type;
}

/** Converts `Parent { attributes => … }` inside a set to a hash that names its parent. */
function memberExpression(member: Expression): Expression {
  return member.kind === 'ResourceDefaultsExpression' ? objectHash(member) : member;
}

function objectHash(defaults: ResourceDefaultsExpression): LiteralHash {
  const { typeRef, operations, offset, length, locator } = defaults;
  const entries: KeyedEntry[] = [];
  const parent = typeRef?.kind === 'QualifiedReference' ? typeRef : null;
  if (parent && parent.casedValue !== 'Object' && parent.casedValue !== 'TypeSet') {
    const named = operations.some((operation) => 'attributeName' in operation && operation.attributeName === 'parent');
    if (named) throw declaredTwiceError(defaults);
    entries.push(toKeyedEntry('parent', parent));
  }
  for (const operation of operations) {
    if ('attributeName' in operation) entries.push(toKeyedEntry(operation.attributeName, operation.valueExpr));
  }
  return { kind: 'LiteralHash', offset, length, locator, entries };
}

function toKeyedEntry(name: string, value: Expression): KeyedEntry {
  const { offset, length, locator } = value;
  const key: QualifiedName = { kind: 'QualifiedName', offset, length, locator, value: name };
  return { kind: 'KeyedEntry', offset, length, locator, key, value };
}

function declaredTwiceError({ locator, offset }: ResourceDefaultsExpression): PuppetError {
  return new PuppetError(ISSUES.DUPLICATE_KEY({ key: 'parent' }), {
    file: locator.file ?? undefined,
    line: locator.lineAt(offset),
    pos: locator.columnAt(offset),
  });
}
