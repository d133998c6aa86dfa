import { byCertname, differentFields, field, makeEntity, sameFields } from '../entity.ts';
import { byEnvironment, byProducer } from './node-entities.ts';

/** The catalog in force of each node. */
export const catalogs = makeEntity({
  name: 'catalogs',
  from: `catalogs c
  left join environments e on e.id = c.environment_id
  left join producers on producers.id = c.producer_id`,
  fields: {
    version: field.text('c.catalog_version'),
    certname: field.text('c.certname'),
    hash: field.text('c.hash'),
    transaction_uuid: field.uuid('c.transaction_uuid'),
    catalog_uuid: field.uuid('c.catalog_uuid'),
    code_id: field.text('c.code_id'),
    job_id: field.text('c.job_id'),
    environment: field.text('e.environment'),
    producer_timestamp: field.time('c.producer_timestamp'),
    producer: field.text('producers.name'),
    resources: field.json(`(select row_to_json(expanded) from (select
      (select json_agg(row_to_json(one)) from (
        select encode(r.hash, 'hex') as resource, r.type, r.title, r.tags, r.exported, r.file, r.line, r.parameters
          from catalog_resources cr join resources r on r.id = cr.resource_id
          where cr.certname_id = c.certname_id) one) as data,
      format('/pdb/query/v4/catalogs/%s/resources', c.certname) as href) expanded)`),
    edges: field.json(`(select row_to_json(expanded) from (select
      (select json_agg(row_to_json(one)) from (
        select sources.type as source_type, sources.title as source_title, targets.type as target_type,
            targets.title as target_title, edges.relationship
          from edges join resources sources on sources.id = edges.source_id
            join resources targets on targets.id = edges.target_id
          where edges.certname_id = c.certname_id) one) as data,
      format('/pdb/query/v4/catalogs/%s/edges', c.certname) as href) expanded)`),
  },
  relationships: [...byCertname, byEnvironment, byProducer],
});

/** Resources of all catalogs. */
export const resources = makeEntity({
  name: 'resources',
  from: `catalog_resources cr
  join resources r on r.id = cr.resource_id
  join catalogs c on c.certname_id = cr.certname_id
  left join environments e on e.id = c.environment_id`,
  fields: {
    certname: field.text('c.certname'),
    environment: field.text('e.environment'),
    resource: field.hex('r.hash'),
    type: field.text('r.type'),
    title: field.text('r.title'),
    tag: field.condition('string', null),
    tags: field.array('r.tags'),
    exported: field.of('string', 'r.exported'),
    file: field.text('r.file'),
    line: field.number('r.line'),
    parameters: field.document('r.parameters'),
  },
  relationships: [
    ['catalogs', sameFields('certname')],
    ['nodes', sameFields('certname')],
    ['environments', differentFields('environment', 'name')],
  ],
  dottedFields: ['parameters'],
  dottedProjections: ['parameters'],
});

/** Parameters of resources: what a condition on `["parameter", name]` stands for. */
export const resourceParameters = makeEntity({
  name: 'resource_params',
  from: 'resources rp cross join lateral jsonb_each(rp.parameters) parameter (key, value)',
  fields: {
    res_param_resource: field.hex('rp.hash'),
    res_param_name: field.text('parameter.key'),
    res_param_value: field.factValue('parameter.value'),
    res_param_text: field.text('parameter.value::text'),
  },
});

/** Edges of all catalogs. */
export const edges = makeEntity({
  name: 'edges',
  from: `edges
  join certnames on certnames.id = edges.certname_id
  join resources sources on sources.id = edges.source_id
  join resources targets on targets.id = edges.target_id`,
  fields: {
    certname: field.text('certnames.certname'),
    relationship: field.text('edges.relationship'),
    source_title: field.text('sources.title'),
    source_type: field.text('sources.type'),
    target_title: field.text('targets.title'),
    target_type: field.text('targets.type'),
  },
  relationships: byCertname,
});

const inputFields = {
  certname: field.text('certnames.certname'),
  producer_timestamp: field.time('certnames.catalog_inputs_timestamp'),
  catalog_uuid: field.uuid('certnames.catalog_inputs_uuid'),
};

/** Inputs of each catalog's compile, one input a row. */
export const catalogInputContents = makeEntity({
  name: 'catalog_input_contents',
  from: 'catalog_inputs ci join certnames on certnames.id = ci.certname_id',
  fields: { ...inputFields, name: field.text('ci.name'), type: field.text('ci.type') },
  relationships: byCertname,
});

/** Inputs of each catalog's compile, one catalog a row. */
export const catalogInputs = makeEntity({
  name: 'catalog_inputs',
  from: `certnames join (select certname_id, array_agg(array[type, name]) as inputs from catalog_inputs
    group by certname_id) ci on ci.certname_id = certnames.id`,
  where: 'certnames.catalog_inputs_timestamp is not null',
  fields: { ...inputFields, inputs: field.array('ci.inputs') },
  relationships: byCertname,
});
