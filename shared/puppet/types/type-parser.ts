/**
 * Makes types from texts and expressions, without evaluation. Follows
 * lib/puppet/pops/types/type_parser.rb.
 */
import { BoundedCache } from '../../util/bounded-cache.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { AccessExpression, Expression, Node, Program, QualifiedReference } from '../language/ast.ts';
import { parseProgram } from '../language/parser.ts';
import { forEachChild } from '../language/walk.ts';
import { ResourceType } from './catalog-types.ts';
import { ArrayType } from './collection-types.ts';
import { BUILT_IN_ALIASES } from './data-types.ts';
import { metaTypeInitializer } from './meta-types.ts';
import { defineObject } from './objects/object-definition.ts';
import {
  MEMBER_NAME,
  OBJECT_SHAPE,
  QUALIFIED_REFERENCE,
  SIMPLE_TYPE_NAME,
  TYPE_SET_SHAPE,
  URI_TEXT,
} from './objects/object-shapes.ts';
import { type Instantiation, NO_MEMBERS, ObjectType } from './objects/object-type.ts';
import { MODEL_OBJECTS } from './objects/pcore-objects.ts';
import { OpaqueObject, PuppetObject } from './objects/puppet-object.ts';
import { STANDARD_OBJECTS } from './objects/standard-objects.ts';
import { parameterize, parameterizeType } from './parameterize.ts';
import { PType } from './ptype.ts';
import { resolveAliases, TypeAliasType, TypeReferenceType } from './reference-types.ts';
import { NOT_EMPTY, RegexpType } from './scalar-types.ts';
import { NON_EMPTY_STRING } from './string-types.ts';
import { capitalizeSegments } from './text/text.ts';
import { createResource } from './type-factory.ts';
import { TYPES_BY_NAME } from './type-names.ts';
import { checkParameters, isNoNumber } from './type-parameters.ts';
import { URI_PARAMETER, URI_PATTERN } from './uri/uri-pattern.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import { PuppetRegexp } from './values/regexp.ts';
import { DEFAULT, type Value } from './values/values.ts';

/** Finds a type that is not built in by its name as written; null when there is none. */
export type TypeResolver = (name: string) => PType | null;

/** A resolver, or the texts of aliases by name. The texts may refer to each other. */
export type TypeNames = TypeResolver | Readonly<Record<string, string>>;

/**
 * Cache of parsed texts. Puppet accepts `Array[1]` as a whole, though its parameter would be
 * rejected (type_parser.rb, opt_type_map).
 */
const parsed = new Map<string, PType>([['Array[1]', new ArrayType(null, NOT_EMPTY)]]);

/**
 * Parses a type. An unknown name makes a TypeReference. Throws PuppetError when the text is not a
 * type.
 */
export function parseType(text: string, names?: TypeNames | null): PType {
  const known = parsed.get(text);
  if (known && (!names || text === 'Array[1]')) return known;
  if (names) return typeFromExpression(parseExpression(text), resolverOf(names));
  const type = typeFromExpression(parseExpression(text), resolveNothing);
  parsed.set(text, type);
  return type;
}

const resolveNothing: TypeResolver = () => null;

/**
 * Finds Puppet's own types only. Puppet: without a loader Error is not found, since it has a file
 * of its own.
 */
export const WITHOUT_LOADER: TypeResolver = () => null;

function resolverOf(names: TypeNames): TypeResolver {
  if (typeof names === 'function') return names;
  const aliases = new Map<string, PType>();
  for (const [name, text] of Object.entries(names)) {
    aliases.set(name.toLowerCase(), new TypeAliasType(name, () => typeFromExpression(parseExpression(text), resolve)));
  }
  const resolve: TypeResolver = (name) => aliases.get(name.toLowerCase()) ?? null;
  return resolve;
}

/** Characters of type texts whose syntax trees are cached. */
const CACHED_CHARACTERS = 500_000;

/**
 * Syntax trees by text. Each compile makes the types of the functions that modules have in Ruby,
 * for their names may mean others: this saves 5% of a small compile.
 */
const expressions = new BoundedCache<Expression>(CACHED_CHARACTERS, (_, text) => text.length);

function parseExpression(text: string): Expression {
  const known = expressions.get(text);
  if (known) return known;
  const { body } = parseText(text);
  if (body === null) throw notAType(text);
  expressions.set(text, body);
  return body;
}

/**
 * Puppet: an error at the end of the text has no place, so that it gets the place of the code that
 * uses the text.
 */
function parseText(text: string): Program {
  try {
    return parseProgram(text, { file: null });
  } catch (error) {
    const isAtEnd = error instanceof PuppetError && error.basic.endsWith('at end of input');
    if (isAtEnd) throw new PuppetError(error.basic, { cause: error });
    throw error;
  }
}

function notAType(text: string): PuppetError {
  return new PuppetError(ISSUES.NOT_A_TYPE_SPECIFICATION({ text }));
}

/** Makes the type of an expression that consists of literals and type names. */
export function typeFromExpression(expression: Expression, resolver: TypeResolver): PType {
  const value = literalFromExpression(expression, resolver);
  if (value instanceof PType) return value;
  throw notAType(sourceText(expression));
}

/**
 * The value of an expression of literals and type names. Throws PuppetError for any other
 * expression.
 */
export function literalFromExpression(expression: Expression, resolver: TypeResolver): Value {
  switch (expression.kind) {
    case 'QualifiedReference':
      return findType(expression, resolver);
    case 'AccessExpression':
      return parseParameterized(expression, resolver);
    case 'QualifiedName':
    case 'LiteralString':
    case 'LiteralInteger':
    case 'LiteralFloat':
    case 'LiteralBoolean':
      return expression.value;
    case 'LiteralDefault':
      return DEFAULT;
    case 'LiteralUndef':
      return null;
    case 'LiteralRegularExpression':
      return new PuppetRegexp(expression.pattern);
    case 'LiteralList':
      return expression.values.map((item) => literalFromExpression(item, resolver));
    case 'LiteralHash':
      return PuppetHash.of(
        expression.entries.map(
          ({ key, value }) => [literalFromExpression(key, resolver), literalFromExpression(value, resolver)] as const,
        ),
      );
    case 'HeredocExpression':
      return literalFromExpression(expression.textExpr, resolver);
    case 'BlockExpression':
      return singleStatement(expression.statements, expression, resolver);
    case 'UnaryMinusExpression':
      return negate(literalFromExpression(expression.expr, resolver), expression);
    default:
      throw notAType(sourceText(expression));
  }
}

function singleStatement(statements: readonly Expression[], whole: Expression, resolver: TypeResolver): Value {
  const [only] = statements;
  if (statements.length !== 1 || only === undefined) throw notAType(sourceText(whole));
  return literalFromExpression(only, resolver);
}

function negate(value: Value, expression: Expression): Value {
  if (typeof value === 'bigint' || typeof value === 'number') return -value;
  throw notAType(sourceText(expression));
}

/** The source text of a node and its descendants. */
export function sourceText(node: Node): string {
  let start = node.offset;
  let end = node.offset + node.length;
  const widen = (part: Node): void => {
    start = Math.min(start, part.offset);
    end = Math.max(end, part.offset + part.length);
    forEachChild(part, widen);
  };
  forEachChild(node, widen);
  return node.locator.source.slice(start, end);
}

/** Finds a type of Puppet itself by its name, case-insensitively. */
export function findBuiltInType(name: string): PType | null {
  const lower = name.toLowerCase();
  const known = TYPES_BY_NAME.get(lower) ?? BUILT_IN_ALIASES.get(lower) ?? STANDARD_OBJECTS.get(lower);
  return known ?? modelTypes.get(lower) ?? modelType(lower);
}

const modelTypes = new Map<string, PType>([
  ['pcore', new ObjectType('Pcore', () => NO_MEMBERS)],
  ['pcore::membername', new TypeAliasType('Pcore::MemberName', () => MEMBER_NAME)],
  ['pcore::simpletypename', new TypeAliasType('Pcore::SimpleTypeName', () => SIMPLE_TYPE_NAME)],
  ['pcore::typename', new TypeAliasType('Pcore::TypeName', () => QUALIFIED_REFERENCE)],
  ['pcore::qref', new TypeAliasType('Pcore::QRef', () => QUALIFIED_REFERENCE)],
  ['pcore::uri_rx', new TypeAliasType('Pcore::URI_RX', () => new RegexpType(URI_PATTERN))],
  ['pcore::uri', new TypeAliasType('Pcore::URI', () => URI_TEXT)],
]);

/** Names for use in definitions of the model only. */
const MODEL_NAMES: ReadonlyMap<string, PType> = new Map([
  ['NonEmptyString', NON_EMPTY_STRING],
  ['ObjectShape', OBJECT_SHAPE],
  ['TypeSetShape', TYPE_SET_SHAPE],
  ['UriParameter', URI_PARAMETER],
]);

/** Types that inherit from an opaque type have a class of their own. */
const OPAQUE: Instantiation = {
  takesHash: true,
  create: (shape, attributes, type) =>
    MODEL_OBJECTS.has(shape.name.toLowerCase())
      ? new OpaqueObject(shape, attributes, type)
      : new PuppetObject(shape, attributes, type),
};

/** A type of Puppet's own model, created when it is first used. */
function modelType(lower: string): PType | null {
  const model = MODEL_OBJECTS.get(lower);
  if (model === undefined) return null;
  const resolver: TypeResolver = (name) => MODEL_NAMES.get(name) ?? findBuiltInType(model.namespace + name);
  const type = new ObjectType(
    model.name,
    (self) => defineObject(self, literalFromExpression(parseExpression(model.definition), resolver)),
    model.isOpaque ? OPAQUE : null,
    metaTypeInitializer(model.name),
  );
  modelTypes.set(lower, type);
  return type;
}

function findType(name: QualifiedReference, resolver: TypeResolver): PType {
  if (resolver === WITHOUT_LOADER && name.value === 'error') return new TypeReferenceType(name.casedValue);
  return (
    findBuiltInType(name.value) ??
    resolver(name.casedValue) ??
    (RESOURCE_TYPES.has(name.value) ? new ResourceType(capitalizeSegments(name.value)) : null) ??
    new TypeReferenceType(name.casedValue)
  );
}

/**
 * Resource types that are known without a lookup. Puppet: BUILTIN_TYPE_NAMES of the static loader.
 */
const RESOURCE_TYPES: ReadonlySet<string> = new Set([
  'component',
  'exec',
  'file',
  'filebucket',
  'group',
  'node',
  'notify',
  'package',
  'resources',
  'schedule',
  'service',
  'stage',
  'tidy',
  'user',
  'whit',
]);

const UNPARAMETERIZED: ReadonlySet<string> = new Set([
  'any',
  'data',
  'catalogentry',
  'scalar',
  'undef',
  'numeric',
  'default',
  'semverrange',
  'typereference',
  'typealias',
]);

/**
 * Returns null where Puppet silently has no type, as for `Integer['a']`; the enclosing type then
 * reports the error.
 */
function parseParameterized(expression: AccessExpression, resolver: TypeResolver): PType | null {
  const name = expression.leftExpr;
  const parameters = expression.keys.map((key) => literalFromExpression(key, resolver));
  if (name.kind !== 'QualifiedReference') throw notAType(sourceText(expression));
  if (UNPARAMETERIZED.has(name.value)) throw notParameterized(name);
  if (name.value === 'resource') return resourceType(parameters);
  if (TYPES_BY_NAME.has(name.value)) {
    checkParameters(name.value, parameters, () => notAType(sourceText(expression)));
    if (isNoNumber(name.value, parameters)) return null;
    return parameterize(name.value, parameters, name.casedValue);
  }
  return applyParameters(name, parameters, expression, resolver);
}

function notParameterized(name: QualifiedReference): PuppetError {
  return new PuppetError(ISSUES.NOT_PARAMETERIZED_TYPE({ name: name.casedValue }));
}

function resourceType(parameters: readonly Value[]): PType {
  if (parameters.length > 2) throw wrongCount('Resource', '1 or 2', parameters.length);
  const [name = null, title = null] = parameters;
  return createResource(name instanceof TypeReferenceType ? name.typeString : name, title);
}

function wrongCount(type: string, required: string | number, given: number): PuppetError {
  return new PuppetError(ISSUES.TYPE_PARAMETER_COUNT({ type, required, given }));
}

function applyParameters(
  name: QualifiedReference,
  parameters: readonly Value[],
  expression: AccessExpression,
  resolver: TypeResolver,
): PType {
  const found = findType(name, resolver);
  if (found instanceof TypeReferenceType) return new TypeReferenceType(sourceText(expression));
  if (found instanceof ResourceType) {
    if (parameters.length !== 1) throw wrongCount(name.casedValue, 1, parameters.length);
    return createResource(found, parameters[0] ?? null);
  }
  if (resolveAliases(found).kind === 'Object') return parameterizeType(resolveAliases(found), parameters);
  throw notParameterized(name);
}
