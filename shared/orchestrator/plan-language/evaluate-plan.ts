import type { CodeUnit } from '../../puppet/compiler/code-unit.ts';
import type { CompileRequest } from '../../puppet/compiler/compile.ts';
import { createCompile } from '../../puppet/compiler/create-compile.ts';
import { type DefinitionSources, EnvironmentDefinitions } from '../../puppet/compiler/definitions.ts';
import { LookupError } from '../../puppet/errors/lookup-error.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { Jump } from '../../puppet/evaluator/control-flow.ts';
import { isStackOverflow } from '../../puppet/evaluator/report.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import type { PType } from '../../puppet/types/ptype.ts';
import { evaluateApply } from './apply-block.ts';
import { BoltError, boltErrorOf } from './bolt-error.ts';
import { PlanAborted } from './fibers.ts';
import { createPlanFunctions } from './functions/plan-functions.ts';
import type { PlainHash, PlanHost } from './plan-effects.ts';
import { INVENTORY_ERROR } from './plan-inventory.ts';
import { faultJson, fromPlain, toPlanJson } from './plan-json.ts';
import { type PlanLimits, PlanRun } from './plan-run.ts';
import type { PlanTypes } from './plan-types.ts';
import { Plans } from './plans.ts';

/** The input of one run of a plan. */
interface PlanEvaluation {
  readonly plan: string;
  readonly params: PlainHash;
  readonly host: PlanHost;
  readonly limits: PlanLimits;
  /** Whether all tasks run in noop mode. */
  readonly noop: boolean;
  /** The environment and the parts of a compile; the node has no facts. */
  readonly compile: CompileRequest;
  /** Returns the Ruby of modules as at the start of a compile; absent: there is none. */
  readonly beginRuby?: () => RubyPort | undefined;
}

/** The end of a plan; `result` is plain JSON. */
export interface PlanEnd {
  readonly status: 'success' | 'failure';
  readonly result: unknown;
}

/**
 * Runs a plan to its end. Errors of its code are its result; a thrown error is a defect of ours.
 */
export function evaluatePlan({ plan, params, compile, ...parts }: PlanEvaluation): PlanEnd {
  const run = new PlanRun({ ...parts, compile });
  try {
    const settings = { ...compile.settings, tasks: true };
    const apply: CompileRequest['apply'] = (node, args, scope) => evaluateApply(run, node, args, scope);
    const { context, parser } = createCompile({ ...compile, settings, apply, ruby: run.beginRuby() }, (sources) => {
      return new PlanDefinitions(sources, run.types, createPlanFunctions(run));
    });
    run.connect(context, new Plans(run, parser));
    const given = new Map(Object.entries(params).map(([name, value]) => [name, fromPlain(value)] as const));
    const end = attempt(() => run.plans.run(plan, { params: given, catchesErrors: false, isFromUser: true }));
    run.fibers.finishAll();
    return end;
  } catch (error) {
    return toFailure(error);
  }
}

function attempt(body: () => ReturnType<Plans['run']>): PlanEnd {
  try {
    return { status: 'success', result: toPlanJson(body()) };
  } catch (error) {
    if (error instanceof PlanAborted) throw error;
    return toFailure(error);
  }
}

/** The definitions of an environment, with the types and functions of plans. */
class PlanDefinitions extends EnvironmentDefinitions {
  readonly #types: PlanTypes;

  constructor(sources: DefinitionSources, types: PlanTypes, functions: DefinitionSources['functions']) {
    super({ ...sources, functions: new Map([...sources.functions, ...functions]) });
    this.#types = types;
  }

  /** Code of plans sees no classes and defines: only blocks of `apply` do. */
  override findUnit(kind: CodeUnit['kind'], name: string): CodeUnit | null {
    return name === '' ? super.findUnit(kind, name) : null;
  }

  override findType(name: string): PType | null {
    return this.#types.find(name) ?? super.findType(name);
  }
}

// Bolt: lib/bolt/pal.rb (in_bolt_compiler, PALError)
function toFailure(thrown: unknown): PlanEnd {
  const error = thrown instanceof PlanAborted ? thrown.cause : thrown;
  if (isStackOverflow(error)) return failWith(new BoltError('stack level too deep', 'bolt/pal-error'), error);
  if (error instanceof Jump) {
    const illegal = error.toIllegalJumpError();
    return failWith(new BoltError(illegal.basic, 'bolt/pal-error'), illegal);
  }
  if (!(error instanceof PuppetError)) throw error;
  return failWith(boltErrorOf(error) ?? palError(error), error);
}

/** Variables that only nodes have. */
const NODE_VARIABLES = /^Evaluation Error: Unknown variable: '(facts|trusted|server_facts|settings)'\.$/;

function palError(error: PuppetError): BoltError {
  const [, variable] = (error.issueCode === 'UNKNOWN_VARIABLE' ? NODE_VARIABLES.exec(error.basic) : null) ?? [];
  if (variable !== undefined) {
    const message = `Evaluation Error: Variable '${variable}' is not available in the current scope unless explicitly defined.`;
    return new BoltError(message, 'bolt/pal-error');
  }
  // Ruby: ZeroDivisionError is the cause of Puppet's error.
  if (error.issueCode === 'DIV_BY_ZERO') return new BoltError('divided by 0', 'bolt/pal-error');
  const { cause } = error;
  const message = cause instanceof Error && !(error instanceof LookupError) ? cause.message : error.message;
  return new BoltError(message, 'bolt/pal-error');
}

function failWith(error: BoltError, located: unknown): PlanEnd {
  const { details, ...rest } = faultJson(error) as { kind: string; msg: string; details: PlainHash };
  const place = located instanceof PuppetError ? located.location : {};
  const { file, line, pos } = place;
  const added =
    'file' in details || rest.kind === INVENTORY_ERROR
      ? {}
      : {
          ...(file === undefined ? {} : { file }),
          ...(line === undefined ? {} : { line }),
          ...(pos === undefined ? {} : { column: pos }),
        };
  return { status: 'failure', result: { ...rest, details: { ...details, ...added } } };
}
