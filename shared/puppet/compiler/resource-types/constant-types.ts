import type { Expression, TypeAlias } from '../../language/ast.ts';
import type { PType } from '../../types/ptype.ts';
import { TypeAliasType } from '../../types/reference-types.ts';
import { findBuiltInType, type TypeResolver } from '../../types/type-parser.ts';

/**
 * A type created from an expression, and the aliases that the expression names. The type remains
 * valid while these aliases are unchanged.
 */
interface Known<T extends PType> {
  readonly type: T;
  readonly aliases: ReadonlyMap<string, PType>;
}

/**
 * Types by their expression. Entries live as long as the parsed manifest and serve all compiles of
 * a process.
 */
const typesOfExpressions = new WeakMap<Expression, Known<PType>>();
const aliasesOfDefinitions = new WeakMap<TypeAlias, Known<TypeAliasType>>();

/** Aliases without state of the compile that resolved them. */
const constantAliases = new WeakSet<PType>();

/** Built-in types that depend on the state of the compile. */
const DEPENDENT: ReadonlySet<string> = new Set(['class', 'resource', 'init', 'type', 'object', 'typeset', 'runtime']);

/**
 * Returns the type that `evaluate` creates from an expression. A type with the same meaning in
 * every compile is created once. `find` returns this compile's types that are not built in.
 */
export function typeOfExpression(
  expression: Expression,
  find: TypeResolver,
  evaluate: (expression: Expression) => PType,
): PType {
  const known = typesOfExpressions.get(expression);
  if (known && isStillValid(known, find)) return known.type;
  const type = evaluate(expression);
  const aliases = new Map<string, PType>();
  if (isConstant(expression, find, aliases)) typesOfExpressions.set(expression, { type, aliases });
  return type;
}

/**
 * Returns another compile's alias of the definition when it has the same meaning in this one;
 * undefined otherwise.
 */
export function findKnownAlias(definition: TypeAlias, find: TypeResolver): TypeAliasType | undefined {
  const known = aliasesOfDefinitions.get(definition);
  return known && isStillValid(known, find) ? known.type : undefined;
}

/** Caches a resolved alias for other compiles. */
export function cacheAlias(definition: TypeAlias, type: TypeAliasType, find: TypeResolver): void {
  const aliases = new Map<string, PType>();
  const findOther: TypeResolver = (name) => (name === definition.name.toLowerCase() ? null : find(name));
  if (definition.typeExpr === null || !isConstant(definition.typeExpr, findOther, aliases)) return;
  constantAliases.add(type);
  aliasesOfDefinitions.set(definition, { type, aliases });
}

function isStillValid({ aliases }: Known<PType>, find: TypeResolver): boolean {
  for (const [name, type] of aliases) if (find(name) !== type) return false;
  return true;
}

/**
 * Whether an expression consists only of literals, built-in types and constant aliases. Adds the
 * latter to `aliases`.
 */
function isConstant(expression: Expression, find: TypeResolver, aliases: Map<string, PType>): boolean {
  const isAlsoConstant = (each: Expression) => isConstant(each, find, aliases);
  switch (expression.kind) {
    case 'QualifiedReference':
      return isConstantName(expression.value, find, aliases);
    case 'AccessExpression':
      return isAlsoConstant(expression.leftExpr) && expression.keys.every(isAlsoConstant);
    case 'UnaryMinusExpression':
      return isAlsoConstant(expression.expr);
    case 'LiteralList':
      return expression.values.every(isAlsoConstant);
    case 'LiteralHash':
      return expression.entries.every(({ key, value }) => isAlsoConstant(key) && isAlsoConstant(value));
    case 'QualifiedName':
    case 'LiteralString':
    case 'LiteralInteger':
    case 'LiteralFloat':
    case 'LiteralBoolean':
    case 'LiteralDefault':
    case 'LiteralUndef':
    case 'LiteralRegularExpression':
      return true;
    default:
      return false;
  }
}

function isConstantName(name: string, find: TypeResolver, aliases: Map<string, PType>): boolean {
  if (findBuiltInType(name)) return !DEPENDENT.has(name);
  const type = find(name);
  if (!(type instanceof TypeAliasType) || !constantAliases.has(type)) return false;
  aliases.set(name, type);
  return true;
}
