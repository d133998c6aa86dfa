import { posix } from 'node:path';
import { OrchestratorError } from '../../orchestrator/jobs/orchestrator-error.ts';
import type { ModuleInfo } from '../../puppet/environment/environment.ts';
import type { FileServer } from '../files/file-server.ts';
import type { ServedEnvironment } from '../files/served-environment.ts';

/** Names a plan cannot have: lib/puppet/module/plan.rb. */
const RESERVED = new Set(
  (
    'and application attr case class consumes default else elsif environment false function if import in inherits node or ' +
    'private produces site true type undef unless any array boolean catalogentry collection callable data enum float hash ' +
    'integer numeric optional pattern resource runtime scalar string struct tuple variant'
  ).split(' '),
);

/** The short names of a module's plans, from its file names. */
export function plansOf(files: ServedEnvironment, { root }: ModuleInfo): readonly string[] {
  const names = (files.listNames(posix.join(root, 'plans')) ?? [])
    .filter((name) => /\.(pp|yaml)$/.test(name))
    .map((name) => posix.basename(name, posix.extname(name)))
    .filter((name) => /^[a-z][a-z0-9_]*$/.test(name) && !RESERVED.has(name));
  return [...new Set(names)];
}

/** The name of a plan: that of its module for `init`. */
export function fullPlanName({ name }: ModuleInfo, planName: string): string {
  return planName === 'init' ? name : `${name}::${planName}`;
}

/** The names of all plans of an environment; none when it is not deployed. */
export async function listPlans(server: FileServer, environment: string): Promise<readonly string[]> {
  const files = (await server.open(environment))?.files;
  if (files === undefined) return [];
  return files.environment
    .listModules()
    .flatMap((module) => plansOf(files, module).map((plan) => fullPlanName(module, plan)));
}

/** Rejects with OrchestratorError unless the environment has this plan. */
export async function findPlan(server: FileServer, environment: string, name: string): Promise<void> {
  if ((await listPlans(server, environment)).includes(name)) return;
  throw new OrchestratorError('unknown-plan', `Unknown plan ${name}`);
}
