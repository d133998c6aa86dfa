import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import { CallableType } from '../types/callable-type.ts';
import { inspectRuby } from '../types/format/ruby-text.ts';
import type { PuppetObject } from '../types/objects/puppet-object.ts';
import type { PType } from '../types/ptype.ts';
import type { Value } from '../types/values/values.ts';

/**
 * Returns the type of a Deferred parameter value: the return type of the function that it will
 * call. Returns null, with a warning, when the function does not declare one. Puppet 8:
 * TypeMismatchDescriber#describe_struct_signature
 */
export function findDeferredType(context: CompileContext, deferred: PuppetObject): PType | null {
  const returned = returnType(context, deferred);
  if (!returned) warnOfUnknownType(context, deferred);
  return returned;
}

function returnType(context: CompileContext, deferred: PuppetObject): PType | null {
  const name = String(deferred.get('name'));
  const found = context.definitions.findFunction(name);
  if (!found) throw new PuppetError(ISSUES.FUNCTION_UNKNOWN({ name }));
  const args = deferred.get('arguments') ?? null;
  const signatures = found.getSignatures().filter((type) => type instanceof CallableType);
  // Functions of the 3.x API accept any arguments and declare no return type.
  if (signatures.length === 0 && args !== null) return null;
  const signature = signatures.find((type) => takes(type, args));
  if (signature) return signature.returns;
  throw new PuppetError(ISSUES.NO_MATCHING_ARITY({ name, args: args === null ? '' : inspectRuby(args) }));
}

function takes({ params, block }: CallableType, args: Value): boolean {
  return params === null || (params.isInstance(args) && (block === null || block.isInstance(null)));
}

function warnOfUnknownType({ log }: CompileContext, deferred: PuppetObject): void {
  const name = String(deferred.get('name'));
  const text = `Deferred function ${name} has no return_type, unable to guarantee value type during compilation.`;
  log.addOnce(`${name}_deferred_warning`, { level: 'warning', message: `${text}\n   (file & line not available)` });
}
