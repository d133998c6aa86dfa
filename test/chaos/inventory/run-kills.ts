import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InventoryCommand } from '../../../shared/inventory/commands/apply-command.ts';
import type { DatabaseRow, InventoryDatabase } from '../../../shared/inventory/database/inventory-database.ts';
import { openTestDatabase } from '../../helpers/inventory-database.ts';
import { applyAll, countStatements } from './apply-all.ts';

/** How a run of processes that were killed ended. */
export interface KillOutcome {
  /** Statements of the run without a kill. */
  readonly statements: number;
  readonly kills: number;
  /** What is stored in the end, and what the same commands left behind without a kill. */
  readonly stored: unknown;
  readonly expected: unknown;
}

const PROGRAM = join(import.meta.dirname, 'killed-inventory.ts');
const TIME = '2026-11-05T10:00:00.000Z';
const CERTNAME = 'killed.test';

/**
 * Has processes apply a round of commands each, killed before one of its statements; the next one
 * goes on. `kills` bounds the number; they are spread over all statements. A sender whose command
 * was not acknowledged sends it again, as PuppetDB's termini do.
 */
export async function runKills(kills: number): Promise<KillOutcome> {
  const [undisturbed, killed] = [await openTestDatabase(), await openTestDatabase()];
  try {
    const statements = await countRound(undisturbed.database);
    const places = spread(statements, kills);
    let [left, count]: [readonly InventoryCommand[], number] = [[], 0];
    for (const [round, place] of places.entries()) {
      const commands = describeRound(round);
      const { isKilled, acknowledged } = await killProcess(killed.folder, place, left, commands);
      left = commands.slice(acknowledged);
      count += isKilled ? 1 : 0;
      if (round > 0) await applyAll(undisturbed.database, commands, () => undefined);
    }
    await applyAll(killed.database, left, () => undefined);
    const [stored, expected] = [await readAll(killed.database), await readAll(undisturbed.database)];
    return { statements, kills: count, stored, expected };
  } finally {
    await undisturbed.remove();
    await killed.remove();
  }
}

/** Applies the first round and counts its statements. */
async function countRound(database: InventoryDatabase): Promise<number> {
  await applyAll(database, [], () => undefined);
  let statements = 0;
  const stop = countStatements((count) => {
    statements = count;
  });
  await applyAll(database, describeRound(0), () => undefined);
  stop();
  return statements;
}

function spread(statements: number, kills: number): readonly number[] {
  const count = Math.min(statements, kills);
  return Array.from({ length: count }, (_, index) => 1 + Math.floor(((index + 0.5) * statements) / count));
}

interface Ended {
  /** Later rounds have less to write, and may end before a late place. */
  readonly isKilled: boolean;
  readonly acknowledged: number;
}

/** Runs a process until it is killed; gives how many commands of this round it acknowledged. */
async function killProcess(
  folder: string,
  place: number,
  former: readonly InventoryCommand[],
  commands: readonly InventoryCommand[],
): Promise<Ended> {
  const files = [former, commands].map((given, index) => {
    const file = `${folder}.commands${index}`;
    writeFileSync(file, given.map((command) => JSON.stringify(command)).join('\n'));
    return file;
  });
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, folder, String(place), ...files], (error, output, errors) => {
      const isKilled = error?.signal === 'SIGKILL';
      const acknowledged = output.split('\n').filter((line) => line === 'acknowledged').length;
      if (error === null || isKilled) resolve({ isKilled, acknowledged });
      else reject(new Error(`a process failed that was to be killed at statement ${place}:\n${errors}`));
    });
  });
}

/** Facts, a catalog and a report, other ones each round. */
function describeRound(round: number): readonly InventoryCommand[] {
  const time = new Date(Date.parse(TIME) + round * 60_000).toISOString();
  const common = { certname: CERTNAME, environment: 'production', producer: 'p', producer_timestamp: time };
  const nothing = { transaction_uuid: null, catalog_uuid: null, code_id: null, job_id: null };
  const file = { type: 'File', tags: [], exported: false, file: null, line: null, parameters: {} };
  const resources = [
    { ...file, title: '/same' },
    { ...file, title: `/${round}` },
  ];
  const edge = { source: { type: 'File', title: '/same' }, target: { type: 'File', title: `/${round}` } };
  const event = { status: 'success', timestamp: time, property: 'ensure', new_value: 'a', old_value: 'b', message: '' };
  const place = { resource_type: 'File', resource_title: `/${round}`, file: null, line: null, containment_path: [] };
  const run = { puppet_version: '8', report_format: 12, configuration_version: '1', start_time: time, end_time: time };
  const report = {
    ...{ ...common, ...run, ...nothing, status: 'changed', noop: false, noop_pending: false, logs: [], metrics: [] },
    resources: [{ ...place, skipped: false, timestamp: time, corrective_change: null, events: [event] }],
  };
  const payloads = [
    ['replace facts', 5, { ...common, values: { uptime: round, kernel: 'Linux', [`f${round}`]: { a: [1] } } }],
    [
      'replace catalog',
      9,
      { ...common, ...nothing, version: '1', resources, edges: [{ ...edge, relationship: 'before' }] },
    ],
    ['store report', 8, report],
  ] as const;
  return payloads.map(([command, version, payload]) => {
    return { command, version, certname: CERTNAME, payload: JSON.stringify(payload) };
  });
}

/** All that the commands store, without times of receipt and numbers of rows. */
const TABLES = [
  'select certname, latest_report_hash, latest_report_timestamp from certnames',
  'select environment from environments',
  'select name from producers',
  'select hash, stable || volatile, producer_timestamp from factsets',
  'select path, value_type from fact_paths order by 1, 2',
  'select hash, catalog_version, producer_timestamp from catalogs',
  'select title from catalog_resources cr join resources r on r.id = cr.resource_id order by 1',
  'select s.title, t.title from edges e join resources s on s.id = e.source_id join resources t on t.id = e.target_id',
  `select r.hash, r.producer_timestamp, count(re.*) from reports r
    join resource_events re on re.report_id = r.id and re.day = r.day group by 1, 2 order by 2`,
  'select count(*) from reports',
  'select count(*) from resource_events',
  'select count(*) from queued_commands',
  'select count(*) from discarded_commands',
];

async function readAll(database: InventoryDatabase): Promise<readonly (readonly DatabaseRow[])[]> {
  return database.transaction(async (connection) => {
    const found: (readonly DatabaseRow[])[] = [];
    for (const text of TABLES) found.push(await connection.run({ text, values: [] }));
    return found;
  });
}
