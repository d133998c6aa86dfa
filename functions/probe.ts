/**
 * Runs every five minutes: does an agent's whole run against the edge. Its time is the function's
 * own.
 */

import { MEASURES } from '../shared/config/metrics.ts';
import { PROBE_VARIABLES as NAMES } from '../shared/config/probe.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { runAsAgent } from '../shared/http/agent-run.ts';
import { SecretVariables } from '../shared/store/aws/secret-variables.ts';

/** The time at which the schedule sent it, as EventBridge writes it. */
interface ProbeEvent {
  readonly time: string;
}

const secrets = new SecretVariables(process.env, Object.values(NAMES));

/** A failed run is a failure of the function, which is not retried: the next run is soon. */
export async function handler({ time }: ProbeEvent): Promise<{ readonly resources: number }> {
  let failures = 1;
  try {
    const values = await secrets.read();
    const value = (name: string) => values[name] ?? '';
    const identity = {
      certname: value(NAMES.certname),
      certificate: value(NAMES.certificate),
      key: value(NAMES.key),
    };
    const run = await runAsAgent(value(NAMES.url), identity, { understudy_probe: true });
    failures = 0;
    return run;
  } finally {
    process.stdout.write(metricLine({ [MEASURES.probeFailures.cloudWatch]: failures }, Date.parse(time)));
  }
}
