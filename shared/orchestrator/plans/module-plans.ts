import { posix } from 'node:path';
import type { ModuleInfo } from '../../puppet/environment/environment.ts';
import type { TaskSnapshot } from '../tasks/deployed-code.ts';

/** Names a plan cannot have: lib/puppet/module/plan.rb. */
const RESERVED = new Set(
  (
    'and application attr case class consumes default else elsif environment false function if import in inherits node or ' +
    'private produces site true type undef unless any array boolean catalogentry collection callable data enum float hash ' +
    'integer numeric optional pattern resource runtime scalar string struct tuple variant'
  ).split(' '),
);

/** A plan of a module. */
export interface Plan {
  /** `apache` for `init`, else `apache::restart`. */
  readonly name: string;
  /** `init`, `restart` */
  readonly shortName: string;
  /** Its served path. */
  readonly path: string;
}

/** The plans of a module, from its file names. A plan in Puppet wins over others of its name. */
export function plansOf(files: Pick<TaskSnapshot, 'listNames'>, { root, name: moduleName }: ModuleInfo): Plan[] {
  const folder = posix.join(root, 'plans');
  const plans = new Map<string, Plan>();
  for (const file of (files.listNames(folder) ?? []).toSorted()) {
    const shortName = posix.basename(file, posix.extname(file));
    const isPlan = /\.(pp|yaml)$/.test(file) && /^[a-z][a-z0-9_]*$/.test(shortName) && !RESERVED.has(shortName);
    if (!isPlan || plans.has(shortName)) continue;
    const name = shortName === 'init' ? moduleName : `${moduleName}::${shortName}`;
    plans.set(shortName, { name, shortName, path: posix.join(folder, file) });
  }
  return [...plans.values()];
}
