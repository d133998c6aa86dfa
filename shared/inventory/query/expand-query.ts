import {
  type Ast,
  type AstList,
  isAstNumber,
  isList,
  isMap,
  printArgument,
  printAst,
  Real,
  writeJson,
} from '../ast/ast.ts';
import { type FieldPart, parseFieldPath, writeFieldPath } from '../ast/field-path.ts';
import { QueryRefused } from '../ast/query-error.ts';
import type { ClauseContexts } from './contexts.ts';
import { ELIDED } from './elided.ts';
import { validateClause } from './validate-clause.ts';

/** The paths of facts that a pattern matches, by pattern. */
export type MatchedPaths = ReadonlyMap<string, readonly (readonly string[])[]>;

/**
 * Replaces clauses that stand for others (`node_state`, `["fact", name]`, `latest_report?`,
 * implicit subqueries, patterns in paths) from the innermost out, and validates each. Throws
 * QueryRefused.
 */
export function expandQuery(query: Ast, contexts: ClauseContexts, matched: MatchedPaths): Ast {
  return new Expansion(contexts, matched).expand(query);
}

const ORDER = ['>', '<', '<=', '>='];

class Expansion {
  readonly #contexts: ClauseContexts;
  readonly #matched: MatchedPaths;

  constructor(contexts: ClauseContexts, matched: MatchedPaths) {
    this.#contexts = contexts;
    this.#matched = matched;
  }

  expand(node: Ast): Ast {
    if (!isList(node)) return node;
    const entity = this.#contexts.of(node);
    const clause = this.#contexts.note(
      node.map((child) => this.expand(child)),
      entity,
    );
    const replaced = this.#replace(clause);
    if (!isList(replaced)) return replaced;
    validateClause(replaced, this.#contexts.of(replaced));
    return this.#contexts.note(
      replaced.filter((child) => !isSilent(child)),
      this.#contexts.of(replaced),
    );
  }

  #replace(clause: AstList): Ast {
    const [operator, first, value] = clause;
    if (clause.length === 3 && value !== undefined) {
      if (typeof first === 'string') return this.#replaceComparison(clause, String(operator), first, value);
      if (isList(first)) return replacePair(clause, String(operator), first, value);
    }
    return clause;
  }

  #replaceComparison(clause: AstList, operator: string, name: string, value: Ast): Ast {
    const isOrder = ORDER.includes(operator);
    if ((operator === '=' || operator === '~' || isOrder) && /^(?:facts|trusted)(?:\.|$)/.test(name)) {
      return this.#replaceDotted(clause, operator, name, value);
    }
    if (name === 'value' && (operator === '=' || isOrder)) {
      const type = jsonType(value);
      if (type !== null && (operator === '=' || type === 'number')) {
        return ['and', ['=', ['function', 'jsonb_typeof', 'value'], type], [operator, 'value', value]];
      }
    }
    if (operator === '=' && name === 'type' && value === 'any') return ELIDED;
    if (operator === '=' && name === 'node_state') return replaceNodeState(value);
    if (operator === 'subquery') return this.#replaceSubquery(clause, name, value);
    if (operator === '=' && name === 'latest_report?') return this.#replaceLatestReport(clause, value);
    if (name === 'new_value' || name === 'old_value') return [operator, name, writeStored(value)];
    if (operator === '=' && value === null) return ['null?', name.replaceAll('-', '_'), true];
    if (name === 'tag') return [operator, 'tags', printAst(value).toLowerCase()];
    return clause;
  }

  /** Paths with patterns become those of the facts that there are; trusted facts are facts. */
  #replaceDotted(clause: AstList, operator: string, name: string, value: Ast): Ast {
    const { top, path } = parseFieldPath(name);
    const pattern = matchPattern(top, path);
    if (pattern === null) return top === 'trusted' ? [operator, `facts.${name}`, value] : clause;
    const paths = this.#matched.get(pattern) ?? [];
    const fields = paths.map((names) => writeFieldPath(names[0] === 'trusted' ? names : ['facts', ...names]));
    const comparisons = fields.map((field): AstList => [operator, field, value]);
    return comparisons.length === 0 ? ['or', 'false'] : ['or', ...comparisons];
  }

  #replaceSubquery(clause: AstList, name: string, query: Ast): Ast {
    const relationship = this.#contexts.of(clause)?.relationships.get(name);
    if (relationship === undefined) throw new QueryRefused(`No implicit relationship for entity '${name}'`);
    return ['in', relationship.local, ['extract', relationship.foreign, [`select_${name}`, query]]];
  }

  #replaceLatestReport(clause: AstList, value: Ast): Ast {
    const entity = this.#contexts.of(clause);
    const latest: Ast =
      entity?.latestReport === 'reports'
        ? ['in', 'hash', ['extract', 'latest_report_hash', ['select_latest_report']]]
        : ['in', 'report_id', ['extract', 'latest_report_id', ['select_latest_report_id']]];
    if (entity?.latestReport === null || entity === undefined) {
      throw new QueryRefused(`Field latest_report? not supported on endpoint '${entity?.name ?? ''}'`);
    }
    return value !== null && value !== false ? latest : ['not', latest];
  }
}

/** The pattern that finds a field's paths among those of all facts; null without `match(…)`. */
export function matchPattern(top: string, path: readonly FieldPart[]): string | null {
  if (!path.some(({ kind }) => kind === 'match')) return null;
  const parts = path.flatMap((part) => {
    if (part.kind === 'match') return [part.pattern];
    return part.kind === 'index' ? [part.name, String(part.index)] : [part.name];
  });
  return (top === 'trusted' ? [top, ...parts] : parts).join('#~');
}

function isSilent(child: Ast): boolean {
  if (child === ELIDED) return true;
  return isList(child) && child.length === 1 && ['not', 'and', 'or'].includes(String(child[0]));
}

function jsonType(value: Ast): string | null {
  if (isAstNumber(value)) return 'number';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : null;
}

/** Clauses on a pair: `["node", "active"]`, `["fact", name]`, `["parameter", name]`. */
function replacePair(clause: AstList, operator: string, [kind, name = null]: AstList, value: Ast): Ast {
  const isEquality = operator === '=' || operator === '~';
  if (kind === 'node' && name === 'active' && operator === '=') {
    return replaceNodeState(value === null || value === false ? 'inactive' : 'active');
  }
  if (kind === 'parameter' && isEquality) {
    const compared =
      operator === '=' ? ['=', 'res_param_value', value] : [operator, 'res_param_text', writeStored(value)];
    const condition = ['and', [operator, 'res_param_name', name], compared];
    return ['in', 'resource', ['extract', 'res_param_resource', ['select_params', condition]]];
  }
  if (kind !== 'fact') return clause;
  if (isEquality && (typeof value === 'string' || typeof value === 'boolean')) return factClause(name, operator, value);
  if (operator === 'in' && isList(value) && value[0] === 'array') {
    if (!isList(value[1])) throw new QueryRefused('Operator array requires a vector argument');
    const types = new Set(value[1].map(typeOf));
    if (types.size !== 1) throw new QueryRefused('All values in array must be the same type.');
    return factClause(name, operator, value);
  }
  if (operator !== '=' && !ORDER.includes(operator)) return clause;
  if (!isAstNumber(value))
    throw new QueryRefused(`Operator '${operator}' not allowed on value '${printArgument(value)}'`);
  return factClause(name, operator, value);
}

function factClause(name: Ast, operator: string, value: Ast): Ast {
  const condition = ['and', ['=', 'name', name], [operator, 'value', value]];
  return ['in', 'certname', ['extract', 'certname', ['select_facts', condition]]];
}

function typeOf(value: Ast): string {
  return value instanceof Real ? 'real' : typeof value;
}

function replaceNodeState(value: Ast): Ast {
  switch (printAst(value).toLowerCase()) {
    case 'active':
      return ['not', ['in', 'certname', ['extract', 'certname', ['select_not_active_nodes']]]];
    case 'inactive':
      return ['in', 'certname', ['extract', 'certname', ['select_inactive_nodes']]];
    case 'any':
      return ELIDED;
    default:
      throw new QueryRefused(`No matching clause: ${printAst(value).toLowerCase()}`);
  }
}

/** A value as the inventory stores it: compact JSON with sorted keys. */
function writeStored(value: Ast): string {
  return writeJson(sortKeys(value));
}

function sortKeys(value: Ast): Ast {
  if (isList(value)) return value.map(sortKeys);
  if (!isMap(value)) return value;
  return new Map(
    [...value].sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, item]) => [key, sortKeys(item)]),
  );
}
