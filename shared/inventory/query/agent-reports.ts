import { type Ast, type AstList, isList } from '../ast/ast.ts';
import { ELIDED } from './elided.ts';
import type { Entity } from './entity.ts';
import { findSubquery } from './entity-registry.ts';

const COMPARISONS = ['=', '>', '<', '<=', '>=', '~', '~>'];
const PAGING = ['limit', 'group_by', 'order_by', 'offset'];

/**
 * Leaves out reports of plans, which are of no agent, wherever the query or a subquery is about
 * reports and says nothing of their type.
 */
export function leaveOutPlanReports(entity: Entity, query: Ast): Ast {
  if (!isList(query) || query[0] !== 'extract') return restrict(entity, query);
  const [operator = null, columns = null, first, ...others] = query;
  if (first === undefined || query.slice(2).every(isPaging)) {
    const restricted = restrict(entity, ELIDED);
    return restricted === ELIDED ? query : [operator, columns, restricted, ...query.slice(2)];
  }
  return [operator, columns, restrict(entity, first), ...others];
}

function isPaging(clause: Ast): boolean {
  return isList(clause) && PAGING.includes(String(clause[0]));
}

function restrict(entity: Entity | undefined, condition: Ast): Ast {
  const inner = restrictSubqueries(condition);
  if (entity?.isReports !== true || namesType(condition)) return inner;
  const agents: AstList = ['=', 'type', 'agent'];
  const isNothing = inner === ELIDED || inner === null || (isList(inner) && inner.length === 0);
  return isNothing ? agents : ['and', inner, agents];
}

function namesType(condition: Ast): boolean {
  if (!isList(condition)) return false;
  const [operator, field] = condition;
  const name = String(operator);
  if (name === 'and' || name === 'or' || name === 'not') return condition.slice(1).some(namesType);
  return field === 'type' && (COMPARISONS.includes(name) || name === 'null?' || isInArray(condition));
}

function isInArray([operator, , values]: AstList): boolean {
  return operator === 'in' && isList(values) && values[0] === 'array';
}

function restrictSubqueries(condition: Ast): Ast {
  if (!isList(condition)) return condition;
  const [operator = null, first = null, second = null] = condition;
  if (operator === 'and' || operator === 'or' || operator === 'not') {
    return [operator, ...condition.slice(1).map(restrictSubqueries)];
  }
  if (operator === 'subquery' && condition.length === 3) {
    return [operator, first, restrict(findSubquery(`select_${String(first)}`), second)];
  }
  if (operator !== 'in' || isInArray(condition) || !isList(second)) return condition;
  return [operator, first, second[0] === 'from' ? restrictFrom(second) : restrictSelect(second)];
}

/** `["from", entity, ["extract", fields, condition], paging…]` */
function restrictFrom(subquery: AstList): Ast {
  const [operator = null, name = null, extract = null, ...paging] = subquery;
  if (!isList(extract) || extract[0] !== 'extract') return subquery;
  const [word = null, columns = null, condition = ELIDED, ...others] = extract;
  const restricted = restrict(findSubquery(`select_${String(name)}`), condition);
  const tail = restricted === ELIDED ? [] : [restricted, ...others];
  return [operator, name, [word, columns, ...tail], ...paging];
}

/** `["extract", fields, ["select_entity", condition]]` */
function restrictSelect(subquery: AstList): Ast {
  const [word = null, columns = null, select = null] = subquery;
  if (word !== 'extract' || !isList(select)) return subquery;
  const [operator = null, condition = ELIDED, ...others] = select;
  const source = findSubquery(operator);
  if (source === undefined) return subquery;
  const restricted = restrict(source, condition);
  return [word, columns, restricted === ELIDED ? select : [operator, restricted, ...others]];
}
