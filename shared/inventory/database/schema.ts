import type { InventoryDatabase } from './inventory-database.ts';

/**
 * The tables of the inventory. A resource with all its parameters is one row, shared by all
 * catalogs that have it; a catalog has two numbers for each. Facts are two documents a node: those
 * that changed lately, and the others, so that a changed uptime does not write the whole again.
 *
 * Reports and their events have a partition for each day (UTC), which is dropped as a whole when it
 * is old: deleting its rows would cost as much as writing them did. `day` is that of
 * `producer_timestamp`, or the first day of all for times that are no good: see `report-days.ts`.
 * No foreign key leads to reports, since that would keep partitions from being dropped, and
 * whoever deletes nodes deletes their reports. What queries for nodes name of the latest report is
 * in the node's own row, which every report writes anyway.
 */
const TABLES = `
create table certnames (
  id integer generated always as identity primary key,
  certname text not null unique,
  deactivated timestamptz,
  expired timestamptz,
  latest_report_id bigint,
  latest_report_timestamp timestamptz,
  catalog_inputs_timestamp timestamptz,
  catalog_inputs_uuid uuid,
  catalog_inputs_hash text,
  latest_report_hash text,
  latest_report_status text,
  latest_report_noop boolean,
  latest_report_noop_pending boolean,
  latest_report_end_time timestamptz,
  latest_report_job_id text,
  latest_report_cached_catalog_status text,
  latest_report_environment_id integer
);
create index certnames_latest_report_status on certnames (latest_report_status);
create table environments (
  id integer generated always as identity primary key,
  environment text not null unique
);
create table producers (
  id integer generated always as identity primary key,
  name text not null unique
);
create table factsets (
  certname_id integer primary key references certnames on delete cascade,
  certname text not null unique,
  "timestamp" timestamptz not null,
  environment_id integer references environments,
  producer_id integer references producers,
  producer_timestamp timestamptz not null,
  hash text not null,
  stable jsonb not null,
  volatile jsonb not null,
  paths_hash text not null
);
create table fact_paths (
  id integer generated always as identity primary key,
  path text not null,
  path_array jsonb not null,
  name text not null,
  depth integer not null,
  value_type text not null,
  unique (path, value_type)
);
create index fact_paths_name on fact_paths (name);
create table packages (
  id integer generated always as identity primary key,
  name text not null,
  version text not null,
  provider text not null,
  unique (name, version, provider)
);
create table certname_packages (
  certname_id integer not null references certnames on delete cascade,
  package_id integer not null references packages,
  primary key (certname_id, package_id)
);
create index certname_packages_package on certname_packages (package_id);
create table catalogs (
  certname_id integer primary key references certnames on delete cascade,
  certname text not null unique,
  hash text not null,
  catalog_version text not null,
  transaction_uuid uuid,
  catalog_uuid uuid,
  code_id text,
  job_id text,
  environment_id integer references environments,
  producer_id integer references producers,
  producer_timestamp timestamptz not null,
  "timestamp" timestamptz not null
);
create table resources (
  id bigint generated always as identity primary key,
  hash bytea not null unique,
  type text not null,
  title text not null,
  tags text[] not null,
  exported boolean not null,
  file text,
  line integer,
  parameters jsonb not null
);
create index resources_type_title on resources (type, md5(title));
create index resources_exported on resources (type) where exported;
create table catalog_resources (
  certname_id integer not null references certnames on delete cascade,
  resource_id bigint not null references resources,
  primary key (certname_id, resource_id)
);
create index catalog_resources_resource on catalog_resources (resource_id);
create table edges (
  certname_id integer not null references certnames on delete cascade,
  source_id bigint not null,
  target_id bigint not null,
  relationship text not null,
  primary key (certname_id, source_id, target_id, relationship)
);
create table catalog_inputs (
  certname_id integer not null references certnames on delete cascade,
  type text not null,
  name text not null,
  primary key (certname_id, type, name)
);
create table certname_fact_expiration (
  certname_id integer primary key references certnames on delete cascade,
  expire boolean not null,
  updated timestamptz not null
);
create sequence report_ids;
create table reports (
  id bigint not null default nextval('report_ids'),
  day date not null,
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
  receive_time timestamptz not null
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
create table queued_commands (
  id bigint generated always as identity primary key,
  command text not null,
  version integer not null,
  certname text not null,
  payload text not null,
  received timestamptz not null,
  attempts integer not null default 0,
  retry_after timestamptz
);
create table discarded_commands (
  id bigint primary key,
  command text not null,
  version integer not null,
  certname text not null,
  payload text not null,
  received timestamptz not null,
  reason text not null
);
-- What the server's own feed took of each node, and when old data was last removed.
create table fed_nodes (
  certname text primary key,
  facts text,
  catalog text,
  reports_until bigint not null
);
create table maintenance (
  done timestamptz not null
);
-- What names this database among all that a server ever fed.
create table identity (
  id uuid not null default md5(random()::text || clock_timestamp()::text)::uuid
);
insert into identity default values;
-- The queries that catalogs depend on, what each is about, and what changed of that.
create table watched_queries (
  id integer generated always as identity primary key,
  digest text not null unique,
  query text not null
);
create table query_topics (
  query_id integer not null references watched_queries on delete cascade,
  kind text not null,
  name text,
  certname text
);
create index query_topics_query on query_topics (query_id);
create table query_watchers (
  query_id integer not null references watched_queries on delete cascade,
  certname text not null,
  generation bigint not null,
  answer text,
  primary key (query_id, certname)
);
create index query_watchers_certname on query_watchers (certname);
create table changed_topics (
  id bigint generated always as identity primary key,
  kind text not null,
  names text[] not null,
  certname text not null
);
`;

/** Another number when `TABLES` changes. */
const VERSION = 6;

/**
 * Creates the tables in one transaction, or finds those of this version. Throws for those of
 * another one. Returns the identity of the database.
 */
export async function prepareSchema(database: InventoryDatabase): Promise<string> {
  return database.transaction(async (connection) => {
    const run = (text: string) => connection.run({ text, values: [] });
    await run('create table if not exists schema_version (version integer not null)');
    await run('lock table schema_version in access exclusive mode');
    const [[known] = [null]] = await run('select max(version) from schema_version');
    if (known === null) {
      for (const text of TABLES.split(';\n').filter((one) => one.trim() !== '')) await run(text);
      await run(`insert into schema_version values (${VERSION})`);
    } else if (Number(known) !== VERSION) {
      throw new Error(
        `the inventory has schema ${known}, and this release knows ${VERSION} only: begin with an empty inventory`,
      );
    }
    const [[identity] = [null]] = await run('select id from identity');
    return String(identity);
  });
}
