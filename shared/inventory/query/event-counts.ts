import { type Ast, isList, printAst, printClause } from '../ast/ast.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { constantSql, joinSql, quoteName, type Sql, sql } from '../database/sql.ts';
import { selectDistinctEvents } from './distinct-events.ts';
import { events } from './entities/report-entities.ts';
import type { Entity } from './entity.ts';
import type { PlannedQuery, QueryOptions } from './inventory-query.ts';
import { type Page, planCount, planRows } from './plan-query.ts';
import { bindValue } from './plan-values.ts';

type Prepare = (entity: Entity, query: Ast) => Promise<Ast>;

const COUNTS = ['failures', 'skips', 'successes', 'noops'];
const STATUSES = ['failure', 'skipped', 'success', 'noop'];
const SUBJECTS: Readonly<Record<string, { readonly columns: readonly string[]; readonly subject: string }>> = {
  certname: { columns: ['certname'], subject: "json_build_object('title', certname)" },
  containing_class: { columns: ['containing_class'], subject: "json_build_object('title', containing_class)" },
  resource: {
    columns: ['resource_type', 'resource_title'],
    subject: "json_build_object('type', resource_type, 'title', resource_title)",
  },
};

/** `/event-counts`: how many events of each outcome a node, class or resource has. */
export async function planEventCounts(
  query: Ast,
  options: QueryOptions,
  { limit, offset, order }: Page,
  prepare: Prepare,
): Promise<PlannedQuery> {
  const summarized = options.summarizeBy ?? '';
  const { columns, subject } = subjectOf(summarized);
  refuseUnknownOrder(order, [...COUNTS, ...columns]);
  const counts = await selectCounts(query, summarized, options, prepare);
  const terms = order.map(([name, direction]) => sql`${quoteName(name)} ${constantSql(direction)}`);
  const ordering = terms.length === 0 ? sql`` : sql` order by ${joinSql(terms, ', ')}`;
  const page = sql`${ordering}${planCount('limit', limit, 1)}${planCount('offset', offset, 0)}`;
  const shown = constantSql(`${COUNTS.join(', ')}, '${summarized}' as subject_type, ${subject} as subject`);
  return {
    rows: sql`select row_to_json(shown)::text from
      (select ${shown} from (select * from (${counts}) counted${page}) paged) shown`,
    total: sql`select count(*) from (${counts}) counted`,
  };
}

/** `/aggregate-event-counts`: how many nodes, classes or resources have events of each outcome. */
export async function planAggregateEventCounts(
  query: Ast,
  options: QueryOptions,
  prepare: Prepare,
): Promise<PlannedQuery> {
  const summaries = (options.summarizeBy ?? '').split(',');
  const parts: Sql[] = [];
  for (const summarized of summaries) {
    const counts = await selectCounts(query, summarized, options, prepare);
    const sums = COUNTS.map((name) => `coalesce(sum(case when ${name} > 0 then 1 else 0 end), 0) as ${name}`);
    const columns = constantSql(`'${summarized}' as summarize_by, ${sums.join(', ')}, count(*) as total`);
    parts.push(sql`(select ${columns} from (${counts}) event_counts)`);
  }
  const rows = joinSql(parts, ' union all ');
  return {
    rows: sql`select row_to_json(shown)::text from (${rows}) shown`,
    total: sql`select count(*) from (${rows}) counted`,
  };
}

function subjectOf(summarized: string) {
  const known = SUBJECTS[summarized];
  if (known === undefined) throw new QueryRefused(`Unsupported value for 'summarize_by': '${summarized}'`);
  return known;
}

async function selectCounts(query: Ast, summarized: string, options: QueryOptions, prepare: Prepare): Promise<Sql> {
  const { columns } = subjectOf(summarized);
  const filter = planFilter(options.countsFilter);
  const distinct = options.distinct;
  const found =
    distinct?.isDistinct === true
      ? selectDistinctEvents(query, distinct)
      : planRows(events, await prepare(events, query), null, true);
  const grouped = constantSql(columns.join(', '));
  const sums = COUNTS.map((name, index) => `sum(case when status = '${STATUSES[index]}' then 1 else 0 end) as ${name}`);
  const source = countBy(found, options.countBy ?? 'resource', columns);
  const counted = sql`select ${grouped}, ${constantSql(sums.join(', '))} from (${source}) events group by ${grouped}`;
  return filter === null ? counted : sql`select * from (${counted}) count_results where ${filter}`;
}

function countBy(found: Sql, counted: string, columns: readonly string[]): Sql {
  if (counted === 'resource') return found;
  if (counted !== 'certname') throw new QueryRefused(`Unsupported value for 'count_by': '${counted}'`);
  const others = columns.filter((column) => column !== 'certname');
  const names = ['certname', 'status', 'corrective_change', ...others];
  return sql`select distinct ${constantSql(names.join(', '))} from (${found}) distinct_events`;
}

function planFilter(filter: Ast): Sql | null {
  if (filter === null || (isList(filter) && filter.length === 0)) return null;
  if (!isList(filter)) throw new QueryFailed(`${printClause(filter)} is not a filter`);
  const [operator = null, ...operands] = filter;
  const name = printAst(operator).toLowerCase();
  if (!['=', '<', '>', '<=', '>='].includes(name)) {
    throw new QueryRefused(
      `${printClause(filter)} is not well-formed: query operator '${printAst(operator)}' is unknown`,
    );
  }
  if (operands.length !== 2) {
    throw new QueryRefused(`${name} requires exactly two arguments, but ${operands.length} were supplied`);
  }
  const field = printAst(operands[0]);
  if (!COUNTS.includes(field)) {
    throw new QueryRefused(
      name === '='
        ? `${field} is not a queryable object for event counts`
        : `${name} operator does not support object '${field}' for event counts`,
    );
  }
  return sql`${constantSql(`${field} ${name} `)}${bindValue(operands[1] ?? null)}`;
}

function refuseUnknownOrder(order: Page['order'], columns: readonly string[]): void {
  const unknown = order.find(([name]) => !columns.includes(name));
  if (unknown === undefined) return;
  const known = columns.join("', '");
  throw new QueryRefused(
    `Unrecognized column '${unknown[0]}' specified in :order_by; Supported columns are '${known}'`,
  );
}
