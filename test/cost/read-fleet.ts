import { parseArgs } from 'node:util';
import { type Fleet, USUAL_FLEET } from './bill.ts';

const USAGE = `npm run cost -- --nodes N --interval MINUTES [--push] [--inventory] [--json]
  [--deploys 20]       deploys a month
  [--changed 1]        the share of the nodes whose catalog a deploy changes
  [--fact-changes 30]  compiles of a node a month because of its facts
  [--nat-gateways 2]   0: interface endpoints in their place
  [--egress 0]         dollars for a gigabyte to agents outside the region
  [--backups]          daily backups
  [--capacity]         what the operator must set for peaks, and no bill
  [--no-orchestrator]  without a broker, jobs and tasks`;

/** Reads the command's options. Throws RangeError or parseArgs' TypeError for others. */
export function readFleet(args: readonly string[]): {
  readonly fleet: Fleet;
  readonly json: boolean;
  /** Whether the settings for peaks are asked for. */
  readonly capacity: boolean;
} {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string' },
      interval: { type: 'string' },
      push: { type: 'boolean', default: false },
      'no-orchestrator': { type: 'boolean', default: false },
      inventory: { type: 'boolean', default: false },
      backups: { type: 'boolean', default: false },
      capacity: { type: 'boolean', default: false },
      egress: { type: 'string', default: String(USUAL_FLEET.egress) },
      json: { type: 'boolean', default: false },
      deploys: { type: 'string', default: String(USUAL_FLEET.deploys) },
      changed: { type: 'string', default: String(USUAL_FLEET.changed) },
      'fact-changes': { type: 'string', default: String(USUAL_FLEET.factChanges) },
      'nat-gateways': { type: 'string', default: String(USUAL_FLEET.natGateways) },
    },
  });
  if (values.push && values['no-orchestrator']) throw new RangeError(`--push needs the orchestrator\n${USAGE}`);
  const number = (
    name: Exclude<keyof typeof values, 'push' | 'inventory' | 'json' | 'no-orchestrator' | 'backups' | 'capacity'>,
    least: number,
  ) => {
    const value = Number(values[name] ?? Number.NaN);
    if (value >= least) return value;
    throw new RangeError(`--${name} must be a number, at least ${least}\n${USAGE}`);
  };
  const fleet = {
    nodes: number('nodes', 1),
    interval: number('interval', 1),
    push: values.push,
    orchestrator: !values['no-orchestrator'],
    inventory: values.inventory,
    deploys: number('deploys', 0),
    changed: number('changed', 0),
    factChanges: number('fact-changes', 0),
    natGateways: number('nat-gateways', 0),
    egress: number('egress', 0),
    backups: values.backups,
  };
  return { fleet, json: values.json, capacity: values.capacity };
}
