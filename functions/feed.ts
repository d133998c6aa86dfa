/**
 * Runs every minute: completes interrupted deploys, queues lost jobs again, fills the background
 * queue, judges staged deploys, groups failures, and posts alerts about them. A lease keeps it
 * single; while another one runs, the answer is null.
 */
import type { Context } from 'aws-lambda';
import { MEASURES } from '../shared/config/metrics.ts';
import { readSetting, variableOf } from '../shared/config/read-setting.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { DEFAULT_RING, type FeedReport, feed } from '../shared/fleet/compiles/ring.ts';
import { FailureUpkeep } from '../shared/fleet/failures/failure-upkeep.ts';
import { countStages } from '../shared/fleet/stages/count-stages.ts';
import { describeOutcome, judgeStages } from '../shared/fleet/stages/judge-stage.ts';
import { postAlerts } from '../shared/inventory/forward/scheduled-alerts.ts';
import { SecretVariables } from '../shared/store/aws/secret-variables.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { runAlone } from '../shared/store/run-alone.ts';
import { messageOf } from '../shared/util/message-of.ts';

const stores = openAwsStores(process.env);
const turnMs = readSetting('ringTurn', process.env) * 3600_000;
const failures = new FailureUpkeep(stores);
const secrets = new SecretVariables(process.env, [variableOf('alertUrl')]);
const volatileRestMs = readSetting('volatileRest', process.env) * 3600_000;

export async function handler(
  _: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<FeedReport | null> {
  const report = await runAlone(stores, 'feed', context.getRemainingTimeInMillis(), async () => {
    const fed = await feed(stores, { ...DEFAULT_RING, turnMs, volatileRestMs, worksOnFanOuts: false });
    for (const outcome of await judgeStages(stores, false)) console.info(describeOutcome(outcome));
    await failures.update();
    return fed;
  });
  console.info('ring fed', report);
  if (report === null) return null;
  const stages = countStages(await stores.environments.list());
  const numbers = {
    [MEASURES.ringLag.cloudWatch]: Math.round(report.lagMs / 1000),
    [MEASURES.stagedDeploys.cloudWatch.trial]: stages.trial,
    [MEASURES.stagedDeploys.cloudWatch.held]: stages.held,
  };
  process.stdout.write(metricLine(numbers, stores.clock.now()));
  await sendAlerts();
  return report;
}

async function sendAlerts(): Promise<void> {
  const report = (message: string) => console.warn(`alert-url: ${message}`);
  try {
    const url = (await secrets.read())[variableOf('alertUrl')] ?? '';
    await postAlerts(url === '' ? null : url, stores, report);
  } catch (error) {
    report(`the address was not read: ${messageOf(error)}`);
  }
}
