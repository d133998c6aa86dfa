/** Parses and renders EPP templates. Follows lib/puppet/pops/evaluator/epp_evaluator.rb. */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { Closure } from '../../evaluator/closure.ts';
import { NextSignal, ReturnSignal } from '../../evaluator/control-flow.ts';
import type { CallSite, CompileContext } from '../../evaluator/ports.ts';
import type { Scope } from '../../evaluator/scope.ts';
import type { EppExpression, LambdaExpression, Program } from '../../language/ast.ts';
import { parseProgram } from '../../language/parser.ts';
import { assertInstance } from '../../types/assertion.ts';
import { parseType } from '../../types/type-parser.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { assertValid, checkProgram, type Diagnostic } from '../../validation/check.ts';

/** Parsed templates of a compile, by file. */
const parsed = new WeakMap<CompileContext, Map<string, Program>>();

/** A parsed template, and the results of its checks. */
interface ParsedTemplate {
  readonly program: Program;
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses `source`, the template in that file of the environment. */
export function parseTemplateFile(site: CallSite, functionName: string, file: string, source: string): Program {
  const { environment, settings } = site.context;
  return findKnownTemplate(site, functionName, file, source, () =>
    environment.memoize(`epp ${settings.language} ${settings.strict} ${settings.tasks} ${file}`, () =>
      parse(site, file, source),
    ),
  );
}

/** Parses the template in `source`. A syntax error becomes `functionName(): Invalid EPP: ...`. */
export function parseTemplate(site: CallSite, functionName: string, file: string, source: string): Program {
  return findKnownTemplate(site, functionName, file, source, () => parse(site, file, source));
}

function findKnownTemplate(
  site: CallSite,
  functionName: string,
  file: string,
  source: string,
  find: () => ParsedTemplate,
): Program {
  const known = parsed.get(site.context) ?? new Map<string, Program>();
  parsed.set(site.context, known);
  const key = `${file}\u0000${source}`;
  const program = known.get(key) ?? validTemplate(site, functionName, find);
  known.set(key, program);
  return program;
}

function validTemplate({ context }: CallSite, functionName: string, find: () => ParsedTemplate): Program {
  try {
    const { program, diagnostics } = find();
    assertValid(program, diagnostics, context.log);
    return program;
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    throw new PuppetError(ISSUES.INVALID_EPP({ name: functionName, detail: error.message }), { cause: error });
  }
}

function parse({ context }: CallSite, file: string, source: string): ParsedTemplate {
  const { language, settings } = context;
  const { strict, tasks } = settings;
  const program = parseProgram(source, { file, epp: true, tasks, log: context.log });
  return { program, diagnostics: checkProgram(program, { language, strict, tasks }) };
}

/** Renders a template in `scope` with its parameters; null means no parameters. */
export function renderTemplate(
  site: CallSite,
  functionName: string,
  program: Program,
  scope: Scope,
  parameters: Value,
): Value {
  const { lambda, epp } = templateOf(functionName, program);
  if (program.definitions.length > 0) {
    throw new PuppetError(ISSUES.EPP_WITH_DEFINITIONS({ name: functionName }));
  }
  const given = new Map<string, Value>();
  for (const [name, value] of parameters instanceof PuppetHash ? parameters.entries() : []) {
    const text = String(name);
    if (text.includes('::')) scope.setVariable(text.replace(/^::/, ''), value);
    else given.set(text, value);
  }
  const enforce = epp.parametersSpecified || parameters === null;
  return resultOf(functionName, () => new Closure(site.context.evaluator, lambda, scope).callByName(given, enforce));
}

const RESULT = parseType('Variant[String, Sensitive[String]]');

/**
 * Returns the template's text. `return` in the template returns any value from the function; `next`
 * must return a String.
 */
function resultOf(functionName: string, render: () => Value): Value {
  try {
    return assertInstance(`value returned from function '${functionName}'`, RESULT, render());
  } catch (error) {
    if (error instanceof ReturnSignal || error instanceof NextSignal) return error.value;
    throw error;
  }
}

function templateOf(functionName: string, program: Program): { lambda: LambdaExpression; epp: EppExpression } {
  const lambda = program.body;
  if (lambda?.kind !== 'LambdaExpression') {
    throw new PuppetError(ISSUES.EPP_WITHOUT_LAMBDA({ name: functionName }));
  }
  if (lambda.body?.kind !== 'EppExpression') {
    throw new PuppetError(ISSUES.EPP_WITHOUT_EXPRESSION({ name: functionName }));
  }
  return { lambda, epp: lambda.body };
}
