import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import type { CompileContext, ResourceAttribute, ResourceTypeInfo, TitlePattern } from '../../evaluator/ports.ts';
import { addLocation } from '../../evaluator/report.ts';
import type { Expression, Program } from '../../language/ast.ts';
import { PuppetObject } from '../../types/objects/puppet-object.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import type { Value } from '../../types/values/values.ts';

const OBJECT_TYPE = 'Puppet::Resource::ResourceType3';

/**
 * Evaluates a file of an environment's `.resource_types` (written by `puppet generate types`) to a
 * resource type. Throws PuppetError when the file creates something else. Puppet:
 * lib/puppet/pops/loader/puppet_resource_type_impl_instantiator.rb,
 * lib/puppet/pops/resource/resource_type_impl.rb
 */
export function evalGeneratedType(
  program: Program,
  name: string,
  path: string,
  context: CompileContext,
): ResourceTypeInfo {
  const creation = requireOnlyCreation(program, name, path);
  const type = context.evaluator.evaluate(creation, context.topScope);
  if (!(type instanceof PuppetObject) || type.shape.name !== OBJECT_TYPE) {
    throw new PuppetError(ISSUES.TYPE_CODE_WITHOUT_TYPE({ path, name }));
  }
  if (type.get('name') !== name) {
    const actual = String(type.get('name'));
    throw new PuppetError(ISSUES.TYPE_CODE_WITH_WRONG_NAME({ path, name, actual }));
  }
  try {
    return typeInfo(name, type);
  } catch (error) {
    throw addLocation(error, creation);
  }
}

function requireOnlyCreation(program: Program, name: string, path: string): Expression {
  const { body } = program;
  const all = body?.kind === 'BlockExpression' ? body.statements : [body];
  const statements = all.filter((statement) => statement !== null && statement.kind !== 'Nop');
  const from = `The code loaded from ${path}`;
  if (statements.length === 0) {
    throw new PuppetError(ISSUES.RESOURCE_TYPE_FILE_EMPTY({ from, name }));
  }
  const creation = statements.find(isCreation);
  if (!creation) {
    const missing = `no call to ${OBJECT_TYPE}.new found.`;
    throw new PuppetError(ISSUES.RESOURCE_TYPE_NOT_CREATED({ from, name, reason: missing }));
  }
  if (statements.length > 1) {
    throw new PuppetError(ISSUES.RESOURCE_TYPE_FILE_WITH_LOGIC({ from, name }));
  }
  return creation;
}

function isCreation(statement: Expression | null): statement is Expression {
  if (statement?.kind !== 'CallMethodExpression') return false;
  const functor = statement.functorExpr;
  if (functor.kind !== 'NamedAccessExpression') return false;
  const { leftExpr, rightExpr } = functor;
  const isType = leftExpr.kind === 'QualifiedReference' && leftExpr.casedValue === OBJECT_TYPE;
  return isType && rightExpr.kind === 'QualifiedName' && rightExpr.value === 'new';
}

function typeInfo(name: string, type: PuppetObject): ResourceTypeInfo {
  const properties = attributesOf(type.get('properties'), 'property');
  const parameters = attributesOf(type.get('parameters'), 'parameter');
  const attributes = [...properties, ...parameters];
  const namevars = attributes.filter(({ isNamevar }) => isNamevar).map((attribute) => attribute.name);
  return {
    name,
    attributes: attributes.map((attribute) => ({ name: attribute.name, kind: attribute.kind })),
    namevars,
    titlePatterns: titlePatterns(namevars, type.get('title_patterns_hash')),
    isomorphic: type.get('isomorphic') !== false,
    kind: 'compilable_type',
    hasProviders: () => false,
  };
}

type GeneratedAttribute = ResourceAttribute & { readonly isNamevar: boolean };

function attributesOf(list: Value | undefined, kind: ResourceAttribute['kind']): GeneratedAttribute[] {
  const params = Array.isArray(list) ? list.filter((param) => param instanceof PuppetObject) : [];
  return params.map((param) => ({
    name: String(param.get('name')),
    kind,
    isNamevar: param.get('name_var') === true,
  }));
}

function titlePatterns(namevars: readonly string[], patterns: Value | undefined): readonly TitlePattern[] | null {
  if (namevars.length === 0) return null;
  const given = patterns instanceof PuppetHash ? [...patterns.entries()] : null;
  if (namevars.length > 1 && (given === null || given.length === 0)) {
    throw new PuppetError(ISSUES.TITLE_PATTERNS_MISSING());
  }
  return (
    given?.map(([pattern, groups]) => ({
      pattern: pattern instanceof PuppetRegexp ? pattern.source : String(pattern),
      groups: Array.isArray(groups) ? groups.map(String) : [],
    })) ?? null
  );
}
