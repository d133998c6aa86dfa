import { ISSUES } from '../errors/issues/catalogue.ts';
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
import { nodeLabel } from '../language/labels.ts';
import { forEachChild } from '../language/walk.ts';
import type { Report } from './diagnostic.ts';
import { isResourceWithoutTitle, uselessLast } from './idempotence.ts';
import { literalOf } from './literal.ts';
import { checkHostname } from './roles.ts';

export interface DefinitionPlace {
  /** The ancestors of the node, outermost first. */
  readonly path: readonly (Node | Program)[];
  readonly namespace: string | null;
  /** The name of the product in messages. */
  readonly product: string;
  readonly report: Report;
}

const RESERVED_TYPE_NAMES: ReadonlySet<string> = new Set([
  ...['type', 'any', 'unit', 'scalar', 'boolean', 'numeric', 'integer', 'float', 'collection', 'array', 'hash'],
  ...['tuple', 'struct', 'variant', 'optional', 'enum', 'regexp', 'pattern', 'runtime', 'init', 'object'],
  ...['sensitive', 'semver', 'semverrange', 'string', 'timestamp', 'timespan', 'typeset'],
]);

/** Checks definitions, lambdas and parameters. */
export function checkDefinition(node: Node, place: DefinitionPlace) {
  const { product, report } = place;
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
        report(ISSUES.ILLEGAL_DEFINITION_NAME({ name: node.name, semantic: nodeLabel(node) }), node);
      }
      checkReservedTypeName(node, place);
      return checkTypeReference(node.typeExpr, node, report);
    case 'TypeMapping':
      checkPlace(node, place);
      return checkTypeMapping(node, place);
    case 'TypeDefinition':
      checkPlace(node, place);
      checkReservedTypeName(node, place);
      return report(ISSUES.UNSUPPORTED_EXPRESSION({ semantic: nodeLabel(node), product }), node);
    case 'LambdaExpression':
      return checkLambda(node, report);
    case 'EppExpression':
      return checkEppParameters(node, place);
    case 'Parameter':
      return checkParameter(node, report);
  }
}

/** Reports everything but definitions at the top of an autoloaded file. */
export function checkTopConstructs({ body }: Program, report: Report): void {
  if (!body || body.kind === 'Nop') return;
  const statements = body.kind === 'BlockExpression' ? body.statements : [body];
  for (const statement of statements) {
    if (isDefinition(statement) && statement.kind !== 'NodeDefinition') continue;
    report(ISSUES.ILLEGAL_TOP_CONSTRUCT_LOCATION({ expression: nodeLabel(statement), name: null }), statement);
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
  if (!/^[a-z]\w*(?:::[a-z]\w*)*$/.test(name))
    report(ISSUES.ILLEGAL_DEFINITION_NAME({ name, semantic: nodeLabel(node) }), node);
  if (namespace !== null && !name.toLowerCase().startsWith(namespace)) {
    report(ISSUES.ILLEGAL_DEFINITION_LOCATION({ name, file: node.locator.file ?? '' }), node);
  }
  checkReservedTypeName(node, place);
  if (name === 'plan') report(ISSUES.FUTURE_RESERVED_WORD({ word: name }), node);
}

function checkReservedTypeName(node: Definition & { readonly name: string }, { report }: DefinitionPlace): void {
  if (RESERVED_TYPE_NAMES.has(node.name))
    report(ISSUES.RESERVED_TYPE_NAME({ name: node.name, semantic: nodeLabel(node) }), node);
}

/**
 * Checks where a definition stands: at top level or in a class; functions and types only at top
 * level.
 */
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
          report(ISSUES.NOT_ABSOLUTE_TOP_LEVEL({ semantic: nodeLabel(node) }), node);
          return;
        }
        break;
      default:
        report(ISSUES.NOT_TOP_LEVEL(), node);
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
      report(ISSUES.RESERVED_PARAMETER({ name, container: nodeLabel(node) }), parameter);
    }
  }
  checkEnd(node, node.body, report);
  if (node.kind === 'HostClassDefinition') checkLiteralTypes(node, report);
}

// Puppet: checks classes only, not defines, lib/puppet/pops/validation/checker4_0.rb
function checkLiteralTypes(node: HostClassDefinition, report: Report): void {
  for (const parameter of node.parameters) {
    const { name, typeExpr } = parameter;
    if (typeExpr && !literalOf(typeExpr)) {
      report(ISSUES.ILLEGAL_NONLITERAL_PARAMETER_TYPE({ name, kind: typeExpr.kind }), parameter);
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
  if (node.parent) place.report(ISSUES.ILLEGAL_NODE_INHERITANCE(), node.parent);
}

/** Reports a body that ends with a value without effect. */
function checkEnd(node: Definition, body: Expression | null, report: Report): void {
  const useless = uselessLast(body);
  if (!useless || isResourceWithoutTitle(useless)) return;
  report(ISSUES.IDEM_NOT_ALLOWED_LAST({ expression: nodeLabel(useless), container: nodeLabel(node) }), useless);
}

function checkLambda(node: LambdaExpression, report: Report): void {
  for (const [index, parameter] of node.parameters.entries()) {
    if (parameter.capturesRest && index !== node.parameters.length - 1) {
      report(ISSUES.CAPTURES_REST_NOT_LAST({ name: parameter.name }), parameter);
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
    report(ISSUES.CAPTURES_REST_NOT_SUPPORTED({ name: parameter.name, container: nodeLabel(container) }), parameter);
  }
}

function checkUniqueNames(parameters: readonly Parameter[], report: Report): void {
  const seen = new Set<string>();
  for (const parameter of parameters) {
    if (seen.has(parameter.name)) report(ISSUES.DUPLICATE_PARAMETER({ name: parameter.name }), parameter);
    seen.add(parameter.name);
  }
}

function checkParameter(node: Parameter, report: Report): void {
  const { name, value } = node;
  if (/^(?:0x)?[0-9]+$/.test(name)) report(ISSUES.ILLEGAL_NUMERIC_PARAMETER({ name }), node);
  if (!/^[a-z_]\w*$/.test(name)) report(ISSUES.ILLEGAL_PARAM_NAME({ name }), node);
  if (value) checkNoAssignment(value, report);
}

/** Reports an assignment in a default value, except inside a lambda. */
function checkNoAssignment(node: Node, report: Report): void {
  if (node.kind === 'AssignmentExpression') report(ISSUES.ILLEGAL_ASSIGNMENT_CONTEXT(), node);
  else if (node.kind !== 'LambdaExpression') forEachChild(node, (child) => checkNoAssignment(child, report));
}

function checkTypeReference(type: Expression | null, container: Node, report: Report): void {
  const name = type?.kind === 'AccessExpression' ? type.leftExpr : type;
  if (!type || !name) return;
  if (name.kind !== 'QualifiedReference') {
    const args = { semantic: nodeLabel(type), feature: 'a type reference', container: nodeLabel(container) };
    report(ISSUES.ILLEGAL_EXPRESSION(args), type);
  } else if (name.value === 'plan') {
    report(ISSUES.FUTURE_RESERVED_WORD({ word: name.value }), type);
  }
}

/** Checks `type Runtime[ruby, 'X'] = Y` and `type Runtime[ruby, [/x/, 'y']] = [/a/, 'b']`. */
function checkTypeMapping(node: TypeMapping, { product, report }: DefinitionPlace): void {
  const { typeExpr, mappingExpr } = node;
  const left = typeExpr?.kind === 'AccessExpression' ? typeExpr : null;
  if (left?.leftExpr.kind !== 'QualifiedReference' || left.leftExpr.casedValue !== 'Runtime') {
    report(ISSUES.UNSUPPORTED_EXPRESSION({ semantic: nodeLabel(node), product }), node);
    return;
  }
  const isPattern = left.keys.length === 2 && isReplacement(left.keys[1]);
  const fits = isPattern ? isReplacement(mappingExpr) : isTypeReference(mappingExpr);
  if (fits) return;
  const semantic = nodeLabel(node);
  report(
    isPattern ? ISSUES.ILLEGAL_REGEXP_TYPE_MAPPING({ semantic }) : ISSUES.ILLEGAL_SINGLE_TYPE_MAPPING({ semantic }),
    node,
  );
}

function isReplacement(expr: Expression | null | undefined): boolean {
  if (expr?.kind !== 'LiteralList' || expr.values.length !== 2) return false;
  return expr.values[0]?.kind === 'LiteralRegularExpression' && expr.values[1]?.kind === 'LiteralString';
}

function isTypeReference(expr: Expression | null): boolean {
  return (expr?.kind === 'AccessExpression' ? expr.leftExpr : expr)?.kind === 'QualifiedReference';
}
