import { byCertname, differentFields, field, makeEntity } from '../entity.ts';
import { byEnvironment, byProducer } from './node-entities.ts';

/** SQL of a field that PuppetDB returns as `{ data, href }`; `part` is the href's last segment. */
const expanded = (data: string, part: string): string =>
  `(select row_to_json(expanded) from (select ${data} as data,
    format('/pdb/query/v4/reports/%s/${part}', reports.hash) as href) expanded)`;

/** Reports of agents and plans. */
export const reports = makeEntity({
  name: 'reports',
  from: `reports
  left join environments on environments.id = reports.environment_id
  left join producers on producers.id = reports.producer_id`,
  fields: {
    hash: field.text('reports.hash'),
    certname: field.text('reports.certname'),
    noop_pending: field.boolean('reports.noop_pending'),
    puppet_version: field.text('reports.puppet_version'),
    report_format: field.number('reports.report_format'),
    configuration_version: field.text('reports.configuration_version'),
    start_time: field.time('reports.start_time'),
    end_time: field.time('reports.end_time'),
    producer_timestamp: field.time('reports.producer_timestamp'),
    producer: field.text('producers.name'),
    // PuppetDB: only Puppet Enterprise stores this field, and conditions treat it as a string.
    corrective_change: field.of('string', 'null::boolean'),
    metrics: field.json(expanded('reports.metrics', 'metrics')),
    logs: field.json(expanded('reports.logs', 'logs')),
    receive_time: field.time('reports.receive_time'),
    transaction_uuid: field.uuid('reports.transaction_uuid'),
    catalog_uuid: field.uuid('reports.catalog_uuid'),
    noop: field.boolean('reports.noop'),
    code_id: field.text('reports.code_id'),
    job_id: field.text('reports.job_id'),
    cached_catalog_status: field.text('reports.cached_catalog_status'),
    environment: field.text('environments.environment'),
    status: field.text('reports.status'),
    type: field.text('reports.report_type'),
    'latest_report?': field.condition('string', null),
    resource_events: field.json(
      expanded(
        `(select json_agg(row_to_json(event)) from (
          select re.status, re.timestamp, re.resource_type, re.resource_title, re.property,
              null::boolean as corrective_change, re.new_value::jsonb, re.old_value::jsonb, re.message, re.file,
              re.line, re.containment_path, re.containing_class, re.name
            from resource_events re where re.report_id = reports.id and re.day = reports.day) event)`,
        'events',
      ),
    ),
  },
  relationships: [...byCertname, byEnvironment, byProducer, ['events', differentFields('hash', 'report')]],
  latestReport: 'reports',
  isReports: true,
});

const reportPart = (name: string) =>
  makeEntity({
    name,
    from: 'reports',
    fields: {
      [name]: field.json(`reports.${name}`),
      hash: field.condition('string', 'reports.hash'),
      type: field.condition('string', 'reports.report_type'),
    },
    isReports: true,
  });

/** The log lines of one report. */
export const reportLogs = reportPart('logs');
/** The metrics of one report. */
export const reportMetrics = reportPart('metrics');

/** Events of resources in reports: one for each affected property. */
export const events = makeEntity({
  name: 'events',
  from: `resource_events events
  join reports on reports.id = events.report_id and reports.day = events.day
  left join environments on environments.id = reports.environment_id`,
  fields: {
    certname: field.text('reports.certname'),
    configuration_version: field.text('reports.configuration_version'),
    run_start_time: field.time('reports.start_time'),
    run_end_time: field.time('reports.end_time'),
    report_receive_time: field.time('reports.receive_time'),
    report: field.text('reports.hash'),
    status: field.text('events.status'),
    corrective_change: field.boolean('null::boolean'),
    timestamp: field.time('events.timestamp'),
    resource_type: field.text('events.resource_type'),
    resource_title: field.text('events.resource_title'),
    property: field.text('events.property'),
    new_value: field.of('string', 'events.new_value', { shown: 'events.new_value::json' }),
    old_value: field.of('string', 'events.old_value', { shown: 'events.old_value::json' }),
    message: field.text('events.message'),
    file: field.text('events.file'),
    line: field.number('events.line'),
    containment_path: field.array('events.containment_path'),
    containing_class: field.text('events.containing_class'),
    environment: field.text('environments.environment'),
    'latest_report?': field.condition('boolean', null),
    report_id: { type: 'numeric', sql: 'events.report_id', isQueryable: false, isProjectable: false },
    name: field.text('events.name'),
  },
  relationships: [...byCertname, byEnvironment, ['reports', differentFields('report', 'hash')]],
  latestReport: 'events',
});
