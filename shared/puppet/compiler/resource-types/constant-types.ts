import type { Expression, Positioned, TypeAlias } from '../../language/ast.ts';
import type { PType } from '../../types/ptype.ts';
import { TypeAliasType } from '../../types/reference-types.ts';
import { findBuiltInType, type TypeResolver } from '../../types/type-parser.ts';
import type { TypedParameter } from '../code-unit.ts';

/**
 * Something created from expressions, and the aliases that the expressions name. It remains valid
 * while these aliases are unchanged.
 */
interface Known<T> {
  readonly made: T;
  readonly aliases: ReadonlyMap<string, PType>;
}

type ParameterTypes = ReadonlyMap<string, PType>;

/**
 * Types of parameters by their definition. Entries live as long as the parsed manifest and serve
 * all compiles of a process.
 */
const typesOfDefinitions = new WeakMap<Positioned, Known<ParameterTypes>>();
const aliasesOfDefinitions = new WeakMap<TypeAlias, Known<TypeAliasType>>();

/** Aliases without state of the compile that resolved them. */
const constantAliases = new WeakSet<PType>();

/** Built-in types that depend on the state of the compile. */
const DEPENDENT: ReadonlySet<string> = new Set(['class', 'resource', 'init', 'type', 'object', 'typeset', 'runtime']);

/**
 * Returns the types that `evaluate` creates from the parameters of a definition, by name. Types
 * with the same meaning in every compile are created once. `find` returns this compile's types that
 * are not built in.
 */
export function typesOfParameters(
  definition: Positioned,
  parameters: readonly TypedParameter[],
  find: TypeResolver,
  evaluate: (expression: Expression, parameter: string) => PType,
): ParameterTypes {
  const known = typesOfDefinitions.get(definition);
  const constant = known && isStillValid(known, find) ? known.made : null;
  if (constant?.size === parameters.length) return constant;
  const made = new Map(constant);
  const lasting = new Map(constant);
  const aliases = new Map(constant && known?.aliases);
  for (const { name, typeExpression } of parameters) {
    if (constant?.has(name)) continue;
    const type = evaluate(typeExpression, name);
    made.set(name, type);
    if (isConstant(typeExpression, find, aliases)) lasting.set(name, type);
  }
  typesOfDefinitions.set(definition, { made: lasting, aliases });
  return made;
}

/**
 * Returns another compile's alias of the definition when it has the same meaning in this one;
 * undefined otherwise.
 */
export function findKnownAlias(definition: TypeAlias, find: TypeResolver): TypeAliasType | undefined {
  const known = aliasesOfDefinitions.get(definition);
  return known && isStillValid(known, find) ? known.made : undefined;
}

/** Caches a resolved alias for other compiles. */
export function cacheAlias(definition: TypeAlias, type: TypeAliasType, find: TypeResolver): void {
  const aliases = new Map<string, PType>();
  const findOther: TypeResolver = (name) => (name === definition.name.toLowerCase() ? null : find(name));
  if (definition.typeExpr === null || !isConstant(definition.typeExpr, findOther, aliases)) return;
  constantAliases.add(type);
  aliasesOfDefinitions.set(definition, { made: type, aliases });
}

function isStillValid({ aliases }: Known<unknown>, find: TypeResolver): boolean {
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
