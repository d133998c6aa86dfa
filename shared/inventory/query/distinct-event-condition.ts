import { type Ast, type AstList, isList, printAst, printClause, writeJson } from '../ast/ast.ts';
import { QueryRefused } from '../ast/query-error.ts';
import { constantSql, joinSql, type Sql, sql } from '../database/sql.ts';
import { bindText, bindValue } from './plan-values.ts';
import { requireTime } from './timestamps.ts';

/** A condition on events and, if it asks for newest reports, that part alone. */
interface EventCondition {
  readonly condition: Sql | null;
  readonly latest: Sql | null;
}

const EQUAL: Readonly<Record<string, string>> = {
  certname: 'reports.certname',
  report: 'reports.hash',
  environment: 'environments.environment',
  resource_type: 'resource_events.resource_type',
  resource_title: 'resource_events.resource_title',
  status: 'resource_events.status',
  property: 'resource_events.property',
  message: 'resource_events.message',
  file: 'resource_events.file',
  line: 'resource_events.line',
  containing_class: 'resource_events.containing_class',
  corrective_change: 'null::boolean',
};
const NULLABLE = ['property', 'message', 'file', 'line', 'containing_class', 'corrective_change'];
const MATCHED = Object.keys(EQUAL).filter((name) => name !== 'report' && name !== 'corrective_change');
const TIMES: Readonly<Record<string, string>> = {
  timestamp: 'resource_events."timestamp"',
  run_start_time: 'reports.start_time',
  run_end_time: 'reports.end_time',
  report_receive_time: 'reports.receive_time',
};

/**
 * The condition of a query for distinct events, which has its own few operators. Throws
 * QueryRefused.
 */
export function planEventCondition(query: Ast): EventCondition {
  if (!isList(query) || query.length === 0) return { condition: null, latest: null };
  const [operator = null, ...operands] = query;
  if (operator === null) {
    throw new QueryRefused(`${printClause(query)} is not well-formed: queries must contain at least one operator`);
  }
  switch (printAst(operator).toLowerCase()) {
    case 'and':
    case 'or':
      return planJoined(printAst(operator).toLowerCase(), operands);
    case 'not':
      return planNegation(operands);
    case '=':
      return planEqual(operands);
    case '~':
      return { condition: planMatch(operands), latest: null };
    case '<':
    case '<=':
    case '>':
    case '>=':
      return { condition: planBound(printAst(operator), operands), latest: null };
    case 'extract':
      throw new QueryRefused(`The argument to extract must be a select operator, not '${operatorOf(operands[1])}'`);
    default:
      throw new QueryRefused(
        `${printClause(query)} is not well-formed: query operator '${printAst(operator)}' is unknown`,
      );
  }
}

function operatorOf(clause: Ast | undefined): string {
  return isList(clause) ? printAst(clause[0]) : printAst(clause);
}

function planJoined(operator: string, operands: AstList): EventCondition {
  if (operands.length === 0) throw new QueryRefused(`${operator} requires at least one term`);
  const conditions = operands.map((operand) => planEventCondition(operand).condition ?? constantSql('true'));
  return { condition: sql`(${joinSql(conditions, ` ${operator} `)})`, latest: null };
}

function planNegation(operands: AstList): EventCondition {
  if (operands.length !== 1) {
    throw new QueryRefused(`'not' takes exactly one argument, but ${operands.length} were supplied`);
  }
  const { condition } = planEventCondition(operands[0] ?? null);
  return { condition: sql`(not ${condition ?? constantSql('true')})`, latest: null };
}

function planEqual(operands: AstList): EventCondition {
  requireTwo('=', operands);
  const name = printAst(operands[0]).replaceAll('-', '_');
  const value = operands[1] ?? null;
  if (name === 'latest_report?') {
    const word = constantSql(value === null || value === false ? 'not in' : 'in');
    const latest = sql`resource_events.report_id ${word}
      (select latest_report_id from certnames where latest_report_id is not null)`;
    return { condition: latest, latest };
  }
  if (name === 'old_value' || name === 'new_value') {
    return { condition: sql`${constantSql(`resource_events.${name}`)} = ${bindText(writeJson(value))}`, latest: null };
  }
  const column = EQUAL[name];
  if (column === undefined) refuseField(name);
  if (value === null && NULLABLE.includes(name)) return { condition: constantSql(`${column} is null`), latest: null };
  const known = constantSql(NULLABLE.includes(name) ? ` and ${column} is not null` : '');
  return { condition: sql`(${constantSql(column)} = ${bindValue(value)}${known})`, latest: null };
}

function planMatch(operands: AstList): Sql {
  requireTwo('~', operands);
  const name = printAst(operands[0]).replaceAll('-', '_');
  const column = EQUAL[name];
  if (column === undefined || !MATCHED.includes(name)) refuseField(name);
  return sql`(${constantSql(column)} ~ ${bindValue(operands[1] ?? null)} and ${constantSql(`${column} is not null`)})`;
}

function planBound(operator: string, operands: AstList): Sql {
  requireTwo(operator, operands);
  const name = printAst(operands[0]);
  const column = TIMES[name];
  if (column === undefined) {
    throw new QueryRefused(`${operator} operator does not support object '${name}' for resource events`);
  }
  const time = requireTime(operands[1] ?? null, printAst(operands[1]));
  return sql`${constantSql(`${column} ${operator} `)}${bindText(time, 'timestamptz')}`;
}

function requireTwo(operator: string, operands: AstList): void {
  if (operands.length === 2) return;
  throw new QueryRefused(`${operator} requires exactly two arguments, but ${operands.length} were supplied`);
}

function refuseField(name: string): never {
  throw new QueryRefused(`'${name}' is not a queryable object for version 4 of the resource events API`);
}
