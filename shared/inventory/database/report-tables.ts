/** Columns of a report that come from its command or from its sender. */
const REPORT_COLUMNS = `
  hash text not null,
  certname_id integer not null,
  certname text not null,
  report_type text not null,
  transaction_uuid uuid,
  catalog_uuid uuid,
  code_id text,
  job_id text,
  cached_catalog_status text,
  metrics jsonb not null,
  logs jsonb not null,
  noop boolean,
  noop_pending boolean,
  puppet_version text not null,
  report_format integer not null,
  configuration_version text not null,
  environment_id integer references environments,
  producer_id integer references producers,
  status text,
  producer_timestamp timestamptz not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  receive_time timestamptz not null`;

const NAMES = REPORT_COLUMNS.split('\n')
  .flatMap((line) => line.trim().split(' ')[0] || [])
  .join(', ');

const EVENT_NAMES = `report_id, certname_id, status, "timestamp", resource_type, resource_title, property, name,
  new_value, old_value, message, file, line, containment_path, containing_class`;

/**
 * Reports and their events have a partition for each day (UTC), which is dropped as a whole when it
 * is old: deleting its rows would cost as much as writing them did. `day` is that of
 * `producer_timestamp`, or the first day of all for times that are no good: see `report-days.ts`.
 * No foreign key leads to reports, since that would keep partitions from being dropped, and
 * whoever deletes nodes deletes their reports. What queries for nodes name of the latest report is
 * in the node's own row, which every report writes anyway.
 */
export const PARTITIONED_REPORTS = `
alter table certnames
  add column latest_report_hash text,
  add column latest_report_status text,
  add column latest_report_noop boolean,
  add column latest_report_noop_pending boolean,
  add column latest_report_end_time timestamptz,
  add column latest_report_job_id text,
  add column latest_report_cached_catalog_status text,
  add column latest_report_environment_id integer;
update certnames set latest_report_hash = r.hash, latest_report_status = r.status, latest_report_noop = r.noop,
    latest_report_noop_pending = r.noop_pending, latest_report_end_time = r.end_time,
    latest_report_job_id = r.job_id, latest_report_cached_catalog_status = r.cached_catalog_status,
    latest_report_environment_id = r.environment_id
  from reports r where r.id = certnames.latest_report_id;
create index certnames_latest_report_status on certnames (latest_report_status);
alter table resource_events rename to former_events;
alter table reports rename to former_reports;
drop index reports_certname, reports_producer_timestamp, reports_end_time, reports_of_node;
drop index resource_events_report, resource_events_timestamp, resource_events_resource;
create sequence report_ids;
create table reports (
  id bigint not null default nextval('report_ids'),
  day date not null,${REPORT_COLUMNS}
) partition by range (day);
create unique index reports_hash on reports (hash, day);
create index reports_id on reports (id);
create index reports_of_node on reports (certname, producer_timestamp);
create index reports_producer_timestamp on reports (producer_timestamp);
create index reports_end_time on reports (end_time);
create table resource_events (
  report_id bigint not null,
  day date not null,
  certname_id integer not null,
  status text not null,
  "timestamp" timestamptz not null,
  resource_type text not null,
  resource_title text not null,
  property text,
  name text,
  new_value text,
  old_value text,
  message text,
  file text,
  line integer,
  containment_path text[],
  containing_class text
) partition by range (day);
create index resource_events_report on resource_events (report_id);
create index resource_events_timestamp on resource_events ("timestamp");
create index resource_events_resource on resource_events (resource_type, md5(resource_title));
do $$
declare d date; parent text; begin
  for d in select distinct (producer_timestamp at time zone 'UTC')::date from former_reports loop
    foreach parent in array array['reports', 'resource_events'] loop
      execute format('create table %I partition of %I for values from (%L) to (%L)',
        parent || '_' || to_char(d, 'YYYYMMDD'), parent, d, d + 1); end loop; end loop; end $$;
insert into reports (id, day, ${NAMES})
  select id, (producer_timestamp at time zone 'UTC')::date, ${NAMES} from former_reports;
insert into resource_events (day, ${EVENT_NAMES})
  select r.day, ${EVENT_NAMES.split(/,\s+/)
    .map((name) => `e.${name}`)
    .join(', ')}
    from former_events e join reports r on r.id = e.report_id;
select setval('report_ids', (select coalesce(max(id), 0) + 1 from reports), false);
drop table former_events;
drop table former_reports;
`;
