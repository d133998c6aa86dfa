/**
 * `npm run cost -- --nodes N --interval MINUTES [--push] [--inventory] [--json]`: the monthly bill
 * of a fleet in AWS, from counted requests to the stores (against emulators), list prices and the
 * figures of `work.ts`; with `--capacity` the settings for its peaks instead. With `--json` it
 * prints one object a line: {"measure", "value", "unit"} of the bill.
 */
import { type BillRow, type Fleet, makeBill } from './bill.ts';
import { type CapacityRow, planCapacity } from './capacity.ts';
import { measureUse } from './measure-use.ts';
import { PRICE_LIST } from './prices.ts';
import { readFleet } from './read-fleet.ts';
import type { MeasuredUse } from './use.ts';
import { MEASURED } from './work.ts';

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
    `${fleet.nodes} nodes, a run each ${fleet.interval} minutes${fleet.push ? ', and when notified' : ''}; ` +
      `${fleet.deploys} deploys that change ${fleet.changed * 100}%, ${fleet.factChanges} compiles from facts a node`,
    `Prices: ${PRICE_LIST.region}, ${PRICE_LIST.date}. CPU: ${MEASURED}.`,
    'Counted requests to the stores, of one node:',
    ...counts.map((line) => `  ${line}`),
    '',
    ...rows.map(({ name, dollars: value }) => dollars(name, value)),
    dollars('total', sumOf(rows)),
  ].join('\n');
}

function printCapacity(rows: readonly CapacityRow[], json: boolean): string {
  if (json) return rows.map((row) => JSON.stringify(row)).join('\n');
  const print = ({ peak, value, unit, setting }: CapacityRow) =>
    `${peak.padEnd(52)} ${value.toFixed(1).padStart(10)} ${unit.padEnd(18)} ${setting ?? ''}`.trimEnd();
  return rows.map(print).join('\n');
}

try {
  const { fleet, json, capacity } = readFleet(process.argv.slice(2));
  const use = await measureUse();
  if (capacity) {
    console.log(printCapacity(planCapacity(fleet, use), json));
    process.exit();
  }
  const rows = makeBill(fleet, use);
  console.log(json ? printJson(rows) : printText(fleet, rows, use));
} catch (error) {
  if (!(error instanceof RangeError || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
