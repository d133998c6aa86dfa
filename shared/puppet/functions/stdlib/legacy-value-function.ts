import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import type { Value } from '../../types/values/values.ts';

/**
 * Defines a 3.x function of stdlib that returns a value. It checks its own arguments, unless
 * `arity` gives their number.
 */
export function defineValueFunction(
  name: string,
  body: (args: readonly Value[], site: CallSite) => Value,
  arity = -1,
): PuppetFunction {
  return defineLegacyFunction(name, { arity, rvalue: true, body: (site, args) => body(args, site) });
}

/**
 * Throws unless the number of arguments is within bounds; `expected` describes them in the message.
 */
export function checkCount(
  name: string,
  args: readonly Value[],
  minimum: number,
  maximum: number,
  message = `${name}(): Wrong number of arguments given (${args.length} for ${minimum})`,
): void {
  if (args.length < minimum || args.length > maximum) throw new PuppetError(message);
}

export function refuse(message: string): never {
  throw new PuppetError(message);
}
