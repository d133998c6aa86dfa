import { nameFailure } from '../../../fleet/failures/failure-names.ts';
import { FLEET_STATES } from '../../../fleet/overview/fleet-states.ts';
import { formatIsoSeconds } from '../../../util/iso-seconds.ts';
import { shortenId } from '../../../util/short-id.ts';
import { hideControls } from '../../client/list-table.ts';
import { formatAge } from '../../client/relative-time.ts';
import type { WatchedEnvironment, WatchedFailures, WatchedFleet, WatchedHour } from './watched-fleet.ts';

/** Size and colours of a screen, and what stands at its top. */
export interface FleetStyle {
  readonly columns: number;
  readonly rows: number;
  readonly hasColors: boolean;
  /** The present time, in ms since 1970. */
  readonly now: number;
  /** The address of the server. */
  readonly address: string;
  /** Why what is shown is not new; null when it is. */
  readonly trouble: string | null;
  /** The last line, such as the keys. */
  readonly foot: string;
}

type Color = 'red' | 'yellow' | 'green' | 'bold';
/** A part of a line. */
type Part = string | readonly [text: string, color: Color];
type Line = readonly Part[];

const CODES: Readonly<Record<Color, number>> = { red: 31, yellow: 33, green: 32, bold: 1 };
const STATE_COLORS: Readonly<Partial<Record<string, Color>>> = {
  failing: 'red',
  silent: 'yellow',
  stale: 'yellow',
  current: 'green',
};
const RUNS = ['changed', 'unchanged', 'failed', 'noop'] as const;
const LABEL_WIDTH = 10;
/** Environments on a screen of 24 lines; a higher one has room for more. */
const MOST_ENVIRONMENTS = 3;
const HIGH_ROWS = 40;
const MOST_SERVERS = 3;

/** Formats a fleet as the lines of a screen: none is longer, and there are no more. */
export function printFleetScreen(fleet: WatchedFleet, style: FleetStyle): readonly string[] {
  const { rows } = style;
  const above = [
    headLine(style),
    [],
    ...describeNodes(fleet),
    ...describeQueues(fleet),
    ...fleet.hours.map((hour, index) => describeRuns(hour, index === 0 ? 'this hour' : 'hour before')),
    ...describeServers(fleet, style),
    [],
    ...describeCode(fleet.environments, style),
    [],
  ];
  const room = rows - 1;
  const body = [...above, ...describeFailures(fleet.failures, style, room - above.length)].slice(0, room);
  const blank: readonly Line[] = Array.from({ length: Math.max(0, room - body.length) }, () => []);
  return [...body, ...blank, [style.foot]].slice(0, rows).map((line) => printLine(line, style));
}

function headLine({ address, now, trouble, columns }: FleetStyle): Line {
  const time = formatIsoSeconds(now);
  if (trouble !== null) return [[`${time}  ${trouble}`, 'red']];
  const name = `understudy  ${address}`;
  return [[name.padEnd(columns - time.length - 1).slice(0, Math.max(0, columns - time.length - 1)), 'bold'], ' ', time];
}

function describeNodes({ total, isComplete, states, failing, requests }: WatchedFleet): readonly Line[] {
  const counts = FLEET_STATES.flatMap((state): Line => {
    const [count, color] = [states[state], STATE_COLORS[state]];
    const text = `${count} ${state}`;
    return ['  ', count === 0 || color === undefined ? text : [text, color]];
  });
  const growing = isComplete ? '' : ' and more';
  const causes = `${failing.compile} do not compile, ${failing.run} had a failed run`;
  return [
    [label('NODES'), [`${total}${growing}`, 'bold'], ...counts],
    ...(states.failing === 0 ? [] : [[label(''), causes]]),
    ...(requests === 0 ? [] : [[label(''), [`${requests} wait for a certificate`, 'yellow'] as const]]),
  ];
}

function describeQueues({ queues }: WatchedFleet): readonly Line[] {
  const oldest = Math.max(0, ...queues.map(({ oldestMs }) => oldestMs));
  const counts = queues.flatMap(({ name, waiting, running }): Line => {
    const text = `${waiting}${running === 0 ? '' : `+${running}`} ${name}`;
    return [name === 'dead' && waiting > 0 ? [text, 'red'] : text, '  '];
  });
  return [[label('QUEUES'), ...counts, oldest === 0 ? '' : `oldest ${Math.ceil(oldest / 1000)} s`]];
}

function describeRuns({ runs, compiles }: WatchedHour, name: string): Line {
  const counts = RUNS.flatMap((outcome): Line => {
    const text = `${runs[outcome] ?? 0} ${outcome}`;
    return [outcome === 'failed' && (runs.failed ?? 0) > 0 ? [text, 'red'] : text, '  '];
  });
  const compiled = (compiles.compiled ?? 0) + (compiles.failed ?? 0);
  return [label(name === 'this hour' ? 'RUNS' : ''), `${name}  `.padEnd(13), ...counts, `${compiled} compiles`];
}

function describeServers({ servers }: WatchedFleet, { now }: FleetStyle): readonly Line[] {
  return servers.slice(0, MOST_SERVERS).map(({ name, isAlive, seenAt, leads }, index) => {
    const more = index === MOST_SERVERS - 1 && servers.length > MOST_SERVERS;
    const rest = more ? `  and ${servers.length - MOST_SERVERS} more` : '';
    const state: Part = isAlive ? ['alive', 'green'] : [`dead, seen ${formatAge(seenAt, now)}`, 'red'];
    const works = leads.length === 0 ? '' : `  leads ${leads.join(', ')}`;
    return [label(index === 0 ? 'SERVERS' : ''), `${name}  `, state, `${works}${rest}`];
  });
}

function describeCode(environments: readonly WatchedEnvironment[], { now, rows }: FleetStyle): readonly Line[] {
  if (environments.length === 0) return [[label('CODE'), 'no environment is deployed']];
  // A stage, which waits for somebody, is never left out; then the newest.
  const ordered = environments.toSorted(
    (a, b) => Number(b.stage !== null) - Number(a.stage !== null) || b.deployedAt - a.deployedAt,
  );
  const shown = ordered.slice(0, rows < HIGH_ROWS ? MOST_ENVIRONMENTS : 3 * MOST_ENVIRONMENTS);
  const width = Math.max(...shown.map(({ name }) => name.length));
  const lines = shown.map(({ name, codeId, deployedAt, user, stage, invalidating }, index): Line => {
    const text = `${name.padEnd(width)}  ${shortenId(codeId)}  ${formatAge(deployedAt, now)} by ${user}`;
    const progress = invalidating === null ? '' : `, invalidating: ${invalidating} nodes`;
    const staged: Part = stage === null ? '' : [`  ${describeStage(stage)}`, stage.state === 'held' ? 'red' : 'yellow'];
    return [label(index === 0 ? 'CODE' : ''), `${text}${progress}`, staged];
  });
  const more = environments.length - shown.length;
  return more > 0 ? [...lines, [label(''), `and ${more} more`]] : lines;
}

function describeStage({ state, codeId, canaries }: NonNullable<WatchedEnvironment['stage']>): string {
  const what = state === 'trial' ? 'on trial' : state;
  return `${shortenId(codeId)} ${what} on ${canaries} nodes`;
}

function describeFailures(failures: WatchedFailures | null, { now }: FleetStyle, room: number): readonly Line[] {
  if (failures === null) return [[label('FAILURES'), 'this user may not see them (nodes:view_data)']];
  const { total, first } = failures;
  if (total === 0) return [[label('FAILURES'), ['none', 'green']]];
  const shown = first.slice(0, Math.max(0, total > room - 1 ? room - 2 : room - 1));
  const lines = shown.map((failure): Line => {
    const nodes = String(failure.nodes).padStart(5);
    return [[nodes, 'red'], `  ${formatAge(failure.firstAt, now).padEnd(11)}  ${nameFailure(failure)}`];
  });
  const more = total - shown.length;
  const head: Line = [label('FAILURES'), [`${total} open`, 'red'], '  nodes, since, what fails'];
  return [head, ...lines, ...(more > 0 ? [[`       and ${more} more: understudy failures list`]] : [])];
}

function label(text: string): Part {
  return text === '' ? ' '.repeat(LABEL_WIDTH) : [text.padEnd(LABEL_WIDTH), 'bold'];
}

/** A line within the columns. Values of others have no control characters. */
function printLine(parts: Line, { columns, hasColors }: FleetStyle): string {
  const length = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part : part[0]).length, 0);
  const isCut = length > columns;
  let room = isCut ? columns - 1 : columns;
  const line = parts
    .map((part) => {
      const [whole, color] = typeof part === 'string' ? [part, null] : part;
      const text = hideControls(whole).slice(0, room);
      room -= text.length;
      return color === null || !hasColors || text.trim() === '' ? text : `\u001b[${CODES[color]}m${text}\u001b[0m`;
    })
    .join('')
    .trimEnd();
  return isCut ? `${line}…` : line;
}
