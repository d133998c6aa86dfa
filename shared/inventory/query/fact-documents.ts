import { type Ast, type AstList, isList } from '../ast/ast.ts';

/**
 * Lets subqueries for the nodes whose fact has a value look into the documents of facts, which an
 * index finds, rather than at all facts one by one. PuppetDB does the same, so that answers agree
 * where the two differ: a name with a dot is a path, and types of values are not compared.
 */
export function useFactDocuments(node: Ast): Ast {
  if (!isList(node)) return node;
  return (replace(node) ?? node).map(useFactDocuments);
}

function replace(node: AstList): AstList | null {
  const [operator, column, subquery] = node;
  if (operator !== 'extract' || node.length !== 3 || !isList(subquery)) return null;
  if (column !== 'certname' && column !== 'environment') return null;
  const [name, condition] = subquery;
  if (name !== 'select_facts' || subquery.length !== 2 || !isClause(condition, 'and', 3)) return null;
  const [, named, valued] = condition;
  if (!isClause(named, '=', 3) || named[1] !== 'name') return null;
  const compared = isTyped(valued) ? (valued[2] ?? null) : (valued ?? null);
  if (!isList(compared) || compared.length !== 3 || compared[1] !== 'value' || isList(compared[2])) return null;
  const [comparison = null, , value = null] = compared;
  return ['extract', column, ['select_inventory', [comparison, `facts.${String(named[2])}`, value]]];
}

function isClause(node: Ast | undefined, operator: string, length: number): node is AstList {
  return isList(node) && node[0] === operator && node.length === length;
}

/** `["and", ["=", ["function", "jsonb_typeof", "value"], type], comparison]` */
function isTyped(node: Ast | undefined): node is AstList {
  if (!isClause(node, 'and', 3)) return false;
  const [, typed] = node;
  return isClause(typed, '=', 3) && isList(typed[1]) && typed[1][0] === 'function' && typed[1][1] === 'jsonb_typeof';
}
