import {
  capturesRestNotLast,
  capturesRestNotSupported,
  duplicateParameter,
  futureReservedWord,
  idemNotAllowedLast,
  illegalAssignmentContext,
  illegalDefinitionLocation,
  illegalDefinitionName,
  illegalExpression,
  illegalNodeInheritance,
  illegalNonliteralParameterType,
  illegalNumericParameter,
  illegalParamName,
  illegalTopConstructLocation,
  illegalTypeMapping,
  notAbsoluteTopLevel,
  notTopLevel,
  reservedParameter,
  reservedTypeName,
  unsupportedExpression,
} from '../errors/validation-issues.ts';
import type {
  Definition,
  Expression,
  FunctionDefinition,
  HostClassDefinition,
  LambdaExpression,
  Node,
  NodeDefinition,
  Parameter,
  PlanDefinition,
  Program,
  ResourceTypeDefinition,
  TypeMapping,
} from '../language/ast.ts';
import { aLabel, aLabelCapitalized, nodeLabel } from '../language/labels.ts';
import { forEachChild } from '../language/walk.ts';
import type { Report } from './diagnostic.ts';
import { isResourceWithoutTitle, uselessLast } from './idempotence.ts';
import { literalOf } from './literal.ts';
import { checkHostname } from './roles.ts';

export interface DefinitionPlace {
  /** What encloses the node, outermost first. */
  readonly path: readonly (Node | Program)[];
  readonly namespace: string | null;
  readonly report: Report;
}

const RESERVED_TYPE_NAMES: ReadonlySet<string> = new Set([
  ...['type', 'any', 'unit', 'scalar', 'boolean', 'numeric', 'integer', 'float', 'collection', 'array', 'hash'],
  ...['tuple', 'struct', 'variant', 'optional', 'enum', 'regexp', 'pattern', 'runtime', 'init', 'object'],
  ...['sensitive', 'semver', 'semverrange', 'string', 'timestamp', 'timespan', 'typeset'],
]);

/** Checks of definitions, of lambdas and of parameters. */
export function checkDefinition(node: Node, place: DefinitionPlace) {
  const { report } = place;
  switch (node.kind) {
    case 'HostClassDefinition':
    case 'ResourceTypeDefinition':
      return checkClassOrDefine(node, place);
    case 'FunctionDefinition':
    case 'PlanDefinition':
      return checkFunction(node, place);
    case 'NodeDefinition':
      return checkNode(node, place);
    case 'TypeAlias':
      checkPlace(node, place);
      if (!/^[A-Z]\w*(?:::[A-Z]\w*)*$/.test(node.name)) {
        report(illegalDefinitionName, node, { name: node.name, a: aLabel(node) });
      }
      checkReservedTypeName(node, place);
      return checkTypeReference(node.typeExpr, node, report);
    case 'TypeMapping':
      checkPlace(node, place);
      return checkTypeMapping(node, report);
    case 'TypeDefinition':
      checkPlace(node, place);
      checkReservedTypeName(node, place);
      return report(unsupportedExpression, node, { a: aLabel(node) });
    case 'LambdaExpression':
      return checkLambda(node, report);
    case 'EppExpression':
      return checkEppParameters(node, place);
    case 'Parameter':
      return checkParameter(node, report);
  }
}

/** Reports what may not stand at the top of an autoloaded file. */
export function checkTopConstructs({ body }: Program, report: Report): void {
  if (!body || body.kind === 'Nop') return;
  const statements = body.kind === 'BlockExpression' ? body.statements : [body];
  for (const statement of statements) {
    if (isDefinition(statement) && statement.kind !== 'NodeDefinition') continue;
    report(illegalTopConstructLocation, statement, { expression: nodeLabel(statement), name: null });
  }
}

function isDefinition(node: Expression): node is Definition {
  return /(?:Definition|^TypeAlias|^TypeMapping)$/.test(node.kind);
}

type Named = HostClassDefinition | ResourceTypeDefinition | FunctionDefinition | PlanDefinition;

function checkNamed(node: Named, place: DefinitionPlace): void {
  const { report, namespace } = place;
  const { name } = node;
  checkPlace(node, place);
  if (!/^[a-z]\w*(?:::[a-z]\w*)*$/.test(name)) report(illegalDefinitionName, node, { name, a: aLabel(node) });
  if (namespace !== null && !name.toLowerCase().startsWith(namespace)) {
    report(illegalDefinitionLocation, node, { name, file: node.locator.file ?? '' });
  }
  checkReservedTypeName(node, place);
  if (name === 'plan') report(futureReservedWord, node, { word: name });
}

function checkReservedTypeName(node: Definition & { readonly name: string }, { report }: DefinitionPlace): void {
  if (RESERVED_TYPE_NAMES.has(node.name)) report(reservedTypeName, node, { name: node.name, a: aLabel(node) });
}

/** Definitions stand at top level or in classes; functions and types only at top level. */
function checkPlace(node: Definition, { path, report }: DefinitionPlace): void {
  for (let at = path.length - 1; at >= 0; at--) {
    const container = path[at];
    switch (container?.kind) {
      case 'ApplyExpression':
      case 'HostClassDefinition':
      case 'Program':
        return;
      case 'BlockExpression':
      case 'ApplyBlockExpression':
        if (
          path[at - 1]?.kind !== 'Program' &&
          /^(?:FunctionDefinition|PlanDefinition|TypeAlias|TypeDefinition)$/.test(node.kind)
        ) {
          report(notAbsoluteTopLevel, node, { A: aLabelCapitalized(node) });
          return;
        }
        break;
      default:
        report(notTopLevel, node, {});
        return;
    }
  }
}

function checkClassOrDefine(node: HostClassDefinition | ResourceTypeDefinition, place: DefinitionPlace): void {
  const { report } = place;
  checkNamed(node, place);
  checkNoCapture(node.parameters, node, report);
  checkUniqueNames(node.parameters, report);
  for (const parameter of node.parameters) {
    const { name } = parameter;
    if (name === 'name' || name === 'title') {
      report(reservedParameter, parameter, { name, container: nodeLabel(node) });
    }
  }
  checkEnd(node, node.body, report);
  if (node.kind === 'HostClassDefinition') checkLiteralTypes(node, report);
}

// Puppet: of classes only, not of defines, lib/puppet/pops/validation/checker4_0.rb
function checkLiteralTypes(node: HostClassDefinition, report: Report): void {
  for (const parameter of node.parameters) {
    const { name, typeExpr } = parameter;
    if (typeExpr && !literalOf(typeExpr)) {
      report(illegalNonliteralParameterType, parameter, { name, kind: typeExpr.kind });
    }
  }
}

function checkFunction(node: FunctionDefinition | PlanDefinition, place: DefinitionPlace): void {
  checkNamed(node, place);
  if (node.returnType) checkTypeReference(node.returnType, node, place.report);
  checkUniqueNames(node.parameters, place.report);
}

function checkNode(node: NodeDefinition, place: DefinitionPlace): void {
  for (const match of node.hostMatches) checkHostname(match, node, place.report);
  checkPlace(node, place);
  checkEnd(node, node.body, place.report);
  if (node.parent) place.report(illegalNodeInheritance, node.parent, {});
}

/** A body must not end with a value that nobody gets. */
function checkEnd(node: Definition, body: Expression | null, report: Report): void {
  const useless = uselessLast(body);
  if (!useless || isResourceWithoutTitle(useless)) return;
  report(idemNotAllowedLast, useless, { expression: nodeLabel(useless), container: aLabelCapitalized(node) });
}

function checkLambda(node: LambdaExpression, report: Report): void {
  for (const [index, parameter] of node.parameters.entries()) {
    if (parameter.capturesRest && index !== node.parameters.length - 1) {
      report(capturesRestNotLast, parameter, { name: parameter.name });
    }
  }
  if (node.returnType) checkTypeReference(node.returnType, node, report);
}

function checkEppParameters(node: Node, { path, report }: DefinitionPlace): void {
  const lambda = path.at(-1);
  if (lambda?.kind !== 'LambdaExpression') return;
  checkNoCapture(lambda.parameters, node, report);
  checkUniqueNames(lambda.parameters, report);
}

function checkNoCapture(parameters: readonly Parameter[], container: Node, report: Report): void {
  for (const parameter of parameters) {
    if (!parameter.capturesRest) continue;
    report(capturesRestNotSupported, parameter, { name: parameter.name, container: aLabel(container) });
  }
}

function checkUniqueNames(parameters: readonly Parameter[], report: Report): void {
  const seen = new Set<string>();
  for (const parameter of parameters) {
    if (seen.has(parameter.name)) report(duplicateParameter, parameter, { name: parameter.name });
    seen.add(parameter.name);
  }
}

function checkParameter(node: Parameter, report: Report): void {
  const { name, value } = node;
  if (/^(?:0x)?[0-9]+$/.test(name)) report(illegalNumericParameter, node, { name });
  if (!/^[a-z_]\w*$/.test(name)) report(illegalParamName, node, { name });
  if (value) checkNoAssignment(value, report);
}

/** Lambdas may assign, nothing else in a default value. */
function checkNoAssignment(node: Node, report: Report): void {
  if (node.kind === 'AssignmentExpression') report(illegalAssignmentContext, node, {});
  else if (node.kind !== 'LambdaExpression') forEachChild(node, (child) => checkNoAssignment(child, report));
}

function checkTypeReference(type: Expression | null, container: Node, report: Report): void {
  const name = type?.kind === 'AccessExpression' ? type.leftExpr : type;
  if (!type || !name) return;
  if (name.kind !== 'QualifiedReference') {
    const args = { A: aLabelCapitalized(type), feature: 'a type reference', container: aLabel(container) };
    report(illegalExpression, type, args);
  } else if (name.value === 'plan') {
    report(futureReservedWord, type, { word: name.value });
  }
}

/** `type Runtime[ruby, 'X'] = Y` and `type Runtime[ruby, [/x/, 'y']] = [/a/, 'b']`. */
function checkTypeMapping(node: TypeMapping, report: Report): void {
  const { typeExpr, mappingExpr } = node;
  const left = typeExpr?.kind === 'AccessExpression' ? typeExpr : null;
  if (left?.leftExpr.kind !== 'QualifiedReference' || left.leftExpr.casedValue !== 'Runtime') {
    report(unsupportedExpression, node, { a: aLabel(node) });
    return;
  }
  const isPattern = left.keys.length === 2 && isReplacement(left.keys[1]);
  const fits = isPattern ? isReplacement(mappingExpr) : isTypeReference(mappingExpr);
  if (fits) return;
  report(illegalTypeMapping, node, {
    expected: isPattern ? 'Tuple[Regexp,String]' : 'Type',
    A: aLabelCapitalized(node),
  });
}

function isReplacement(expr: Expression | null | undefined): boolean {
  if (expr?.kind !== 'LiteralList' || expr.values.length !== 2) return false;
  return expr.values[0]?.kind === 'LiteralRegularExpression' && expr.values[1]?.kind === 'LiteralString';
}

function isTypeReference(expr: Expression | null): boolean {
  return (expr?.kind === 'AccessExpression' ? expr.leftExpr : expr)?.kind === 'QualifiedReference';
}
