import type { ParameterSetting } from '../catalog/resource.ts';
import { classTitle, definitionName, referenceTypeName } from '../catalog/type-name.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { ResourceParameter } from '../evaluator/ports.ts';
import type { Scope } from '../evaluator/scope.ts';
import type { Positioned, ResourceForm } from '../language/ast.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import { type CodeUnit, placeOf } from './code-unit.ts';
import type { CompileState } from './compile-state.ts';
import { DeclaredResource, type Implementation, unitOf } from './declared-resource.ts';
import { evaluateClasses, findClasses, prepareUnit } from './unit-evaluation.ts';

/** Location of a resource expression; `file` is '' for code without a file. */
interface DeclarationPlace {
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/**
 * Declares one resource for each title; classes are evaluated immediately. Puppet:
 * Runtime3ResourceSupport.create_resources
 */
export function declareResources(
  state: CompileState,
  scope: Scope,
  place: DeclarationPlace,
  form: ResourceForm,
  typeName: string,
  titles: readonly Value[],
  parameters: readonly ParameterSetting[],
): DeclaredResource[] {
  if (typeName.toLowerCase() === 'class')
    return titles.map((title) => declareClass(state, scope, place, rubyToS(title), parameters));
  const implementation = findImplementation(state, typeName);
  if (!implementation) throw new PuppetError(ISSUES.RESOURCE_TYPE_UNKNOWN({ type: typeName }));
  const type = referenceTypeName(typeName);
  const kind = implementation.kind === 'type' ? 'compilable_type' : 'defined_type';
  const unit = unitOf(scope);
  const { file, line } = place;
  const virtual = form !== 'regular';
  const exported = form === 'exported';
  return titles.map((givenTitle) => {
    const text = rubyToS(givenTitle);
    const title = type === 'Class' ? classTitle(text) : text;
    const options = {
      type,
      title,
      givenTitle: type === 'Class' ? title : givenTitle,
      kind,
      implementation,
      scope,
      unit,
      file,
      line,
      virtual,
      exported,
      parameters,
    } as const;
    const resource = new DeclaredResource(options);
    state.defaults.apply(resource);
    state.declare(scope, resource);
    return resource;
  });
}

function declareClass(
  state: CompileState,
  scope: Scope,
  place: DeclarationPlace,
  name: string,
  parameters: readonly ParameterSetting[],
): DeclaredResource {
  const unit = state.definitions.findUnit('class', definitionName(name));
  if (!unit) throw new PuppetError(ISSUES.DECLARED_CLASS_NOT_FOUND({ name }));
  const resource = new DeclaredResource({
    type: 'Class',
    title: classTitle(unit.name),
    kind: 'class',
    implementation: { kind: 'unit', unit },
    scope,
    unit: unitOf(scope),
    ...place,
    parameters,
  });
  state.defaults.apply(resource);
  prepareUnit(state, unit, scope, resource);
  state.declare(scope, resource);
  evaluateClasses(state, findClasses(state, [name]), scope);
  return resource;
}

export function findImplementation(state: CompileState, typeName: string): Implementation | null {
  const name = definitionName(typeName);
  // Puppet: the name of a Ruby resource type never starts with `::`.
  const type = typeName.includes(':') ? null : state.definitions.findResourceType(name);
  if (type) return { kind: 'type', type };
  const unit: CodeUnit | null = state.definitions.findUnit('define', name);
  return unit && { kind: 'unit', unit };
}

/**
 * Converts the parameters of an expression to settings that record the setting code and its
 * location.
 */
export function parameterSettings(scope: Scope, parameters: readonly ResourceParameter[]): ParameterSetting[] {
  const unit = unitOf(scope);
  return parameters.map(({ name, value, append, node }) => {
    const { file, line } = declarationPlace(node);
    return { name, value: ownCopy(value), append, unit, file, line };
  });
}

/**
 * Copies all arrays and hashes, because relationships append to lists of parameters, and a module's
 * Ruby code may change its arguments. Puppet: Runtime3Converter,
 * lib/puppet/pops/evaluator/runtime3_converter.rb
 */
function ownCopy(value: Value): Value {
  if (value instanceof PuppetHash) {
    return PuppetHash.of(Array.from(value.entries(), ([key, item]) => [ownCopy(key), ownCopy(item)] as const));
  }
  return isArray(value) ? value.map(ownCopy) : value;
}

/**
 * Returns the location of a declaration. Puppet: a function gets its caller from the call stack,
 * which names every file.
 */
export function declarationPlace(node: Positioned | null): DeclarationPlace {
  if (!node) return { file: undefined, line: undefined };
  const { file, line } = placeOf(node);
  return { file: file === '' && isCall(node) ? 'unknown' : file, line };
}

function isCall(node: Positioned & { readonly kind?: string }): boolean {
  return node.kind === 'CallNamedFunctionExpression' || node.kind === 'CallMethodExpression';
}
