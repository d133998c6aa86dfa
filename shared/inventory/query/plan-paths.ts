import type { Ast, AstList } from '../ast/ast.ts';
import { QueryFailed } from '../ast/query-error.ts';
import { bind, constantSql, joinSql, type Sql, sql } from '../database/sql.ts';
import { bindText, bindTexts, readPath } from './plan-values.ts';

/** Fact contents whose path is the given one; names and indexes of the same text differ. */
export function planFactPath(path: Ast): Sql {
  const elements = readPath(path);
  const types = elements.map(({ isIndex }) => (isIndex ? 'i' : 's')).join('');
  return sql`(fc.path = ${bindTexts(elements.map(({ name }) => name))} and fc.types = ${bind(types)})`;
}

/** Fact contents whose path is one of those given. */
export function planFactPaths(paths: AstList): Sql {
  if (paths.length === 0) throw new QueryFailed('ERROR: syntax error at or near ")"');
  return sql`(${joinSql(paths.map(planFactPath), ' or ')})`;
}

/** Fact contents of whose path each element matches its expression; a whole number is an index. */
export function planFactPathPattern(path: Ast): Sql {
  const elements = readPath(path);
  const types = elements.map(({ name, isIndex }) => (isIndex ? 'i' : /^\d+$/.test(name) ? 's' : '_')).join('');
  const matches = elements.map(
    ({ name }, index) => sql`fc.path[${constantSql(String(index + 1))}] ~ ${bindText(name)}`,
  );
  const length = constantSql(String(elements.length));
  const conditions = joinSql([sql`fc.types like ${bind(types)}`, ...matches], ' and ');
  return sql`(case when array_length(fc.path, 1) = ${length} then ${conditions} else false end)`;
}
