import { evaluatePlan, type PlanEnd } from '../../../../shared/orchestrator/plan-language/evaluate-plan.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../../../shared/puppet/compiler/default-settings.ts';
import { NO_RECORDER } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { LocalHost } from './local-host.ts';

interface PlanSource {
  /** Files of modules, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly plan: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Answers of the inventory, in order. */
  readonly answers?: readonly unknown[];
}

/** The folder of modules of plans that `runPlanSource` runs. */
export const MODULES = '/code/environments/production/modules';

/** Runs a plan on this machine. */
export function runPlanSource(
  { files, plan, params = {}, answers = [] }: PlanSource,
  failing = false,
): PlanEnd & { readonly host: LocalHost } {
  const host = new LocalHost(files);
  host.failing = failing;
  host.answers.push(...answers);
  const placed = Object.entries(files).map(
    ([path, text]) => [`environments/production/modules/${path}`, text] as const,
  );
  const end = evaluatePlan({
    plan,
    params,
    host,
    limits: { futures: 100, depth: 30 },
    noop: false,
    compile: {
      node: {
        certname: 'plan',
        environment: 'production',
        facts: new PuppetHash(),
        trusted: new PuppetHash(),
        serverFacts: null,
        parameters: new PuppetHash(),
        classes: [],
        isAbsent: true,
      },
      environment: Object.assign(
        createMemoryEnvironment({
          name: 'production',
          codeDirectory: '/code',
          files: Object.fromEntries(placed),
          manifest: null,
          inputs: NO_RECORDER,
        }),
        { codeId: 'c0de' },
      ),
      settings: DEFAULT_COMPILE_SETTINGS,
      inputs: NO_RECORDER,
      exportsOf: () => [],
    },
  });
  return { ...end, host };
}
