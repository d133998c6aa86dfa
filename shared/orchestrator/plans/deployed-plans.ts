import { posix } from 'node:path';
import { isEnvironmentName } from '../../puppet/environment/directory-environment.ts';
import type { ModuleInfo } from '../../puppet/environment/environment.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { TaskCode, TaskSnapshot } from '../tasks/deployed-code.ts';
import { InvalidPlan, type PlanMetadata } from './plan-metadata.ts';
import { readPuppetPlan } from './puppet-plan.ts';
import { readYamlPlan } from './yaml-plan.ts';

const READS_AT_ONCE = 16;

/** The plans in the modules of deployed environments. */
export class DeployedPlans {
  readonly #code: TaskCode;

  constructor(code: TaskCode) {
    this.#code = code;
  }

  /**
   * Names of the plans that are not private; none when the environment is not deployed. A plan that
   * cannot be read is listed all the same.
   */
  async list(environment: string): Promise<readonly string[]> {
    const files = await this.#open(environment);
    if (files === null) return [];
    const plans = files.environment.listModules().flatMap((module) => plansOf(files, module));
    const isHidden = await inParallel(READS_AT_ONCE, plans, (plan) => this.#isPrivate(files, plan));
    return plans.filter((_, index) => isHidden[index] === false).map(({ name }) => name);
  }

  /** Whether an environment has this plan, private or not. */
  async has(environment: string, name: string): Promise<boolean> {
    const files = await this.#open(environment);
    return files !== null && findPlan(files, name) !== null;
  }

  /** Reads a plan, private or not; null when there is none. Rejects with InvalidPlan. */
  async find(environment: string, name: string): Promise<PlanMetadata | null> {
    const files = await this.#open(environment);
    const plan = files && findPlan(files, name);
    return files === null || plan === null ? null : this.#read(files, plan);
  }

  async #isPrivate(files: TaskSnapshot, plan: Plan): Promise<boolean> {
    try {
      return (await this.#read(files, plan)).private;
    } catch (error) {
      if (error instanceof InvalidPlan) return false;
      throw error;
    }
  }

  async #read(files: TaskSnapshot, { name, path }: Plan): Promise<PlanMetadata> {
    const served = files.findServed(path, 'follow');
    if (served?.kind !== 'file') throw new InvalidPlan(`The plan ${name} is not a file (file: ${path})`);
    const text = await this.#code.readText(served.file);
    return path.endsWith('.pp') ? readPuppetPlan(name, text, path) : readYamlPlan(name, text, path);
  }

  async #open(environment: string): Promise<TaskSnapshot | null> {
    return isEnvironmentName(environment) ? ((await this.#code.open(environment))?.files ?? null) : null;
  }
}

function findPlan(files: TaskSnapshot, name: string): Plan | null {
  const module = files.environment.findModule(name.split('::')[0] ?? '');
  if (!module) return null;
  return plansOf(files, module).find((plan) => plan.name === name) ?? findNestedPlan(files, module, name);
}

/** Finds a plan below a folder of plans: `m::a::b` is `plans/a/b`. It is in no list, as in PE. */
function findNestedPlan(files: TaskSnapshot, { root }: ModuleInfo, name: string): Plan | null {
  const parts = name.split('::').slice(1);
  const isPlain = parts.length > 1 && parts.every((part) => /^[a-z][a-z0-9_]*$/.test(part));
  if (!isPlain) return null;
  const base = posix.join(root, 'plans', ...parts);
  const path = [`${base}.pp`, `${base}.yaml`].find((one) => files.findServed(one, 'follow')?.kind === 'file');
  return path === undefined ? null : { name, shortName: parts.join('::'), path };
}

/** Names a plan cannot have: lib/puppet/module/plan.rb. */
const RESERVED = new Set(
  (
    'and application attr case class consumes default else elsif environment false function if import in inherits node or ' +
    'private produces site true type undef unless any array boolean catalogentry collection callable data enum float hash ' +
    'integer numeric optional pattern resource runtime scalar string struct tuple variant'
  ).split(' '),
);

/** A plan of a module. */
interface Plan {
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
