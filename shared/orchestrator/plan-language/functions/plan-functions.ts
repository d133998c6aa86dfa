import type { PuppetFunction } from '../../../puppet/evaluator/ports.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import type { PlanRun } from '../plan-run.ts';
import { actionFunctions } from './action-functions.ts';
import { controlFunctions } from './control-functions.ts';
import { fileFunctions } from './file-functions.ts';
import { outputFunctions } from './output-functions.ts';
import { definePlanFunction, findOption, isOn, type PlanFunctions, splitOptions } from './plan-function.ts';
import { referenceFunctions } from './reference-functions.ts';
import { resourceFunctions } from './resource-functions.ts';
import { resourceStep } from './resource-step.ts';
import { targetFunctions } from './target-functions.ts';

/** The functions that only plans have, by name. */
export function createPlanFunctions(run: PlanRun): ReadonlyMap<string, PuppetFunction> {
  const groups = [
    actionFunctions,
    controlFunctions,
    fileFunctions,
    outputFunctions,
    targetFunctions,
    referenceFunctions,
    resourceFunctions,
    resourceStep,
    runPlanFunction,
  ];
  return new Map(groups.flatMap((make) => make(run).map((one) => [one.name, one] as const)));
}

const runPlanFunction: PlanFunctions = (run) => {
  const call = (name: Value, targets: Value, args: Value | undefined): Value => {
    const { options, rest } = splitOptions(args);
    const params = new Map(Array.from(rest, ([key, value]) => [String(key), value] as const));
    return run.plans.run(String(name), {
      params,
      targets,
      catchesErrors: isOn(findOption(options, 'catch_errors')),
    });
  };
  return [
    definePlanFunction(run, 'run_plan', [
      { params: ['String plan_name', '?Hash args'], body: (_, [name = '', args]) => call(name, null, args) },
      {
        params: ['String plan_name', 'Boltlib::TargetSpec targets', '?Hash args'],
        body: (_, [name = '', targets = null, args = new PuppetHash()]) => call(name, targets, args),
      },
    ]),
  ];
};
