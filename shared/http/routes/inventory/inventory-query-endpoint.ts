import { type Ast, type AstList, writeJson } from '../../../inventory/ast/ast.ts';
import { readJsonBody } from '../../../inventory/ast/json-reader.ts';
import { QueryRefused } from '../../../inventory/ast/query-error.ts';
import type { InventoryReader } from '../../../inventory/query/inventory-reader.ts';
import {
  checkParameterNames,
  convertParameters,
  type InventoryParameters,
  NO_PARAMETERS,
  type RawParameters,
  readAddressParameters,
  readBodyParameters,
} from '../../../inventory/query/query-parameters.ts';
import { addCondition, restrictRootQuery, restrictToActiveNodes } from '../../../inventory/query/restrict-query.ts';
import { BODIES } from '../../body/body-kinds.ts';
import {
  checkFormats,
  type InventoryAnswer,
  type InventoryHttpRequest,
  jsonAnswer,
  notFoundAnswer,
} from '../../exchange/inventory-exchange.ts';
import { findInventoryTarget, type ItemTarget, type ParentCheck, type RowsTarget } from './inventory-paths.ts';

/** Answers a query; null for a path that is not known. Throws what `answerError` explains. */
export async function answerInventoryQuery(
  request: InventoryHttpRequest,
  rest: string,
  reader: InventoryReader,
): Promise<InventoryAnswer | null> {
  checkFormats(request);
  const target = findInventoryTarget(rest);
  if (target === null) return null;
  if (target.kind === 'rows') return answerRows(request, target, reader);
  if (target.kind === 'item') return answerItem(request, target, reader);
  if (!(await reader.exists('report', target.hash))) return notFoundAnswer('report', target.hash);
  checkParameterNames(request.parameters.keys(), target.known);
  const [row = '{}'] = await reader.readAll(['from', target.entity, ['=', 'hash', target.hash]], NO_PARAMETERS);
  return jsonAnswer(200, firstMember(row));
}

/** The value of an object that has one member: `{"logs":…}`. */
function firstMember(row: string): string {
  return row.slice(row.indexOf(':') + 1, -1);
}

async function answerRows(
  request: InventoryHttpRequest,
  target: RowsTarget,
  reader: InventoryReader,
): Promise<InventoryAnswer> {
  const { parent } = target;
  if (parent?.isFirst === true) {
    const missing = await findMissing(parent, reader);
    if (missing !== null) return missing;
  }
  const parameters = convertParameters(await readParameters(request, target.entity === null), target.known);
  const missing = parent === null ? null : await findMissing(parent, reader);
  if (missing !== null) return missing;
  if (target.entity === null && parameters.isAstOnly) {
    await reader.plan(parameters.query, parameters);
    return jsonAnswer(200, writeJson(parameters.query));
  }
  return sendRows(restrict(target, parameters.query), orderNames(target, parameters), reader);
}

async function findMissing({ kind, name }: ParentCheck, reader: InventoryReader): Promise<InventoryAnswer | null> {
  return (await reader.exists(kind, name)) ? null : notFoundAnswer(kind, name);
}

/** Fact names are sorted unless the request says otherwise. */
function orderNames({ entity }: RowsTarget, parameters: InventoryParameters): InventoryParameters {
  return entity === 'fact_names' && parameters.order === null
    ? { ...parameters, order: [['name', 'asc']] }
    : parameters;
}

function restrict({ entity, conditions, activeAfter }: RowsTarget, query: Ast): Ast {
  if (entity === null) return restrictRootQuery(query);
  let restricted = query;
  for (const [index, condition] of conditions.entries()) {
    if (index === activeAfter) restricted = restrictToActiveNodes(restricted);
    restricted = addCondition(condition, restricted);
  }
  if (activeAfter === conditions.length) restricted = restrictToActiveNodes(restricted);
  const from: AstList = ['from', entity];
  return restricted === null ? from : [...from, restricted];
}

async function readParameters(request: InventoryHttpRequest, allowsPql: boolean): Promise<RawParameters> {
  if (request.method === 'GET') return readAddressParameters(request.parameters, allowsPql);
  if (request.method !== 'POST') throw new QueryRefused('PuppetDB queries must be made via GET/POST');
  const { depth, values } = BODIES.inventoryQuery;
  const body = await request.readBody(BODIES.inventoryQuery, 'checkQuery', { depth, values });
  return readBodyParameters(readJsonBody(body), allowsPql);
}

async function sendRows(
  query: Ast,
  parameters: InventoryParameters,
  reader: InventoryReader,
): Promise<InventoryAnswer> {
  const { rows, total } = await reader.read(query, parameters);
  const headers: Record<string, string> = total === null ? {} : { 'X-Records': total };
  return jsonAnswer(200, writeArray(rows, parameters.isPretty), headers);
}

async function* writeArray(batches: AsyncIterable<readonly string[]>, isPretty: boolean): AsyncGenerator<string> {
  let opening = isPretty ? '[ ' : '[';
  for await (const batch of batches) {
    const rows = isPretty ? batch.map((row) => indentJson(row)) : batch;
    yield `${opening}${rows.join(isPretty ? ', ' : ',')}`;
    opening = isPretty ? ', ' : ',';
  }
  yield opening.startsWith('[') ? `${opening}]` : isPretty ? ' ]' : ']';
}

async function answerItem(
  request: InventoryHttpRequest,
  target: ItemTarget,
  reader: InventoryReader,
): Promise<InventoryAnswer> {
  const parameters = target.isQuery
    ? convertParameters(await readParameters(request, false), target.known)
    : readSingleParameters(request, target);
  const { includesFactExpiration, includesPackages, isExplained } = parameters;
  const query: Ast = ['from', target.entity, ['=', target.field, target.name]];
  const options = { ...NO_PARAMETERS, includesFactExpiration, includesPackages, isExplained };
  const [item] = await reader.readAll(query, options);
  return item === undefined ? notFoundAnswer(target.noun, target.name) : jsonAnswer(200, indentJson(item));
}

function readSingleParameters({ parameters }: InventoryHttpRequest, { known }: ItemTarget): InventoryParameters {
  checkParameterNames(parameters.keys(), known);
  return NO_PARAMETERS;
}

/**
 * JSON text with white space as PuppetDB's `pretty` gives it; strings and numbers stay as they are.
 */
function indentJson(json: string): string {
  let depth = 0;
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+/g, (token) => {
    const line = () => `\n${'  '.repeat(depth)}`;
    switch (token) {
      case '{':
        depth++;
        return `{${line()}`;
      case '}':
        depth--;
        return `${line()}}`;
      case ',':
        return `,${line()}`;
      case ':':
        return ' : ';
      default:
        return token.trim() === '' ? '' : token;
    }
  });
}
