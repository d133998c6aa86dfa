/**
 * `npm run cost -- --nodes N --interval MINUTES [--push] [--inventory] [--json]`: the monthly bill
 * of a fleet in AWS, from counted requests to the stores (against emulators), list prices and the
 * figures of `work.ts`. With `--json` it prints one object a line: {"measure", "value", "unit"}.
 */
import { parseArgs } from 'node:util';
import { type BillRow, type Fleet, makeBill, USUAL_FLEET } from './bill.ts';
import { measureUse } from './measure-use.ts';
import { PRICE_LIST } from './prices.ts';
import type { MeasuredUse } from './use.ts';
import { MEASURED } from './work.ts';

const USAGE = `npm run cost -- --nodes N --interval MINUTES [--push] [--inventory] [--json]
  [--deploys 20]       deploys a month
  [--changed 1]        the share of the nodes whose catalog a deploy changes
  [--fact-changes 30]  compiles of a node a month because of its facts
  [--nat-gateways 2]
  [--no-orchestrator]  without a broker, jobs and tasks`;

function readFleet(): { readonly fleet: Fleet; readonly json: boolean } {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string' },
      interval: { type: 'string' },
      push: { type: 'boolean', default: false },
      'no-orchestrator': { type: 'boolean', default: false },
      inventory: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      deploys: { type: 'string', default: String(USUAL_FLEET.deploys) },
      changed: { type: 'string', default: String(USUAL_FLEET.changed) },
      'fact-changes': { type: 'string', default: String(USUAL_FLEET.factChanges) },
      'nat-gateways': { type: 'string', default: String(USUAL_FLEET.natGateways) },
    },
  });
  if (values.push && values['no-orchestrator']) throw new RangeError(`--push needs the orchestrator\n${USAGE}`);
  const number = (
    name: Exclude<keyof typeof values, 'push' | 'inventory' | 'json' | 'no-orchestrator'>,
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
  };
  return { fleet, json: values.json };
}

function sumOf(rows: readonly BillRow[]): number {
  return rows.reduce((sum, { dollars }) => sum + dollars, 0);
}

function printJson(rows: readonly BillRow[]): string {
  const all = [...rows, { name: 'total', dollars: sumOf(rows) }];
  return all
    .map(({ name, dollars }) => ({ measure: `cost.${name}`, value: Math.round(dollars * 100) / 100, unit: '$/month' }))
    .map((line) => JSON.stringify(line))
    .join('\n');
}

function printText(fleet: Fleet, rows: readonly BillRow[], use: MeasuredUse): string {
  const dollars = (name: string, value: number) => `${name.padEnd(20)} ${value.toFixed(2).padStart(12)} $/month`;
  const counts = Object.entries(use).map(([name, counted]) => {
    const units = Object.entries(counted).map(([unit, value]) => `${unit} ${Math.round(Number(value) * 10) / 10}`);
    return `${name.padEnd(10)} ${units.join(', ')}`;
  });
  return [
    `${fleet.nodes} nodes, a run each ${fleet.interval} minutes${fleet.push ? ', and when told' : ''}; ` +
      `${fleet.deploys} deploys that change ${fleet.changed * 100}%, ${fleet.factChanges} compiles from facts a node`,
    `Prices: ${PRICE_LIST.region}, ${PRICE_LIST.date}. CPU: ${MEASURED}.`,
    'Counted requests to the stores, of one node:',
    ...counts.map((line) => `  ${line}`),
    '',
    ...rows.map(({ name, dollars: value }) => dollars(name, value)),
    dollars('total', sumOf(rows)),
  ].join('\n');
}

try {
  const { fleet, json } = readFleet();
  const use = await measureUse();
  const rows = makeBill(fleet, use);
  console.log(json ? printJson(rows) : printText(fleet, rows, use));
} catch (error) {
  if (!(error instanceof RangeError || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
