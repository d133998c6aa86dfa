import { constantSql, type Sql } from '../database/sql.ts';

/**
 * Comparison of a field: `json` has none; `queryable-json` compares by dotted paths; `jsonb-scalar`
 * as the values of facts; `encoded-path` and `path-array` as the paths of facts.
 */
export type FieldType =
  | 'string'
  | 'timestamp'
  | 'boolean'
  | 'numeric'
  | 'array'
  | 'json'
  | 'queryable-json'
  | 'jsonb-scalar'
  | 'encoded-path'
  | 'path-array';

/** A field of an entity. */
export interface EntityField {
  readonly type: FieldType;
  /** The column or expression; null for fields that stand for a condition, as `latest_report?`. */
  readonly sql: string | null;
  /** SQL expression that answers show, if not the column: times and encoded values. */
  readonly shown?: string;
  /** Whether conditions may name the field. */
  readonly isQueryable: boolean;
  /** Whether answers may have the field. */
  readonly isProjectable: boolean;
}

/** Join of two entities by a subquery that names no fields: equal lists of fields. */
interface EntityRelationship {
  readonly local: readonly string[];
  readonly foreign: readonly string[];
}

/** An entity of the query API: its tables, its fields, and what it may be joined with. */
export interface Entity {
  /** The name in messages; `fact_nodes` for fact contents, as in PuppetDB. */
  readonly name: string;
  /** Tables and joins. */
  readonly from: Sql;
  readonly where?: Sql;
  readonly isDistinct?: boolean;
  readonly fields: ReadonlyMap<string, EntityField>;
  readonly relationships: ReadonlyMap<string, EntityRelationship>;
  /** Fields whose parts conditions may name, as `facts` of `facts.os.name`. */
  readonly dottedFields: readonly string[];
  /** Fields whose parts answers may have. */
  readonly dottedProjections: readonly string[];
  /** The clause behind `latest_report?`; null where it is not supported. */
  readonly latestReport: 'reports' | 'events' | null;
  /** Whether its rows are reports, of which those of plans are left out unless asked for. */
  readonly isReports: boolean;
  /** Whether `value` is that of a fact, which functions take as a number. */
  readonly hasFactValues: boolean;
}

/** Time in answers: UTC with milliseconds. */
export const showTime = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const make = (type: FieldType, sql: string, more: Partial<EntityField> = {}): EntityField => ({
  type,
  sql,
  isQueryable: true,
  isProjectable: true,
  ...more,
});

/** Kinds of fields, each from its column or expression. */
export const field = {
  text: (sql: string): EntityField => make('string', sql),
  number: (sql: string): EntityField => make('numeric', sql),
  boolean: (sql: string): EntityField => make('boolean', sql),
  array: (sql: string): EntityField => make('array', sql),
  time: (sql: string): EntityField => make('timestamp', sql, { shown: showTime(sql) }),
  /** JSON that answers show and conditions cannot name. */
  json: (sql: string): EntityField => make('json', sql, { isQueryable: false }),
  document: (sql: string, shown?: string): EntityField =>
    make('queryable-json', sql, shown === undefined ? {} : { shown }),
  factValue: (sql: string): EntityField => make('jsonb-scalar', sql),
  uuid: (sql: string): EntityField => make('string', `cast(${sql} as text)`),
  hex: (sql: string): EntityField => make('string', `encode(${sql}, 'hex')`),
  /** A field for conditions alone. */
  condition: (type: FieldType, sql: string | null): EntityField => ({
    type,
    sql,
    isQueryable: true,
    isProjectable: false,
  }),
  of: make,
};

/** Joins by the same fields on both sides. */
export const sameFields = (...names: readonly string[]): EntityRelationship => ({ local: names, foreign: names });
/** Joins by fields of different names. */
export const differentFields = (local: string, foreign: string): EntityRelationship => ({
  local: [local],
  foreign: [foreign],
});

const WITH_CERTNAME = [
  'factsets',
  'reports',
  'package-inventory',
  'inventory',
  'catalogs',
  'catalog_input_contents',
  'catalog_inputs',
  'nodes',
  'facts',
  'fact_contents',
  'events',
  'edges',
  'resources',
];
/** The joins of all entities that have a certname. */
export const byCertname: readonly (readonly [string, EntityRelationship])[] = WITH_CERTNAME.map((name) => [
  name,
  sameFields('certname'),
]);

/** Properties that differ from those of other entities. */
interface EntityParts extends Partial<Omit<Entity, 'from' | 'where' | 'fields' | 'relationships'>> {
  readonly name: string;
  readonly from: string;
  readonly where?: string;
  readonly fields: Readonly<Record<string, EntityField>>;
  readonly relationships?: readonly (readonly [string, EntityRelationship])[];
}

/** An entity from what is particular about it. */
export function makeEntity({ from, where, fields, relationships = [], ...parts }: EntityParts): Entity {
  return {
    dottedFields: [],
    dottedProjections: [],
    latestReport: null,
    isReports: false,
    hasFactValues: false,
    ...parts,
    from: constantSql(from),
    ...(where === undefined ? {} : { where: constantSql(where) }),
    fields: new Map(Object.entries(fields)),
    relationships: new Map(relationships),
  };
}

/** The names of the fields that conditions may have, sorted. */
export function queryableFields({ fields }: Entity): readonly string[] {
  return [...fields]
    .filter(([, { isQueryable }]) => isQueryable)
    .map(([name]) => name)
    .sort();
}

/** The names of the fields that answers may have. */
export function projectableFields({ fields }: Entity): readonly string[] {
  return [...fields].filter(([, { isProjectable }]) => isProjectable).map(([name]) => name);
}
