import type { CompileContext } from '../evaluator/ports.ts';
import { validateParameters } from '../types/mismatch-describer.ts';
import { isDeferred } from '../types/objects/standard-objects.ts';
import { StructElement, StructType } from '../types/record-types.ts';
import { ANY } from '../types/simple-types.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { CodeUnit } from './code-unit.ts';
import { findDeferredType } from './deferred-parameters.ts';
import { METAPARAMETERS } from './resource-types/builtin-types.ts';

/**
 * Throws one error that lists all invalid parameters of a class or define: unknown names, wrong
 * types, missing values. Puppet: Puppet::Resource::Type#validate_resource_hash
 */
export function validateUnitParameters(
  context: CompileContext,
  reference: string,
  unit: CodeUnit,
  values: ReadonlyMap<string, Value>,
): void {
  if (isValid(unit, values)) return;
  const standsFor = (name: string) => {
    const value = values.get(name) ?? null;
    return isDeferred(value) ? findDeferredType(context, value) : undefined;
  };
  validateParameters(reference, structOf(unit), PuppetHash.of(values), { standsFor });
}

/** Whether the parameters are valid without evaluating Deferred values. */
function isValid(unit: CodeUnit, values: ReadonlyMap<string, Value>): boolean {
  for (const [name, value] of values) if (!unit.acceptsParameter(name) || isDeferred(value)) return false;
  return unit.parameters.every((parameter) => {
    const value = values.get(parameter.name);
    if (value === undefined) return parameter.defaultValue !== null;
    return unit.typeOf(parameter)?.isInstance(value) ?? true;
  });
}

function structOf(unit: CodeUnit): StructType {
  const elements = new Map<string, StructElement>();
  for (const name of ['name', ...METAPARAMETERS]) elements.set(name, StructElement.createOptional(name, ANY));
  for (const parameter of unit.parameters) {
    const { name, defaultValue } = parameter;
    const type = unit.typeOf(parameter) ?? ANY;
    elements.set(
      name,
      defaultValue ? StructElement.createOptional(name, type) : StructElement.createRequired(name, type),
    );
  }
  return new StructType([...elements.values()]);
}
