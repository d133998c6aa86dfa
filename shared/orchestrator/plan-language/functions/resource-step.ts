import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import { applyCode } from '../apply-block.ts';
import { APPLY_RESOURCES } from '../yaml-steps.ts';
import { definePlanFunction, type PlanFunctions } from './plan-function.ts';

/** Declares the resources of a step, each after the one before it. */
const MANIFEST = `$resources.each |$resource| {
  Resource[$resource['type']] { $resource['title']: * => $resource['parameters'] }
}
if $resources.length > 1 {
  ($resources.length - 1).each |$index| {
    [$before, $after] = [$resources[$index], $resources[$index + 1]]
    Resource[$before['type'], $before['title']] -> Resource[$after['type'], $after['title']]
  }
}
`;

/** The step `resources` of plans in YAML. Follows lib/bolt/pal/yaml_plan/step/resources.rb. */
export const resourceStep: PlanFunctions = (run) => [
  definePlanFunction(run, APPLY_RESOURCES, {
    params: ['Boltlib::TargetSpec targets', 'Array resources', 'Hash options'],
    body: (site, [targets = null, resources = null, options = null]) => {
      run.context.evaluator.callFunction('apply_prep', [targets], site.scope, null);
      const list = (Array.isArray(resources) ? resources : []).map(normalize);
      return applyCode(run, { targets, options, code: MANIFEST, variables: new Map([['resources', list]]) });
    },
  }),
];

/** A resource is `{type, title, parameters}`, or has its type as a key whose value is the title. */
function normalize(resource: Value): Value {
  if (!(resource instanceof PuppetHash)) return resource;
  const [named = null] = [...resource.keys()].filter((key) => key !== 'parameters');
  const type = resource.get('type') ?? named;
  const title = resource.get('title') ?? resource.get(named) ?? null;
  return PuppetHash.of([
    ['type', type],
    ['title', title],
    ['parameters', resource.get('parameters') ?? new PuppetHash()],
  ]);
}
