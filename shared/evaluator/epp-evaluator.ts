import { PuppetError } from '../errors/puppet-error.ts';
import type { LambdaExpression, Program } from '../language/ast.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import { displayString } from '../types/string-converter.ts';
import type { Value } from '../types/values.ts';
import { Closure } from './closure.ts';
import { rubyClassName } from './ruby-class.ts';
import type { Scope } from './scope.ts';

export interface TemplateCall {
  /** `epp` or `inline_epp`, for error texts. */
  readonly functionName: string;
  /** What parsing the template gave. */
  readonly program: Program;
  readonly scope: Scope;
  /** A Hash of parameters; null when none were given. */
  readonly args: Value;
  /** Whether only the variables of the global scope are visible. */
  readonly globalOnly: boolean;
}

/**
 * The text that a template renders: a String, or a Sensitive when it rendered one. Parameters are checked when the
 * template declares some, or when no arguments were given. Puppet: lib/puppet/pops/evaluator/epp_evaluator.rb
 */
export function evaluateTemplate(call: TemplateCall): Value {
  const { args, scope, functionName } = call;
  if (args !== null && !(args instanceof PuppetHash)) {
    const text = `${functionName}(): the template_args must be a Hash, got a ${rubyClassName(args)}`;
    throw new PuppetError(text);
  }
  const lambda = templateLambda(call);
  const specified = lambda.body?.kind === 'EppExpression' && lambda.body.parametersSpecified;
  const given = setQualified(args, scope);
  const enforce = specified || args === null;
  const render = (inScope: Scope) => new Closure(scope.context.evaluator, lambda, inScope).callByName(given, enforce);
  return call.globalOnly ? scope.withGlobalScope(render) : render(scope);
}

function templateLambda({ functionName, program }: TemplateCall): LambdaExpression {
  const { body } = program;
  if (body?.kind !== 'LambdaExpression' || body.body?.kind !== 'EppExpression') {
    throw new PuppetError(
      `${functionName}(): the parser did not produce a LambdaExpression, got '${body?.kind ?? 'NilClass'}'`,
    );
  }
  if (program.definitions.length > 0) {
    throw new PuppetError(`${functionName}(): The EPP template contains illegal expressions (definitions)`);
  }
  return body;
}

/** Arguments with a qualified name are set as variables; the others are returned. */
function setQualified(args: PuppetHash | null, scope: Scope): Map<string, Value> {
  const given = new Map<string, Value>();
  for (const [key, value] of args?.entries() ?? []) {
    const name = displayString(key);
    if (name.includes('::')) scope.setVariable(name.replace(/^::/, ''), value);
    else given.set(name, value);
  }
  return given;
}
