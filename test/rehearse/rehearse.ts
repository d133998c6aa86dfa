/**
 * `npm run rehearse -- --region R --prefix P --network CIDR [--folder DIR] [--destroy]`: deploys
 * the smallest stack into the account of the AWS CLI's credentials, uses it as nodes, operators and
 * accidents do, and removes it. It prints the time of each step, about what it cost, and what
 * remains. When a step fails, the stack stays, and the same command goes on; `--destroy` removes
 * it. `--emulated` does the same over emulators on this machine.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { makeBill, USUAL_FLEET } from '../cost/bill.ts';
import { HOURS_A_MONTH } from '../cost/prices.ts';
import { IDLE } from '../cost/use.ts';
import { AwsSite } from './aws-site.ts';
import { ROOT } from './commands.ts';
import { EmulatedSite } from './emulated-site.ts';
import { type DoneStep, printSteps, rehearse } from './rehearsal.ts';
import type { Site } from './site.ts';
import { STEPS } from './steps.ts';

const USAGE = 'npm run rehearse -- --region R --prefix P --network CIDR [--folder DIR] [--destroy] | --emulated';
/** A command of the AWS CLI or the CDK may take so long. */
const COMMAND_MS = 3_600_000;
/** Two stacks: one is for the restored backup. */
const STACKS = 2;

const { values } = parseArgs({
  options: {
    region: { type: 'string' },
    prefix: { type: 'string' },
    network: { type: 'string' },
    folder: { type: 'string' },
    destroy: { type: 'boolean', default: false },
    emulated: { type: 'boolean', default: false },
  },
});

async function run(program: string, args: readonly string[]): Promise<string> {
  const options = { cwd: ROOT, timeout: COMMAND_MS, maxBuffer: 1 << 28 };
  return (await promisify(execFile)(program, [...args], options)).stdout;
}

async function openSite(folder: string): Promise<Site> {
  if (values.emulated) return new EmulatedSite();
  const { region, prefix, network } = values;
  if (!region || !network || !/^[a-z][a-z0-9]{0,9}$/.test(prefix ?? '')) throw new RangeError(USAGE);
  const site = new AwsSite({ region, prefix: prefix ?? '', network, folder, run });
  // There may be a stack of an earlier call.
  await site.find().catch(() => undefined);
  return site;
}

/** Without traffic, what is fixed is nearly all of it. */
function printCost(done: readonly DoneStep[]): string {
  const month = makeBill({ ...USUAL_FLEET, nodes: 1, interval: 30 }, IDLE).reduce(
    (sum, { dollars }) => sum + dollars,
    0,
  );
  const hours = done.reduce((sum, { seconds }) => sum + seconds, 0) / 3600;
  return `about $${((STACKS * month * hours) / HOURS_A_MONTH).toFixed(2)}, by the list prices of ${STACKS} stacks`;
}

const say = (line: string) => console.log(line);
const folder = values.folder ?? (values.emulated ? `rehearsal-emulated-${process.pid}` : `rehearsal-${values.prefix}`);
const site = await openSite(folder);
try {
  const done = values.destroy ? [] : await rehearse(STEPS, { site, folder }, { say });
  const left = await site.remove();
  if (done.length > 0) say(`\n${printSteps(done)}\n${values.emulated ? '' : printCost(done)}`);
  say(left.length === 0 ? 'nothing remains' : `these remain:\n${left.join('\n')}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (values.emulated) await site.remove();
  else console.error('The stack stays. The same command goes on from here; with --destroy it removes the stack.');
  process.exitCode = 1;
}
// The process that has loaded Puppet would keep this one.
process.exit();
