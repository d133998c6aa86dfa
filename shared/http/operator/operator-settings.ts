import { FRONT_DOOR_VARIABLES } from '../../config/front-doors.ts';
import { ORCHESTRATOR_VARIABLES as NAMES, ORCHESTRATOR } from '../../config/orchestrator.ts';
import { readSetting } from '../../config/read-setting.ts';
import { DEFAULT_PACING } from '../../orchestrator/jobs/pacing.ts';
import type { JobsSettings, OperatorServicesOptions } from './operator-services.ts';

type Variables = Readonly<Record<string, string | undefined>>;
type Settings = Pick<OperatorServicesOptions, 'host' | 'accessPort' | 'consolePort' | 'orchestrator'>;

/**
 * Reads the settings of the access API, the console and the orchestrator from a deployment's
 * environment variables.
 */
export function operatorSettings(
  variables: Variables,
  server: Pick<JobsSettings, 'instance' | 'server' | 'vault' | 'queries' | 'startPlanThread'>,
): Settings {
  const number = (name: keyof typeof NAMES, usual: number) => Number(variables[NAMES[name]] ?? usual);
  const { compiles, actions } = DEFAULT_PACING;
  const orchestrator = {
    port: number('orchestratorPort', ORCHESTRATOR.port),
    ...server,
    keepDays: readSetting('keepJobs', variables),
    limits: { compiles: number('puppetRuns', compiles), actions: number('taskNodes', actions) },
  };
  return {
    host: variables[FRONT_DOOR_VARIABLES.edgeHost] ?? '0.0.0.0',
    accessPort: number('accessPort', ORCHESTRATOR.accessPort),
    consolePort: number('consolePort', ORCHESTRATOR.consolePort),
    orchestrator: variables[NAMES.isOn] === 'true' ? orchestrator : null,
  };
}

/** The certnames whose certificates may do everything in the access API. */
export function accessAllowList(variables: Variables): ReadonlySet<string> {
  return new Set((variables[NAMES.accessAllowList] ?? '').split(',').filter((certname) => certname !== ''));
}
