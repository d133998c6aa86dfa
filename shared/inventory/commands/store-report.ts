import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection } from '../database/inventory-database.ts';
import { bind, constantSql, joinSql, sql } from '../database/sql.ts';
import type { ReportCommand } from './read-report.ts';
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
  const id = await insertReport(connection, node, report, received);
  if (id === null) return;
  await insertEvents(connection, node, id, report);
  await noteTopicChange(connection, { kind: 'reports', names: [], certname: report.certname });
  if (report.columns.report_type === 'plan') return;
  const time = bind(report.producerTime, 'timestamptz');
  await connection.run(
    sql`update certnames set latest_report_id = ${bind(id, 'bigint')}, latest_report_timestamp = ${time}
      where id = ${bind(node, 'int')}
        and (latest_report_timestamp is null or latest_report_timestamp < ${time})`.render(),
  );
}

async function insertReport(
  connection: DatabaseConnection,
  node: string,
  report: ReportCommand,
  received: string,
): Promise<string | null> {
  const environment = await ensureEnvironment(connection, report.environment);
  const producer = await ensureProducer(connection, report.producer);
  const columns = Object.entries(report.columns);
  const names = constantSql(columns.map(([name]) => name).join(', '));
  const values = columns.map(([name, value]) => bind(value === null ? null : String(value), TYPES[name] ?? 'text'));
  const [row] = await connection.run(
    sql`insert into reports (hash, certname_id, certname, producer_timestamp, receive_time, environment_id,
        producer_id, metrics, logs, ${names})
      values (${bind(report.hash)}, ${bind(node, 'int')}, ${bind(report.certname)},
        ${bind(report.producerTime, 'timestamptz')}, ${bind(received, 'timestamptz')}, ${bind(environment, 'int')},
        ${bind(producer, 'int')}, ${bind(writeWireJson(report.metrics), 'jsonb')},
        ${bind(writeWireJson(report.logs), 'jsonb')}, ${joinSql(values, ', ')})
      on conflict (hash) do nothing returning id`.render(),
  );
  return row?.[0] ?? null;
}

async function insertEvents(
  connection: DatabaseConnection,
  node: string,
  report: string,
  { events }: ReportCommand,
): Promise<void> {
  if (events.length === 0) return;
  await connection.run(
    sql`insert into resource_events (report_id, certname_id, status, "timestamp", resource_type, resource_title,
        property, name, new_value, old_value, message, file, line, containment_path, containing_class)
      select ${bind(report, 'bigint')}, ${bind(node, 'int')}, event.status, event."timestamp", event.resource_type,
        event.resource_title, event.property, event.name, event.new_value, event.old_value, event.message,
        event.file, event.line, array(select jsonb_array_elements_text(event.containment_path)),
        event.containing_class
      from jsonb_to_recordset(${bind(writeWireJson(events), 'jsonb')}) event (status text, "timestamp" timestamptz,
        resource_type text, resource_title text, property text, name text, new_value text, old_value text,
        message text, file text, line integer, containment_path jsonb, containing_class text)`.render(),
  );
}
