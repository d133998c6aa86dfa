import { Closure } from '../../../puppet/evaluator/closure.ts';
import { ReturnSignal } from '../../../puppet/evaluator/control-flow.ts';
import type { Callable, CallSite } from '../../../puppet/evaluator/ports.ts';
import { Scope } from '../../../puppet/evaluator/scope.ts';
import { isTruthy } from '../../../puppet/functions/support/conversion.ts';
import { displayString } from '../../../puppet/types/format/string-converter.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import { BoltError, boltErrorOf, PlanCodeError } from '../bolt-error.ts';
import { type Fiber, PlanAborted } from '../fibers.ts';
import { FutureValue, isErrorValue, toErrorValue } from '../plan-objects.ts';
import type { PlanRun } from '../plan-run.ts';
import { definePlanFunction, findOption, isOn, type PlanFunctions } from './plan-function.ts';

/** Functions that decide what a plan runs, and when. */
export const controlFunctions: PlanFunctions = (run) => [
  definePlanFunction(run, 'catch_errors', {
    params: ['?Array[String[1]] error_types'],
    block: 'Callable[0, 0] block',
    body: (_, [types = null], block) => catchErrors(types, block),
  }),
  defineFailPlan(run),
  definePlanFunction(run, 'background', {
    params: ['?String[1] name'],
    block: 'Callable[0, 0] block',
    body: (site, [name = null], block) => {
      const [planRun = 0] = run.fibers.current.planRuns;
      const fiber = createFuture(run, site, block, [], planRun, typeof name === 'string' ? name : null);
      return new FutureValue(run, fiber);
    },
  }),
  definePlanFunction(run, 'parallelize', {
    params: ['Array[Any] data'],
    block: 'Callable[Any] block',
    body: (site, [data = []], block) => {
      const list = Array.isArray(data) ? data : [];
      const futures = list.map((one) => createFuture(run, site, block, [one], PARALLEL, null));
      return waitFor(run, () => futures, null, false);
    },
  }),
  defineWait(run),
  definePlanFunction(run, 'ctrl::sleep', {
    params: ['Numeric period'],
    body: (_, [period = 0]) => {
      if (Number(period) < 0) throw new PlanCodeError('time interval must not be negative');
      run.fibers.sleep(Number(period) * 1000);
      return null;
    },
  }),
  definePlanFunction(run, 'ctrl::do_until', {
    params: ['?Hash[String[1], Any] options'],
    block: 'Callable block',
    body: (_, [options], block) => doUntil(run, options, block),
  }),
  definePlanFunction(run, 'without_default_logging', {
    params: [],
    block: 'Callable[0, 0] block',
    body: (_, __, block) => block?.call() ?? null,
  }),
];

/** Blocks of `parallelize` belong to no run of a plan, so that `wait()` leaves them out. */
const PARALLEL = -1;

function catchErrors(types: Value, block: Callable | null): Value {
  try {
    return block?.call() ?? null;
  } catch (error) {
    const caught = boltErrorOf(error);
    if (caught === null) throw error;
    if (Array.isArray(types) && !types.includes(caught.kind)) throw error;
    return toErrorValue(caught);
  }
}

function defineFailPlan(run: PlanRun) {
  return definePlanFunction(run, 'fail_plan', [
    {
      params: ['String[1] msg', '?String[1] kind', '?Hash[String[1], Any] details', '?String[1] issue_code'],
      body: (_, [msg = '', kind = null, details = null, code = null]) => fail(msg, kind, details, code),
    },
    {
      params: ['Error error'],
      body: (_, [error = null]) => {
        if (!isErrorValue(error)) throw new Error('invariant: the argument is an Error');
        const part = (name: string) => error.get(name) ?? null;
        return fail(part('msg'), part('kind'), part('details'), part('issue_code'));
      },
    },
  ]);
}

function fail(msg: Value, kind: Value, details: Value, code: Value): never {
  const entries = details instanceof PuppetHash ? Array.from(details, ([key, one]) => [String(key), one] as const) : [];
  throw new BoltError(
    String(msg),
    typeof kind === 'string' ? kind : 'bolt/plan-failure',
    new Map(entries),
    typeof code === 'string' ? code : null,
  );
}

/**
 * Begins a block in the background. It has a copy of the variables that it sees now. Bolt:
 * lib/bolt/fiber_executor.rb (create_future)
 */
function createFuture(
  run: PlanRun,
  { scope, context }: CallSite,
  block: Callable | null,
  args: readonly Value[],
  planRun: number,
  name: string | null,
): Fiber {
  if (!(block instanceof Closure)) throw new Error('invariant: blocks are closures');
  const variables = scope.variables().all();
  const body = () => {
    const own = new Scope(context, context.topScope, { kind: 'local' });
    own.pushLocal(new Map(variables));
    return context.topScope.withGlobalScope(() => runBlock(run, block, own, args));
  };
  return run.fibers.create(planRun, body, name);
}

function runBlock(run: PlanRun, block: Closure, scope: Scope, args: readonly Value[]): Value {
  try {
    return checkResult(
      run,
      returned(() => block.callInScope(scope, args)),
    );
  } catch (error) {
    // Bolt: the error of an invalid result is none of the block, and ends the plan.
    if (error instanceof BoltError) throw new PlanAborted(error);
    throw boltErrorOf(error) ?? error;
  }
}

function returned(body: () => Value): Value {
  try {
    return body();
  } catch (error) {
    if (error instanceof ReturnSignal) return error.value;
    throw error;
  }
}

function checkResult(run: PlanRun, result: Value): Value {
  if (run.types.planResult.isInstance(result)) return result;
  const text = displayString(result);
  const place = run.findPlace();
  throw new BoltError(`Background block returned an invalid result: ${text}`, 'bolt/invalid-plan-result', {
    file: place?.file ?? null,
    line: place?.line ?? null,
    result_string: text,
  });
}

const TIMEOUT = 'Variant[Integer[0], Float[0.0]] timeout';
const FUTURES = 'Variant[Future, Array[Future]] futures';
const WAIT_OPTIONS = '?Hash[String[1], Any] options';

function defineWait(run: PlanRun) {
  const call = (futures: Value | undefined, timeout: Value, options: Value | undefined): Value => {
    const catches = isOn(findOption(options, '_catch_errors'));
    const ms = typeof timeout === 'bigint' || typeof timeout === 'number' ? Number(timeout) * 1000 : null;
    if (futures !== undefined) {
      const fibers = [futures].flat().flatMap((one) => (one instanceof FutureValue ? [one.fiber] : []));
      return waitFor(run, () => fibers, ms, catches);
    }
    return waitForAll(run, ms, catches);
  };
  return definePlanFunction(run, 'wait', [
    { params: [FUTURES, WAIT_OPTIONS], body: (_, [futures, options]) => call(futures, null, options) },
    { params: [WAIT_OPTIONS], body: (_, [options]) => call(undefined, null, options) },
    { params: [TIMEOUT, WAIT_OPTIONS], body: (_, [timeout = null, options]) => call(undefined, timeout, options) },
    {
      params: [FUTURES, TIMEOUT, WAIT_OPTIONS],
      body: (_, [futures, timeout = null, options]) => call(futures, timeout, options),
    },
  ]);
}

/** Waits for the futures of this run of the plan, and for those that they begin. */
function waitForAll(run: PlanRun, ms: number | null, catches: boolean): Value {
  let results: Value = [];
  for (;;) {
    const found = run.fibers.once(() => {
      const futures = run.fibers.ofCurrentPlan();
      return futures.some((one) => one.isAlive) ? futures : null;
    });
    if (found === null) return results;
    if (found.includes(run.fibers.current)) {
      throw new BoltError(
        'The wait() function cannot be called with no arguments inside a background block in the same plan.',
        'bolt/infinite-wait',
      );
    }
    results = waitFor(run, () => found, ms, catches);
  }
}

/** Waits for futures, and returns their values. */
function waitFor(run: PlanRun, list: () => readonly Fiber[], ms: number | null, catches: boolean): Value {
  return run.fibers.waitFor<Value>(() => {
    const futures = list();
    const until = ms === null ? undefined : run.fibers.now() + ms;
    const isLate = () => until !== undefined && run.fibers.now() >= until;
    return {
      until,
      isOver: () => futures.every((one) => !one.isAlive) || isLate(),
      finish: () => collect(run, futures, ms, catches),
    };
  });
}

function collect(run: PlanRun, futures: readonly Fiber[], ms: number | null, catches: boolean): Value {
  for (const future of futures) {
    if (!future.isAlive) continue;
    const seconds = Number(ms) / 1000;
    const message = `Future '${future.name}' timed out after ${seconds} seconds.`;
    run.fibers.fail(future, new BoltError(message, 'bolt/future-timeout-error', { future: future.name }));
  }
  const values = futures.map(({ value }) => (value instanceof BoltError ? toErrorValue(value) : value));
  const failed = futures.flatMap(({ value }, index) => (value instanceof BoltError ? [BigInt(index)] : []));
  if (failed.length === 0 || catches) return values;
  throw new BoltError(
    `parallel block failed on ${failed.length} target${failed.length === 1 ? '' : 's'}`,
    'bolt/parallel-failure',
    { action: 'parallelize', failed_indices: failed, results: values },
  );
}

function doUntil(run: PlanRun, options: Value | undefined, block: Callable | null): Value {
  const limit = Number(findOption(options, 'limit') ?? 0);
  const interval = findOption(options, 'interval');
  for (let count = 1; ; count += 1) {
    const value = block?.call() ?? null;
    if (isTruthy(value) || (limit !== 0 && count >= limit)) return value;
    if (isOn(interval)) run.fibers.sleep(Number(interval) * 1000);
  }
}
