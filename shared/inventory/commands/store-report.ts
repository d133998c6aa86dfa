import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection } from '../database/inventory-database.ts';
import { bind, constantSql, joinSql, sql } from '../database/sql.ts';
import type { ReportCommand } from './read-report.ts';
import { ensureReportDay } from './report-days.ts';
import { activateNode, ensureEnvironment, ensureProducer } from './store-names.ts';
import { writeWireJson } from './wire-json.ts';

const TYPES: Readonly<Record<string, string>> = {
  report_format: 'int',
  start_time: 'timestamptz',
  end_time: 'timestamptz',
  transaction_uuid: 'uuid',
  catalog_uuid: 'uuid',
  noop: 'boolean',
  noop_pending: 'boolean',
};

/** Stores a report with its events, once. It may become the latest of its node, unless a plan's. */
export async function storeReportRow(
  connection: DatabaseConnection,
  report: ReportCommand,
  received: string,
): Promise<void> {
  const node = await activateNode(connection, report.certname, report.producerTime);
  const environment = await ensureEnvironment(connection, report.environment);
  const row: ReportRow = { node, day: await ensureReportDay(connection, report.producerTime, received), environment };
  const id = await insertReport(connection, row, report, received);
  if (id === null) return;
  await insertEvents(connection, row, id, report);
  await noteTopicChange(connection, { kind: 'reports', names: [], certname: report.certname });
  if (report.columns.report_type !== 'plan') await noteLatest(connection, row, id, report);
}

interface ReportRow {
  readonly node: string;
  /** That of its partition. */
  readonly day: string;
  readonly environment: string | null;
}

async function insertReport(
  connection: DatabaseConnection,
  { node, day, environment }: ReportRow,
  report: ReportCommand,
  received: string,
): Promise<string | null> {
  const producer = await ensureProducer(connection, report.producer);
  const columns = Object.entries(report.columns);
  const names = constantSql(columns.map(([name]) => name).join(', '));
  const values = columns.map(([name, value]) => bind(value === null ? null : String(value), TYPES[name] ?? 'text'));
  const [row] = await connection.run(
    sql`insert into reports (day, hash, certname_id, certname, producer_timestamp, receive_time, environment_id,
        producer_id, metrics, logs, ${names})
      values (${bind(day, 'date')}, ${bind(report.hash)}, ${bind(node, 'int')}, ${bind(report.certname)},
        ${bind(report.producerTime, 'timestamptz')}, ${bind(received, 'timestamptz')}, ${bind(environment, 'int')},
        ${bind(producer, 'int')}, ${bind(writeWireJson(report.metrics), 'jsonb')},
        ${bind(writeWireJson(report.logs), 'jsonb')}, ${joinSql(values, ', ')})
      on conflict (hash, day) do nothing returning id`.render(),
  );
  return row?.[0] ?? null;
}

/** Copies what queries for nodes name of the report into the node's row. */
async function noteLatest(
  connection: DatabaseConnection,
  { node, environment }: ReportRow,
  id: string,
  { hash, producerTime, columns }: ReportCommand,
): Promise<void> {
  const time = bind(producerTime, 'timestamptz');
  const column = (name: string) => {
    const value = columns[name] ?? null;
    return bind(value === null ? null : String(value), TYPES[name] ?? 'text');
  };
  await connection.run(
    sql`update certnames set latest_report_id = ${bind(id, 'bigint')}, latest_report_timestamp = ${time},
        latest_report_hash = ${bind(hash)}, latest_report_status = ${column('status')},
        latest_report_noop = ${column('noop')}, latest_report_noop_pending = ${column('noop_pending')},
        latest_report_end_time = ${column('end_time')}, latest_report_job_id = ${column('job_id')},
        latest_report_cached_catalog_status = ${column('cached_catalog_status')},
        latest_report_environment_id = ${bind(environment, 'int')}
      where id = ${bind(node, 'int')}
        and (latest_report_timestamp is null or latest_report_timestamp < ${time})`.render(),
  );
}

async function insertEvents(
  connection: DatabaseConnection,
  { node, day }: ReportRow,
  report: string,
  { events }: ReportCommand,
): Promise<void> {
  if (events.length === 0) return;
  await connection.run(
    sql`insert into resource_events (report_id, day, certname_id, status, "timestamp", resource_type, resource_title,
        property, name, new_value, old_value, message, file, line, containment_path, containing_class)
      select ${bind(report, 'bigint')}, ${bind(day, 'date')}, ${bind(node, 'int')}, event.status, event."timestamp", event.resource_type,
        event.resource_title, event.property, event.name, event.new_value, event.old_value, event.message,
        event.file, event.line, array(select jsonb_array_elements_text(event.containment_path)),
        event.containing_class
      from jsonb_to_recordset(${bind(writeWireJson(events), 'jsonb')}) event (status text, "timestamp" timestamptz,
        resource_type text, resource_title text, property text, name text, new_value text, old_value text,
        message text, file text, line integer, containment_path jsonb, containing_class text)`.render(),
  );
}
