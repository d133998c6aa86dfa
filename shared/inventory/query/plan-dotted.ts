import { type Ast, writeJson } from '../ast/ast.ts';
import { type FieldPart, parseFieldPath } from '../ast/field-path.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { bind, constantSql, joinSql, type Sql, sql } from '../database/sql.ts';
import type { EntityField } from './entity.ts';
import { bindJson, bindText, bindTexts, replaceNulls } from './plan-values.ts';

const FACTS = '(fs.stable || fs.volatile)';
/** Both documents of a node's facts: a name is in one of them. */
const HALVES = [constantSql('fs.stable'), constantSql('fs.volatile')];

/**
 * `facts.a.b = value`: the document contains `{"a": {"b": value}}`. With a number among the names,
 * which may be an index, the value at the path is equal.
 */
export function planContains(name: string, { sql: column }: EntityField, value: Ast): Sql {
  const names = parseFieldPath(name, true).path.map(nameOf);
  if (column === null) throw new QueryFailed(`${name} has no column`);
  if (names.some((one) => /^\d+$/.test(one))) {
    return sql`(${constantSql(column)} #> ${bindTexts(names)} = ${bindJson(value)})`;
  }
  const nested = names.reduceRight<string>((inner, one) => `{${JSON.stringify(one)}:${inner}}`, writeJson(value));
  const document = bindJsonText(nested);
  if (column !== FACTS || names.length === 0) return sql`(${constantSql(column)} @> ${document})`;
  return sql`(${joinSql(
    HALVES.map((half) => sql`${half} @> ${document}`),
    ' or ',
  )})`;
}

function bindJsonText(text: string): Sql {
  return bind(replaceNulls(text), 'jsonb');
}

/**
 * A comparison with the value at a path, which may have indexes: `facts.a[0] > 5`. It holds only
 * where the path's first name is there, also when it is negated.
 */
export function planPathComparison(
  name: string,
  field: EntityField,
  [operator, value]: readonly [operator: string, value: Ast],
  isNegated = false,
): Sql {
  const steps = parseFieldPath(name).path.flatMap(stepsOf);
  const first = steps[0];
  if (first === undefined) throw new QueryFailed(`${name} has no path`);
  const document = memberOf(field, first.step);
  const exists = memberExists(field, first.step);
  const not = constantSql(isNegated ? 'not ' : '');
  if (operator === '~') {
    const text = sql`(${followSteps(document, steps.slice(1))} #>> '{}')`;
    return sql`(${not}${text} ~ (${bindJson(value)} #>> '{}') and ${exists})`;
  }
  const found = followSteps(document, steps.slice(1));
  return sql`(${not}${found} ${constantSql(operator)} ${bindJson(value)} and ${exists})`;
}

interface Step {
  readonly step: Sql;
}

function stepsOf(part: FieldPart): readonly Step[] {
  if (part.kind === 'match') throw new QueryFailed('match() has no place here');
  const name = { step: bindText(part.name) };
  return part.kind === 'index' ? [name, { step: bind(String(part.index), 'int') }] : [name];
}

function nameOf(part: FieldPart): string {
  return part.kind === 'match' ? part.pattern : part.name;
}

function memberOf({ sql: column }: EntityField, name: Sql): Sql {
  if (column !== FACTS) return sql`${constantSql(column ?? 'null')} -> ${name}`;
  return sql`coalesce(fs.volatile -> ${name}, fs.stable -> ${name})`;
}

function memberExists({ sql: column }: EntityField, name: Sql): Sql {
  if (column !== FACTS) return sql`${constantSql(column ?? 'null')} ? ${name}`;
  return sql`(fs.volatile ? ${name} or fs.stable ? ${name})`;
}

function followSteps(document: Sql, steps: readonly Step[]): Sql {
  return steps.reduce((inner, { step }) => sql`${inner} -> ${step}`, document);
}

/** The part of a document that a dotted field in an answer names. Refuses indexes and patterns. */
export function planSubtree(name: string, field: EntityField): Sql {
  const names = parseFieldPath(name).path.map((part) => {
    if (part.kind === 'name') return bindText(part.name);
    throw new QueryRefused(`No matching clause: :puppetlabs.puppetdb.query-eng.parse/${kindOf(part)}-field-part`);
  });
  return subtreeOf(field, names);
}

function subtreeOf(field: EntityField, names: readonly Sql[]): Sql {
  const [first, ...others] = names;
  if (first === undefined) return constantSql(field.sql ?? 'null');
  return others.reduce((inner, name) => sql`${inner} -> ${name}`, sql`${memberOf(field, first)}`);
}

function kindOf(part: FieldPart): string {
  return part.kind === 'index' ? 'indexed' : 'match';
}

/** The value that `null?` looks at: a part of a document. Indexes in the path do not count. */
export function planNullOperand(name: string, field: EntityField): Sql {
  const names = parseFieldPath(name).path.map((part) => bindText(nameOf(part)));
  return subtreeOf(field, names);
}
