/**
 * Runs every five minutes: does an agent's whole run against the edge. Its time is the function's
 * own.
 */
import { CANARY_VARIABLES as NAMES } from '../shared/config/canary.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { runAsAgent } from '../shared/http/agent-run.ts';
import { SecretVariables } from '../shared/store/aws/secret-variables.ts';

/** The time at which the schedule sent it, as EventBridge writes it. */
interface CanaryEvent {
  readonly time: string;
}

const secrets = new SecretVariables(process.env, Object.values(NAMES));

/** A failed run is a failure of the function, which is not retried: the next run is soon. */
export async function handler({ time }: CanaryEvent): Promise<{ readonly resources: number }> {
  let failures = 1;
  try {
    const values = await secrets.read();
    const value = (name: string) => values[name] ?? '';
    const identity = {
      certname: value(NAMES.certname),
      certificate: value(NAMES.certificate),
      key: value(NAMES.key),
    };
    const run = await runAsAgent(value(NAMES.url), identity, { understudy_canary: true });
    failures = 0;
    return run;
  } finally {
    process.stdout.write(metricLine({ [MEASURES.canaryFailures.cloudWatch]: failures }, Date.parse(time)));
  }
}
