import { byCertname, field, makeEntity, sameFields } from '../entity.ts';
import { byEnvironment, byFactName, byProducer } from './node-entities.ts';

/** Facts and trusted facts of each node as documents. */
export const inventory = makeEntity({
  name: 'inventory',
  from: `factsets fs
  left join environments on environments.id = fs.environment_id
  join certnames on certnames.id = fs.certname_id`,
  fields: {
    certname: field.text('certnames.certname'),
    timestamp: field.time('fs.timestamp'),
    environment: field.text('environments.environment'),
    facts: field.document('(fs.stable || fs.volatile)'),
    trusted: field.document("coalesce(fs.volatile->'trusted', fs.stable->'trusted')"),
  },
  relationships: byCertname,
  dottedFields: ['facts', 'trusted'],
  dottedProjections: ['facts', 'trusted'],
});

const factFields = {
  certname: field.text('fs.certname'),
  environment: field.text('env.environment'),
  name: field.text('fs.key'),
  value: field.factValue('fs.value'),
};
/** Joins a source of facts with its environments. */
const factTables = (source: string): string => `${source} fs left join environments env on env.id = fs.environment_id`;

/** Facts of each node, structured ones whole. */
export const facts = makeEntity({
  name: 'facts',
  from: factTables(`(select fs.certname, fs.environment_id, fact.key, fact.value from factsets fs
    cross join lateral (select * from jsonb_each(fs.stable) union all select * from jsonb_each(fs.volatile)) fact)`),
  fields: factFields,
  relationships: [...byCertname, byEnvironment, ['fact_contents', byFactName]],
  hasFactValues: true,
});

const factLeaves = `(select fs.certname, fs.environment_id, leaf.* from factsets fs cross join lateral (
    with recursive part (path, types, value) as (
      select array[fact.key], 's', fact.value
        from (select * from jsonb_each(fs.stable) union all select * from jsonb_each(fs.volatile)) fact
      union all
      select part.path || below.key, part.types || below.type, below.value
        from part cross join lateral (
          select member.key, member.value, 's' as type
            from jsonb_each(case when jsonb_typeof(part.value) = 'object' then part.value else '{}' end) member
          union all
          select (item.ordinality - 1)::text, item.value, 'i'
            from jsonb_array_elements(case when jsonb_typeof(part.value) = 'array' then part.value else '[]' end)
              with ordinality item (value, ordinality)
        ) below
    )
    select path, types, path[1] as name, value from part where jsonb_typeof(value) not in ('object', 'array')
  ) leaf)`;

/** The leaves of structured facts with their paths. */
export const factContents = makeEntity({
  name: 'fact_nodes',
  from: `${factLeaves} fc left join environments env on env.id = fc.environment_id`,
  fields: {
    certname: field.text('fc.certname'),
    environment: field.text('env.environment'),
    path: field.of('path-array', 'fc.path', {
      shown: `(select json_agg(case substr(fc.types, part.at::int, 1) when 'i' then to_json(part.name::bigint)
        else to_json(part.name) end order by part.at) from unnest(fc.path) with ordinality part (name, at))`,
    }),
    path_types: { type: 'string', sql: 'fc.types', isQueryable: false, isProjectable: false },
    name: field.text('fc.name'),
    value: field.factValue('fc.value'),
  },
  relationships: [...byCertname, byEnvironment, ['facts', byFactName]],
  hasFactValues: true,
});

/** Paths of the leaves of all nodes' facts, with their types. */
export const factPaths = makeEntity({
  name: 'fact_paths',
  from: 'fact_paths fp',
  where: "fp.value_type <> 'json'",
  fields: {
    type: field.text('fp.value_type'),
    path: field.of('encoded-path', 'fp.path', { shown: 'fp.path_array' }),
    name: field.text('fp.name'),
    depth: field.condition('numeric', 'fp.depth'),
  },
  relationships: [
    ['facts', sameFields('name')],
    ['fact_contents', sameFields('path')],
  ],
});

/** Names of all nodes' facts. */
export const factNames = makeEntity({
  name: 'fact_names',
  from: 'fact_paths fp',
  isDistinct: true,
  fields: { name: field.text('fp.name') },
});

const factsetFields = {
  timestamp: field.time('fs.timestamp'),
  facts: field.document(
    'fs.facts',
    `(select row_to_json(expanded) from (select
      (select json_agg(json_build_object('name', fact.key, 'value', fact.value)) from
        (select * from jsonb_each(fs.stable) union all select * from jsonb_each(fs.volatile)) fact) as data,
      format('/pdb/query/v4/factsets/%s/facts', fs.certname) as href) expanded)`,
  ),
  certname: field.text('fs.certname'),
  hash: field.text('fs.hash'),
  producer_timestamp: field.time('fs.producer_timestamp'),
  producer: field.text('producers.name'),
  environment: field.text('environments.environment'),
};
const factsetTables = `factsets fs
  left join environments on environments.id = fs.environment_id
  left join producers on producers.id = fs.producer_id`;

/** The newest facts of each node together. */
export const factsets = makeEntity({
  name: 'factsets',
  from: factsetTables,
  fields: factsetFields,
  relationships: [...byCertname, byEnvironment, byProducer],
  hasFactValues: true,
});

/** The same with the node's packages, for `include_package_inventory`. */
export const factsetsWithPackages = makeEntity({
  name: 'factsets',
  from: factsetTables,
  fields: {
    ...factsetFields,
    package_inventory: {
      ...field.json(`(select array_agg(array[p.name, p.version, p.provider]) from certname_packages cp
        join packages p on p.id = cp.package_id where cp.certname_id = fs.certname_id)`),
    },
  },
  relationships: [...byCertname, byEnvironment, byProducer],
  hasFactValues: true,
});
