import { countUnits } from '../../util/count-units.ts';
import { isJsonRecord, type JsonRecord } from './orchestrator-client.ts';

/** A table drawn with `+-|`, as Puppet Enterprise's tools draw it. */
export function drawTable(rows: readonly (readonly [string, string])[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+\n`;
  const cells = rows.map(
    (row) => `|${row.map((cell, column) => ` ${cell.padEnd(widths[column] ?? 0)} `).join('|')}|\n`,
  );
  return `${line}${cells.join('')}${line}`;
}

const MOST_NAMED = 3;

function nameSome(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(',')} and ${more} more` : names.join(',');
}

/** Describes the target of a job: nodes, a query, a group or the whole environment. */
export function describeTarget({ options }: JsonRecord): string {
  const scope = isJsonRecord(options) && isJsonRecord(options.scope) ? options.scope : {};
  if (Array.isArray(scope.nodes)) return nameSome(scope.nodes.map(String));
  if (scope.query !== undefined) return 'query';
  if (scope.node_group !== undefined) return `node group ${String(scope.node_group)}`;
  if (scope.application !== undefined) return String(scope.application);
  return Object.keys(scope).length === 0 ? 'whole environment' : '??';
}

/** The environment of a job: `n/s` without one, with `*` when nodes may keep theirs. */
export function describeJobEnvironment({ options, environment }: JsonRecord): string {
  const asked = isJsonRecord(options) ? options : {};
  const name = isJsonRecord(environment) ? String(environment.name ?? '') : String(asked.environment ?? '');
  if (name === '') return 'n/s';
  return asked.enforce_environment === false ? `${name}*` : name;
}

/** `Finished` for `finished`. */
export function capitalizeState(text: unknown): string {
  const word = String(text);
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const ERRORS = new Set(['failed', 'errored']);

/** A node's run of Puppet, when it has ended. */
export function describePuppetRun(run: JsonRecord): string {
  const { name, state, result, transaction_uuid: uuid } = run;
  if (state === 'skipped') return `Skipped node ${name}${suffix(errorOf(run))}\n`;
  const record = isJsonRecord(result) ? result : {};
  if (state === 'errored') return `Error running puppet on ${name}${suffix(errorOf(run))}\n`;
  const lines = [`Finished node ${name} - ${state === 'failed' ? 'FAILED!' : 'SUCCESS!'}`];
  const { configuration_version: version = null } = record;
  if (version !== null) {
    lines.push(`  Configuration version: ${version}, Transaction UUID: ${uuid ?? 'unknown'}`);
  }
  if (isJsonRecord(record.metrics)) lines.push(`  Resource events: ${countEvents(record, record.metrics)}`);
  return `${lines.join('\n')}\n`;
}

function countEvents({ noop }: JsonRecord, metrics: JsonRecord): string {
  const count = (name: string) => Number(metrics[name] ?? 0);
  const isNoop = isJsonRecord(noop) && noop.noop === true;
  const [changed, failed, skipped] = [count('changed'), count('failed'), count('skipped')];
  const would = isNoop ? count('out_of_sync') : 0;
  const unchanged = Math.max(0, count('total') - changed - failed - skipped - would);
  return `${changed} changed  ${unchanged} unchanged  ${failed} failed  ${skipped} skipped  ${would} noop`;
}

/** A node's run of a task, when it has ended: text as it came, else a line for each key. */
export function describeTaskRun(run: JsonRecord): string {
  const { name, state, result } = run;
  if (state === 'skipped') return `Skipped node ${name}${suffix(errorOf(run))}\n`;
  const { _output: output, _error, ...keys } = isJsonRecord(result) ? result : {};
  const isFailed = ERRORS.has(String(state));
  const values = Object.entries(keys).map(([key, value]) => `  ${key} : ${printValue(value)}\n`);
  const text = typeof output === 'string' && output !== '' ? indent(output) : '';
  const error = isFailed ? indent(errorOf(run) ?? 'The task failed') : '';
  return `${isFailed ? 'Failed on' : 'Finished on node'} ${name}\n${values.join('')}${text}${error}`;
}

/** States of a node's run, in the order in which they are shown: what failed comes first. */
const RUN_STATES = ['failed', 'errored', 'skipped', 'running', 'ready', 'new', 'finished'];

/** The runs of a job's nodes, those that failed first; runs in one state stay as they came. */
export function orderRuns(runs: readonly JsonRecord[]): readonly JsonRecord[] {
  const rankOf = ({ state }: JsonRecord) => RUN_STATES.indexOf(String(state));
  return runs.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Counts runs by state: `1000 (3 failed, 12 running, 985 finished)`; `noun` follows the sum. */
export function countRunStates(runs: readonly JsonRecord[], noun = ''): string {
  const counts = Map.groupBy(orderRuns(runs), ({ state }) => String(state));
  const parts = [...counts].map(([state, some]) => `${some.length} ${state}`);
  return `${runs.length}${noun}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

/** The last lines of a job: how many nodes succeeded, and how long it took. */
export function describeJobEnd(job: JsonRecord): string {
  const states = isJsonRecord(job.node_states) ? job.node_states : {};
  const count = (name: string) => Number(states[name] ?? 0);
  const total = Number(job.node_count ?? 0);
  const [succeeded, failed, skipped] = [count('finished'), count('failed') + count('errored'), count('skipped')];
  const seconds = Math.round(Number(job.duration ?? 0));
  const duration = `Duration: ${seconds} sec\n`;
  if (job.state === 'finished') return `Job completed. ${succeeded}/${total} nodes succeeded.\n${duration}`;
  const parts = [
    `${countUnits(failed, 'node')} failed`,
    `${countUnits(skipped, 'node')} skipped`,
    `${countUnits(succeeded, 'node')} succeeded`,
  ];
  return `Job ${job.state === 'stopped' ? 'stopped' : 'failed'}. ${parts.join(', ')}.\n${duration}`;
}

/** Why a node's run failed: the message of its error; null for none. */
function errorOf({ result, details }: JsonRecord): string | null {
  const record = isJsonRecord(result) ? result : {};
  const error = isJsonRecord(record._error) ? record._error : record;
  if (typeof error.msg === 'string') return error.msg;
  return isJsonRecord(details) && typeof details.message === 'string' ? details.message : null;
}

function suffix(text: string | null): string {
  return text === null ? '' : `: ${text}`;
}

function indent(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.map((line) => `  ${line}\n`).join('');
}

function printValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
