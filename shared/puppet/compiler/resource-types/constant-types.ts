import type { Expression, TypeAlias } from '../../language/ast.ts';
import type { PType } from '../../types/ptype.ts';
import { TypeAliasType } from '../../types/reference-types.ts';
import { findBuiltInType, type TypeResolver } from '../../types/type-parser.ts';

/**
 * A type that was made of an expression, and the aliases that the expression names: as long as they
 * stand for the same, so does it.
 */
interface Known<T extends PType> {
  readonly type: T;
  readonly aliases: ReadonlyMap<string, PType>;
}

/**
 * Types by what they were made of, which lives as long as the parsed manifest: for all compiles of
 * a process.
 */
const typesOfExpressions = new WeakMap<Expression, Known<PType>>();
const aliasesOfDefinitions = new WeakMap<TypeAlias, Known<TypeAliasType>>();

/** Aliases that hold nothing of the compile that worked them out. */
const constantAliases = new WeakSet<PType>();

/** Built-in types that look something up in what is being compiled. */
const DEPENDENT: ReadonlySet<string> = new Set(['class', 'resource', 'init', 'type', 'object', 'typeset', 'runtime']);

/**
 * The type that `evaluate` makes of an expression; one that means the same in every compile is made
 * once. `find` gives the types of this compile that are not built in.
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
 * The alias that another compile made of the definition, when it means the same in this one;
 * undefined when there is none.
 */
export function findKnownAlias(definition: TypeAlias, find: TypeResolver): TypeAliasType | undefined {
  const known = aliasesOfDefinitions.get(definition);
  return known && isStillValid(known, find) ? known.type : undefined;
}

/** Keeps an alias, with what it stands for worked out, for other compiles. */
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
 * Whether an expression is made of literals, built-in types and constant aliases only; the latter
 * are put into `aliases`.
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
