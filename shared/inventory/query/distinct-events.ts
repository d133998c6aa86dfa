import type { Ast } from '../ast/ast.ts';
import { printAst } from '../ast/ast.ts';
import { QueryRefused } from '../ast/query-error.ts';
import { bind, constantSql, joinSql, quoteName, type Sql, sql } from '../database/sql.ts';
import { planEventCondition } from './distinct-event-condition.ts';
import { showTime } from './entity.ts';
import type { PlannedQuery } from './inventory-query.ts';
import { type Page, planCount } from './plan-query.ts';
import type { InventoryParameters } from './query-parameters.ts';
import { readTime, writeTime } from './timestamps.ts';

type Distinct = NonNullable<InventoryParameters['distinct']>;

const TIMES = ['run_start_time', 'run_end_time', 'report_receive_time', 'timestamp'];
/** Columns of the newest events, in the names of answers. */
const COLUMNS: Readonly<Record<string, string>> = {
  certname: 'reports.certname',
  configuration_version: 'reports.configuration_version',
  run_start_time: 'reports.start_time',
  run_end_time: 'reports.end_time',
  report_receive_time: 'reports.receive_time',
  report: 'reports.hash',
  status: 'resource_events.status',
  corrective_change: 'null::boolean',
  timestamp: 'newest."timestamp"',
  resource_type: 'newest.resource_type',
  resource_title: 'newest.resource_title',
  property: 'newest.property',
  name: 'newest.name',
  new_value: 'resource_events.new_value',
  old_value: 'resource_events.old_value',
  message: 'resource_events.message',
  file: 'resource_events.file',
  line: 'resource_events.line',
  containment_path: 'resource_events.containment_path',
  containing_class: 'resource_events.containing_class',
  environment: 'environments.environment',
};

/** The newest event of each property of each resource of each node within a span of time. */
export function selectDistinctEvents(query: Ast, { start, end }: Distinct): Sql {
  const [from, until] = [readTime(start), readTime(end)];
  if (from === null || until === null) {
    throw new QueryRefused(
      `query parameters 'distinct_start_time' and 'distinct_end_time' must be valid datetime strings: ${printAst(start)} ${printAst(end)}`,
    );
  }
  const { condition, latest } = planEventCondition(query);
  const columns = Object.entries(COLUMNS).map(([name, column]) => sql`${constantSql(column)} as ${quoteName(name)}`);
  const isSame = ['resource_type', 'resource_title', 'property', 'name', 'certname_id']
    .map((column) => `resource_events.${column} is not distinct from newest.${column}`)
    .join(' and ');
  const restricted = latest === null ? sql`` : sql` and ${latest}`;
  const where = condition === null ? sql`` : sql` where ${condition}`;
  return sql`select ${joinSql(columns, ', ')} from (
    select certname_id, resource_type, resource_title, property, name, max("timestamp") as "timestamp"
      from resource_events where "timestamp" >= ${bind(writeTime(from), 'timestamptz')}
        and "timestamp" <= ${bind(writeTime(until), 'timestamptz')}${restricted}
      group by certname_id, resource_type, resource_title, property, name) newest
    join resource_events on ${constantSql(isSame)} and resource_events."timestamp" = newest."timestamp"
    join reports on reports.id = resource_events.report_id and reports.day = resource_events.day
    left join environments on environments.id = reports.environment_id${where}`;
}

/** The answer of `/events` with `distinct_resources`. */
export function planDistinctEvents(query: Ast, distinct: Distinct, { limit, offset, order }: Page): PlannedQuery {
  const events = selectDistinctEvents(query, distinct);
  const terms = order.map(([name, direction]) => {
    if (COLUMNS[name] === undefined) {
      const known = Object.keys(COLUMNS).join("', '");
      throw new QueryRefused(`Unrecognized column '${name}' specified in :order_by; Supported columns are '${known}'`);
    }
    return sql`${quoteName(name)} ${constantSql(direction)}`;
  });
  const ordering = terms.length === 0 ? sql`` : sql` order by ${joinSql(terms, ', ')}`;
  const page = sql`${ordering}${planCount('limit', limit, 1)}${planCount('offset', offset, 0)}`;
  const shown = Object.keys(COLUMNS).map((name) => sql`${constantSql(shownColumn(name))} as ${quoteName(name)}`);
  return {
    rows: sql`select row_to_json(shown)::text from (select ${joinSql(shown, ', ')}
      from (select * from (${events}) found${page}) found) shown`,
    total: sql`select count(*) from (${events}) counted`,
  };
}

function shownColumn(name: string): string {
  if (TIMES.includes(name)) return showTime(`found."${name}"`);
  return name === 'new_value' || name === 'old_value' ? `found.${name}::json` : `found."${name}"`;
}
