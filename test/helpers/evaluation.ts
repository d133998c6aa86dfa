import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { CompileLog } from '../../shared/puppet/errors/compile-log.ts';
import { PuppetError } from '../../shared/puppet/errors/puppet-error.ts';
import { CompileClock } from '../../shared/puppet/evaluator/compile-clock.ts';
import { createEvaluator } from '../../shared/puppet/evaluator/evaluator.ts';
import type { CompileContext, CompileSettings, PuppetFunction } from '../../shared/puppet/evaluator/ports.ts';
import { PuppetLanguageFunction } from '../../shared/puppet/evaluator/puppet-function.ts';
import { createTopScope } from '../../shared/puppet/evaluator/scope.ts';
import { parseProgram } from '../../shared/puppet/language/parser.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../shared/puppet/types/values/values.ts';

export interface EvaluationOptions {
  readonly settings?: Partial<CompileSettings>;
  readonly facts?: PuppetHash;
  readonly functions?: readonly PuppetFunction[];
  readonly resourceTypes?: readonly string[];
}

/** Creates a context without catalog, data or environment: enough for expressions. */
export function evaluationContext(options: EvaluationOptions = {}): CompileContext {
  const functions = new Map((options.functions ?? []).map((each) => [each.name, each]));
  const resourceTypes = new Set(options.resourceTypes ?? ['file', 'notify']);
  const partial = {
    settings: { strict: 'error', strictVariables: true, tasks: false, storeconfigs: false, ...options.settings },
    node: {
      certname: 'n.example.com',
      environment: 'production',
      facts: options.facts ?? new PuppetHash(),
      trusted: new PuppetHash(),
      serverFacts: null,
      parameters: new PuppetHash(),
      classes: [],
    },
    clock: new CompileClock(() => 0n, NO_RECORDER),
    inputs: { recordSetting: () => {} },
    log: new CompileLog(),
    definitions: {
      findFunction: (name: string) => functions.get(name) ?? null,
      findClass: () => null,
      findDefine: () => null,
      findType: () => null,
      findResourceType: (name: string) => (resourceTypes.has(name) ? { name } : null),
    },
    evaluator: createEvaluator(),
  };
  const context = partial as unknown as CompileContext & { topScope: CompileContext['topScope'] };
  context.topScope = createTopScope(context);
  return context;
}

/**
 * Returns the value of the last expression of `source`, evaluated as the site manifest `site.pp`.
 */
export function evaluateSource(source: string, context = evaluationContext()): Value {
  const program = parseProgram(source, { file: 'site.pp' });
  const { definitions } = context;
  for (const definition of program.definitions) {
    if (definition.kind !== 'FunctionDefinition') continue;
    const made = new PuppetLanguageFunction(definition, context);
    const before = definitions.findFunction;
    definitions.findFunction = (name) => (name === made.name ? made : before(name));
  }
  return program.body ? context.evaluator.evaluate(program.body, context.topScope) : null;
}

/** Returns the message with which evaluating `source` fails. */
export function failureOf(source: string, context = evaluationContext()): string {
  try {
    evaluateSource(source, context);
  } catch (error) {
    if (error instanceof PuppetError) return error.message;
    throw error;
  }
  throw new Error('no error');
}
