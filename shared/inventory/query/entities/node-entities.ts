import { byCertname, differentFields, field, makeEntity, sameFields, showTime } from '../entity.ts';

const nodeFields = {
  certname: field.text('certnames.certname'),
  // PuppetDB: a string to conditions, a time in answers.
  deactivated: field.of('string', 'certnames.deactivated', { shown: showTime('certnames.deactivated') }),
  expired: field.time('certnames.expired'),
  facts_environment: field.text('facts_environment.environment'),
  catalog_timestamp: field.time('catalogs.timestamp'),
  facts_timestamp: field.time('fs.timestamp'),
  report_timestamp: field.time('certnames.latest_report_end_time'),
  latest_report_hash: field.text('certnames.latest_report_hash'),
  latest_report_noop: field.boolean('certnames.latest_report_noop'),
  latest_report_noop_pending: field.boolean('certnames.latest_report_noop_pending'),
  latest_report_status: field.text('certnames.latest_report_status'),
  latest_report_corrective_change: field.boolean('null::boolean'),
  latest_report_job_id: field.text('certnames.latest_report_job_id'),
  cached_catalog_status: field.text('certnames.latest_report_cached_catalog_status'),
  catalog_environment: field.text('catalog_environment.environment'),
  report_environment: field.text('reports_environment.environment'),
};

const nodeTables = `certnames
  left join catalogs on catalogs.certname_id = certnames.id
  left join factsets fs on fs.certname_id = certnames.id
  left join environments catalog_environment on catalog_environment.id = catalogs.environment_id
  left join environments facts_environment on facts_environment.id = fs.environment_id
  left join environments reports_environment on reports_environment.id = certnames.latest_report_environment_id`;

/** Nodes, with what the newest facts, catalog and report say of them. */
export const nodes = makeEntity({ name: 'nodes', from: nodeTables, fields: nodeFields, relationships: byCertname });

/** Nodes with whether their facts expire, for `include_facts_expiration`. */
export const nodesWithFactExpiration = makeEntity({
  name: 'nodes',
  from: `${nodeTables}
  left join certname_fact_expiration cfe on cfe.certname_id = certnames.id`,
  fields: {
    ...nodeFields,
    expires_facts: field.boolean('coalesce(cfe.expire, true)'),
    expires_facts_updated: field.time('cfe.updated'),
  },
  relationships: byCertname,
});

/** Environments that any facts, catalog or report named. */
export const environments = makeEntity({
  name: 'environments',
  from: 'environments',
  fields: { name: field.text('environments.environment') },
  relationships: ['inventory', 'factsets', 'catalogs', 'reports', 'facts', 'fact_contents', 'events', 'resources'].map(
    (name) => [name, differentFields('name', 'environment')],
  ),
});

/** Servers that sent facts, catalogs or reports. */
export const producers = makeEntity({
  name: 'producers',
  from: 'producers',
  fields: { name: field.text('producers.name') },
  relationships: ['factsets', 'catalogs', 'reports'].map((name) => [name, differentFields('name', 'producer')]),
});

/** Packages that any node has. */
export const packages = makeEntity({
  name: 'packages',
  from: 'packages p',
  fields: {
    package_name: field.text('p.name'),
    version: field.text('p.version'),
    provider: field.text('p.provider'),
  },
});

/** Packages of each node. */
export const packageInventory = makeEntity({
  name: 'package_inventory',
  from: `packages p
  join certname_packages cp on cp.package_id = p.id
  join certnames on certnames.id = cp.certname_id`,
  fields: {
    certname: field.text('certnames.certname'),
    package_name: field.text('p.name'),
    version: field.text('p.version'),
    provider: field.text('p.provider'),
  },
  relationships: byCertname,
});

/** Nodes that are deactivated or expired: what `node_state` stands for. */
export const notActiveNodes = makeEntity({
  name: 'not_active_nodes',
  from: 'certnames not_active_nodes',
  where: '(not_active_nodes.deactivated is not null or not_active_nodes.expired is not null)',
  fields: { certname: field.text('not_active_nodes.certname') },
});

/** Nodes that are deactivated or expired and not yet purged. */
export const inactiveNodes = makeEntity({
  name: 'inactive_nodes',
  from: 'certnames inactive_nodes',
  where: '(inactive_nodes.deactivated is not null or inactive_nodes.expired is not null)',
  fields: { certname: field.text('inactive_nodes.certname') },
});

/** The newest report of each node: what `latest_report?` stands for among reports. */
export const latestReport = makeEntity({
  name: 'latest_report',
  from: 'certnames',
  where: 'certnames.latest_report_hash is not null',
  fields: { latest_report_hash: field.text('certnames.latest_report_hash') },
});

/** The number of the newest report of each node: what `latest_report?` stands for among events. */
export const latestReportId = makeEntity({
  name: 'latest_report_id',
  from: 'certnames',
  fields: { latest_report_id: field.number('certnames.latest_report_id') },
});

/** Nodes in environments, for the relationships of entities that have both. */
export const byEnvironment = ['environments', differentFields('environment', 'name')] as const;
/** Nodes and their producers, likewise. */
export const byProducer = ['producers', differentFields('producer', 'name')] as const;
/** Facts by node and name. */
export const byFactName = sameFields('certname', 'name');
