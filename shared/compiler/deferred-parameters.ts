import { PuppetError } from '../errors/puppet-error.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import { CallableType } from '../types/callable-type.ts';
import { inferSet } from '../types/inference.ts';
import { describeMismatch } from '../types/mismatch-describer.ts';
import type { PType } from '../types/ptype.ts';
import type { PuppetObject } from '../types/puppet-object.ts';
import { rubyInspect } from '../types/ruby-text.ts';

/**
 * What is wrong with a Deferred as the value of a parameter: the function that it will call must return the right type.
 * Null when nothing is; a function that does not say what it returns is warned of.
 * Puppet 8: TypeMismatchDescriber#describe_struct_signature
 */
export function deferredMismatch(
  context: CompileContext,
  name: string,
  type: PType | null,
  deferred: PuppetObject,
): string | null {
  const returned = returnType(context, deferred);
  if (!returned) {
    warnOfUnknownType(context, deferred);
    return null;
  }
  if (!type || type.generalize().isAssignable(returned.generalize())) return null;
  return describeMismatch(`parameter '${name}'`, type, returned);
}

function returnType(context: CompileContext, deferred: PuppetObject): PType | null {
  const name = String(deferred.get('name'));
  const found = context.definitions.findFunction(name);
  if (!found) throw new PuppetError(`Unknown function '${name}'`);
  const args = deferred.get('arguments') ?? [];
  const given = inferSet(args);
  const signature = found.signatures().find((type) => type instanceof CallableType && type.isCallableWith(given));
  if (!(signature instanceof CallableType)) {
    throw new PuppetError(`No matching arity found for ${name} with arguments ${rubyInspect(args)}`);
  }
  return signature.returns;
}

function warnOfUnknownType({ log }: CompileContext, deferred: PuppetObject): void {
  const name = String(deferred.get('name'));
  const text = `Deferred function ${name} has no return_type, unable to guarantee value type during compilation.`;
  log.once(`${name}_deferred_warning`, { level: 'warning', message: `${text}\n   (file & line not available)` });
}
