import type { CallSite } from '../../../puppet/evaluator/ports.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import { createValidationError, PlanCodeError } from '../bolt-error.ts';
import { TargetValue } from '../plan-objects.ts';
import type { PlanRun } from '../plan-run.ts';
import { formatReference, ResourceInstanceValue } from '../resource-instance.ts';
import { definePlanFunction, type PlanFunctions } from './plan-function.ts';

/** The functions that keep resources of targets for the time of a plan. */
export const resourceFunctions: PlanFunctions = (run) => [
  definePlanFunction(run, 'set_resources', [
    { params: ['Target target', 'Hash resource'], body: (site, [target, one]) => setAll(run, site, target, [one]) },
    {
      params: ['Target target', 'ResourceInstance resource'],
      body: (site, [target, one]) => setAll(run, site, target, [one]),
    },
    {
      params: ['Target target', 'Array[Variant[Hash, ResourceInstance]] resources'],
      body: (site, [target, list]) => setAll(run, site, target, Array.isArray(list) ? list : []),
    },
  ]),
  definePlanFunction(run, 'resource', [
    { params: ['Target target', 'Type[Resource] type', 'String[1] title'], body: (_, args) => find(run, args) },
    { params: ['Target target', 'String[1] type', 'String[1] title'], body: (_, args) => find(run, args) },
  ]),
];

function find(run: PlanRun, [target = null, type = '', title = '']: readonly Value[]): Value {
  if (!(target instanceof TargetValue)) return null;
  const reference = formatReference(String(type), String(title));
  const found = run.fibers.once(() => run.inventory.get(target.name).resources.get(reference) ?? null);
  return found === null ? null : new ResourceInstanceValue(run, found);
}

// Bolt: bolt-modules/boltlib, set_resources
function setAll(
  run: PlanRun,
  site: CallSite,
  target: Value | undefined,
  resources: readonly (Value | undefined)[],
): Value {
  if (!(target instanceof TargetValue)) throw new PlanCodeError('set_resources needs a Target');
  // Ruby: Array#uniq, for which equal hashes are one, and equal resources are not.
  const hashes = PuppetHash.of(resources.filter((one) => one instanceof PuppetHash).map((one) => [one, one] as const));
  const known = resources.filter((one) => !(one instanceof PuppetHash) || hashes.get(one) === one);
  return known.map((given) => {
    const value = given instanceof PuppetHash ? create(run, site, target, given) : given;
    if (!(value instanceof ResourceInstanceValue)) throw new PlanCodeError('set_resources needs resources');
    const { resource, reference } = value;
    if (resource.target.name === target.name) {
      return new ResourceInstanceValue(
        run,
        run.fibers.once(() => run.inventory.setResource(reference, resource)),
      );
    }
    const place = run.findPlace();
    const where = place === null ? '' : `(file: ${place.file}, line: ${place.line})`;
    throw createValidationError(
      `Cannot set resource ${reference} for target ${resource.target.name} on target ${target.name}. ${where}`,
    );
  });
}

/** Makes a resource as `ResourceInstance.new` does, from keys of `get_resources` as well. */
function create(run: PlanRun, site: CallSite, target: TargetValue, given: PuppetHash): Value {
  const name = given.get('target');
  const entries: readonly (readonly [string, Value])[] = [
    ['target', given.has('target') ? run.targetOf(name ?? null) : target],
    ['type', given.get('type') ?? given.get('resource_type') ?? null],
    ['title', given.get('title') ?? null],
    ['state', given.get('state') ?? given.get('parameters') ?? null],
    ['desired_state', given.get('desired_state') ?? null],
    ['events', given.get('events') ?? null],
  ];
  const type = run.types.object('ResourceInstance');
  return run.context.evaluator.callFunction('new', [type, PuppetHash.of(entries)], site.scope, null);
}
