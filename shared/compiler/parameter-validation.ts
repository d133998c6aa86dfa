import { PuppetError } from '../errors/puppet-error.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import { validateParameters } from '../types/mismatch-describer.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import { StructElement, StructType } from '../types/record-types.ts';
import { ANY } from '../types/simple-types.ts';
import { isDeferred } from '../types/standard-objects.ts';
import type { Value } from '../types/values.ts';
import { METAPARAMETERS } from './builtin-types.ts';
import type { CodeUnit } from './code-unit.ts';
import { deferredMismatch } from './deferred-parameters.ts';

/**
 * Throws one error with all that is wrong with the parameters of a class or define: unknown ones, values of the wrong
 * type, missing ones. Puppet: Puppet::Resource::Type#validate_resource_hash
 */
export function validateUnitParameters(
  context: CompileContext,
  reference: string,
  unit: CodeUnit,
  values: ReadonlyMap<string, Value>,
): void {
  const deferred = new Set<string>();
  for (const parameter of unit.parameters) {
    const { name } = parameter;
    const value = values.get(name);
    if (value === undefined || !isDeferred(value)) continue;
    deferred.add(name);
    const fault = deferredMismatch(context, name, unit.typeOf(parameter), value);
    if (fault !== null) throw new PuppetError(`${reference}: ${fault}`);
  }
  if (isValid(unit, values, deferred)) return;
  validateParameters(reference, structOf(unit, deferred), PuppetHash.of(values));
}

function isValid(unit: CodeUnit, values: ReadonlyMap<string, Value>, deferred: ReadonlySet<string>): boolean {
  for (const name of values.keys()) if (!unit.acceptsParameter(name)) return false;
  return unit.parameters.every((parameter) => {
    const value = values.get(parameter.name);
    if (value === undefined) return parameter.defaultValue !== null;
    return deferred.has(parameter.name) || (unit.typeOf(parameter)?.isInstance(value) ?? true);
  });
}

/** The parameters as a Struct; those whose values are deferred may be anything. */
function structOf(unit: CodeUnit, deferred: ReadonlySet<string>): StructType {
  const elements = new Map<string, StructElement>();
  for (const name of ['name', ...METAPARAMETERS]) elements.set(name, StructElement.optional(name, ANY));
  for (const parameter of unit.parameters) {
    const { name, defaultValue } = parameter;
    const type = deferred.has(name) ? ANY : (unit.typeOf(parameter) ?? ANY);
    elements.set(name, defaultValue ? StructElement.optional(name, type) : StructElement.required(name, type));
  }
  return new StructType([...elements.values()]);
}
