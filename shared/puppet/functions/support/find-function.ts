import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import type { Value } from '../../types/values/values.ts';

/** Defines a function of names, given one by one or as an array. */
export function defineFindFunction(
  name: string,
  parameter: string,
  find: (site: CallSite, names: readonly string[]) => Value,
): PuppetFunction {
  // Puppet: module_directory uses the same name for both.
  const arrayParameter = parameter === 'names' ? parameter : `${parameter}_array`;
  return defineFunction(name, [
    { params: [`*String ${parameter}`], body: (site, args) => find(site, args.map(String)) },
    {
      params: [`*Array[String] ${arrayParameter}`],
      body: (site, [names]) => find(site, (Array.isArray(names) ? names : []).map(String)),
    },
  ]);
}
