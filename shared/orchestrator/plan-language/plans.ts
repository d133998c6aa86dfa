import { posix } from 'node:path';
import type { ManifestParser } from '../../puppet/compiler/manifest-parser.ts';
import { readUtf8 } from '../../puppet/environment/utf8-text.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { Closure } from '../../puppet/evaluator/closure.ts';
import { Jump, ReturnSignal } from '../../puppet/evaluator/control-flow.ts';
import type { PlanDefinition, Program } from '../../puppet/language/ast.ts';
import { displayString } from '../../puppet/types/format/string-converter.ts';
import { sourceText } from '../../puppet/types/type-parser.ts';
import { Sensitive, type Value } from '../../puppet/types/values/values.ts';
import { BoltError, boltErrorOf, createUnknownPlan, PlanCodeError } from './bolt-error.ts';
import { toErrorValue } from './plan-objects.ts';
import type { PlanRun } from './plan-run.ts';
import { type CallablePlan, loadYamlPlan } from './yaml-plan-loader.ts';

/** The way in which a plan is run. */
interface PlanCall {
  readonly params: ReadonlyMap<string, Value>;
  /** The value of the second positional argument; absent: none. */
  readonly targets?: Value;
  readonly catchesErrors: boolean;
  /** Whether a user runs it: values of parameters that are secrets then become Sensitive. */
  readonly isFromUser?: boolean;
}

/** The plans of an environment, as one run sees them. */
export class Plans {
  readonly #run: PlanRun;
  readonly #parser: ManifestParser;
  readonly #known = new Map<string, CallablePlan | null>();
  #depth = 0;

  constructor(run: PlanRun, parser: ManifestParser) {
    this.#run = run;
    this.#parser = parser;
  }

  /** Runs a plan and returns its result. Follows bolt-modules/boltlib, run_plan. */
  run(name: string, call: PlanCall): Value {
    const plan = this.#find(name);
    if (plan === null) throw createUnknownPlan(name);
    const { depth } = this.#run.limits;
    if (this.#depth >= depth) throw new BoltError(`Plans may run within each other ${depth} times`, 'bolt/limit');
    const params = this.#prepare(plan, call);
    this.#run.note({ type: 'plan_start', plan: name });
    this.#depth += 1;
    try {
      const result = this.#run.fibers.inPlan(() => this.#evaluate(plan, params));
      this.#run.note({ type: 'plan_finish', plan: name });
      return result;
    } catch (error) {
      // Bolt: an error of the call itself, such as that of an invalid result, is not caught.
      const caught = error instanceof BoltError ? null : boltErrorOf(error);
      if (error instanceof PuppetError || error instanceof Jump) this.#run.note({ type: 'plan_finish', plan: name });
      if (caught === null || !call.catchesErrors) throw error;
      return toErrorValue(caught);
    } finally {
      this.#depth -= 1;
    }
  }

  #evaluate(plan: CallablePlan, params: ReadonlyMap<string, Value>): Value {
    const result = this.#returned(plan, params);
    if (this.#run.types.planResult.isInstance(result)) return result;
    const text = displayString(result);
    throw new BoltError(`Plan ${plan.name} returned an invalid result: ${text}`, 'bolt/invalid-plan-result', {
      plan_name: plan.name,
      result_string: text,
    });
  }

  /** The value of `return()`; undef without it. */
  #returned(plan: CallablePlan, params: ReadonlyMap<string, Value>): Value {
    try {
      this.#run.context.topScope.withGlobalScope(() => plan.call(params));
      return null;
    } catch (error) {
      if (error instanceof ReturnSignal) return error.value;
      throw error;
    }
  }

  #prepare(plan: CallablePlan, { params, targets = null, isFromUser = false }: PlanCall): ReadonlyMap<string, Value> {
    const given = new Map(params);
    if (targets !== null) addTargets(plan, given, targets);
    for (const [name, value] of given) {
      const type = plan.parameterTypes.get(name);
      if (type === undefined) continue;
      if (/\bTargetSpec\b/.test(type)) this.#run.targetsOf(value);
      if (isFromUser && /^Sensitive\b/.test(type) && !(value instanceof Sensitive))
        given.set(name, new Sensitive(value));
    }
    return given;
  }

  #find(name: string): CallablePlan | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#load(name);
    this.#known.set(name, found);
    return found;
  }

  #load(name: string): CallablePlan | null {
    if (!/^[a-z][a-z0-9_]*(::[a-z][a-z0-9_]*)*$/.test(name)) return null;
    const { environment } = this.#run;
    const [moduleName = '', ...rest] = name.split('::');
    const module = environment.findModule(moduleName);
    if (!module) return null;
    const path = posix.join(module.root, 'plans', ...(rest.length === 0 ? ['init'] : rest));
    const program = this.#parser.parseFile(`${path}.pp`);
    if (program !== null) {
      return this.#fromDefinition(requirePlan(program, name, `${path}.pp`));
    }
    const text = readUtf8(environment, `${path}.yaml`);
    return text === null ? null : loadYamlPlan(this.#run, this.#parser, name, text, `${path}.yaml`);
  }

  #fromDefinition(plan: PlanDefinition): CallablePlan {
    const { evaluator, topScope } = this.#run.context;
    const closure = new Closure(evaluator, plan, topScope, plan.name);
    const types = plan.parameters.map(({ name, typeExpr }) => [name, typeExpr ? sourceText(typeExpr) : 'Any'] as const);
    return {
      name: plan.name,
      parameterTypes: new Map(types),
      call: (params) => closure.callByName(params, true),
    };
  }
}

/** Puppet: lib/puppet/pops/loader/puppet_plan_instantiator.rb */
function requirePlan({ definitions, body }: Program, name: string, path: string): PlanDefinition {
  const from = `The code loaded from ${path}`;
  const [first, second] = definitions;
  if (first === undefined) throw new PlanCodeError(`${from} does not define the plan '${name}' - it is empty.`);
  if (second !== undefined) {
    throw new PlanCodeError(`${from} must contain only the plan '${name}' - it has additional definitions.`);
  }
  if (first.kind !== 'PlanDefinition') {
    throw new PlanCodeError(`${from} does not define the plan '${name}' - no plan found.`);
  }
  if (first.name !== name) {
    throw new PlanCodeError(`${from} produced plan with the wrong name, expected ${name}, actual ${first.name}`);
  }
  if (body !== first) throw new PlanCodeError(`${from} contains additional logic - can only contain the plan ${name}`);
  return first;
}

// Bolt: bolt-modules/boltlib, run_plan (targets_to_param)
function addTargets({ parameterTypes }: CallablePlan, params: Map<string, Value>, targets: Value): void {
  const hasNodes = parameterTypes.has('nodes');
  const hasTargets = /TargetSpec/.test(parameterTypes.get('targets') ?? '');
  if (hasNodes && hasTargets) {
    throw new PlanCodeError(
      'A plan with both a $nodes and $targets parameter cannot have either parameter specified as the second ' +
        'positional argument to run_plan().',
    );
  }
  const name = hasTargets ? 'targets' : 'nodes';
  if ((params.get(name) ?? null) !== null && (hasNodes || hasTargets)) {
    throw new PlanCodeError(
      `A plan's '${name}' parameter can be specified as the second positional argument to run_plan(), but in that ` +
        `case '${name}' must not be specified in the named arguments hash.`,
    );
  }
  params.set(name, targets);
}
