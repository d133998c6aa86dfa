import { PuppetError } from '../errors/puppet-error.ts';
import type { FunctionDefinition } from '../language/ast.ts';
import { describeSignatures } from '../types/mismatch-describer.ts';
import type { PType } from '../types/ptype.ts';
import type { Value } from '../types/values/values.ts';
import { Closure } from './closure.ts';
import { NextSignal, ReturnSignal } from './control-flow.ts';
import type { Callable, CallSite, CompileContext, PuppetFunction } from './ports.ts';
import { Signature } from './signature.ts';

/**
 * A function written in Puppet. Its body runs in top scope and does not see variables of blocks
 * that run there. Puppet: lib/puppet/pops/loader/puppet_function_instantiator.rb, Closure::Named
 */
export class PuppetLanguageFunction implements PuppetFunction {
  readonly name: string;
  readonly #closure: Closure;
  readonly #signature: Signature;

  constructor(definition: FunctionDefinition, context: CompileContext) {
    this.name = definition.name;
    this.#closure = new Closure(context.evaluator, definition, context.topScope, definition.name);
    this.#signature = new Signature(definition, (expression) =>
      context.evaluator.evaluate(expression, context.topScope),
    );
  }

  call(site: CallSite, args: readonly Value[], block: Callable | null): Value {
    if (block !== null || !this.#signature.accepts(args)) {
      throw new PuppetError(describeSignatures(this.name, [this.#signature.description], args, block?.type ?? null));
    }
    try {
      return site.context.topScope.withGlobalScope((scope) => this.#closure.callInScope(scope, args));
    } catch (error) {
      if (error instanceof ReturnSignal || error instanceof NextSignal) return error.value;
      throw error;
    }
  }

  getSignatures(): readonly PType[] {
    return [this.#signature.type];
  }
}
