import type { Ast, AstList } from '../ast/ast.ts';
import {
  build,
  choice,
  type GrammarRule,
  later,
  optional,
  pattern,
  repeated,
  sequence,
  skip,
  unless,
  word,
} from './parsing.ts';
import {
  makeAnd,
  makeComparison,
  makeFrom,
  makeFunction,
  makeInteger,
  makeNot,
  makeOr,
  makeOrderParameter,
  makeReal,
  makeSubquery,
  readDoubleQuoted,
  readSingleQuoted,
} from './pql-values.ts';

/**
 * The grammar of the Puppet Query Language, after the reference of PuppetDB 7
 * (api/query/v4/pql.html). Keywords are lower-case; there are no comments.
 */

const token = (text: string): GrammarRule => skip(word(text));
const space = skip(pattern(/\s+/y));
const gap = optional(space);
const list = (values: readonly unknown[]): AstList => values as AstList;

/** `item, item, …` */
const separated = (item: GrammarRule): GrammarRule => sequence(item, repeated(sequence(gap, token(','), gap, item)));
/** `[ … ]` around a list of items. */
const bracketed = (items: GrammarRule): GrammarRule => sequence(token('['), gap, items, gap, token(']'));

/** The entities that a query may name. */
export const PQL_ENTITIES: readonly string[] = [
  'facts',
  'reports',
  'catalogs',
  'packages',
  'package_inventory',
  'resources',
  'nodes',
  'environments',
  'factsets',
  'fact_paths',
  'fact_contents',
  'inventory',
  'edges',
  'events',
];
const entity = choice(...PQL_ENTITIES.map(word));

/** `certname`, `latest_report?`, `facts."a.b".match("c.*").d[0]` */
const pathPart = choice(pattern(/".*?"(?=\.|\s)/y), pattern(/[^\s.",[\]!<=>~]+(\[\d+\])?/y), pattern(/match\(.*?\)/y));
const dotted = sequence(token('.'), pathPart);
const field = choice(
  pattern(/[a-zA-Z0-9_]+\??/y),
  build(sequence(choice(word('facts'), word('trusted'), word('parameters')), dotted, repeated(dotted)), (parts) =>
    parts.join('.'),
  ),
);

const doubleQuoted = build(sequence(token('"'), pattern(/(?:[^"\\]|\\.)*/y), token('"')), ([text]) =>
  readDoubleQuoted(String(text)),
);
const singleQuoted = build(sequence(token("'"), pattern(/(?:[^'\\]|\\.)*/y), token("'")), ([text]) =>
  readSingleQuoted(String(text)),
);
const string = choice(doubleQuoted, singleQuoted);

const digits = pattern(/[0-9]+/y);
const exponent = sequence(choice(word('E'), word('e')), optional(choice(word('-'), word('+'))), digits);
const integer = build(sequence(optional(word('-')), digits), makeInteger);
const real = build(sequence(optional(word('-')), digits, word('.'), digits, optional(exponent)), makeReal);
const boolean = choice(
  build(word('true'), () => true),
  build(word('false'), () => false),
);
const literal: GrammarRule = choice(
  string,
  integer,
  real,
  boolean,
  later(() => array),
);
const array = build(bracketed(separated(literal)), list);

/** `count()`, `to_string(producer_timestamp, 'YYYY')` */
const functionName = choice(...['count', 'avg', 'sum', 'min', 'max', 'to_string'].map(word));
const functionArguments = sequence(choice(field, string), optional(sequence(gap, token(','), gap, separated(string))));
const functionCall = build(
  sequence(functionName, gap, token('('), gap, optional(functionArguments), gap, token(')')),
  makeFunction,
);
const fields = separated(choice(field, functionCall));

/** `field operator value` */
const compared = (operator: GrammarRule, value: GrammarRule): GrammarRule => sequence(field, gap, operator, gap, value);
const values = build(bracketed(separated(literal)), (items) => ['array', list(items)]);
const comparison = build(
  choice(
    compared(word('~'), string),
    compared(word('~>'), build(bracketed(separated(string)), list)),
    compared(choice(word('>='), word('<='), word('<'), word('>')), choice(integer, real, string)),
    compared(word('='), literal),
    compared(word('!='), literal),
    compared(word('!~'), literal),
    sequence(
      choice(field, build(bracketed(fields), list)),
      gap,
      word('in'),
      gap,
      choice(
        later(() => query),
        values,
      ),
    ),
  ),
  makeComparison,
);
const nullTest = choice(
  build(sequence(field, gap, token('is null')), ([name]) => ['null?', name as Ast, true]),
  build(sequence(field, gap, token('is not null')), ([name]) => ['null?', name as Ast, false]),
);

const expression: GrammarRule = later(() => disjunction);
const subquery = build(
  sequence(
    entity,
    gap,
    later(() => filter),
  ),
  makeSubquery,
);
const simple = choice(sequence(token('('), gap, expression, gap, token(')')), comparison, nullTest, subquery);
const negation: GrammarRule = choice(
  build(
    sequence(
      token('!'),
      gap,
      later(() => negation),
    ),
    makeNot,
  ),
  simple,
);
const conjunction = build(sequence(negation, repeated(sequence(space, token('and'), space, negation))), makeAnd);
const disjunction = build(sequence(conjunction, repeated(sequence(space, token('or'), space, conjunction))), makeOr);

const limit = build(sequence(word('limit'), space, integer), list);
const offset = build(sequence(word('offset'), space, integer), list);
const direction = choice(word('asc'), word('desc'));
const orderParameter = build(
  sequence(unless(direction, field), optional(sequence(space, direction)), gap),
  makeOrderParameter,
);
const orderBy = build(
  sequence(token('order by'), space, orderParameter, repeated(sequence(token(','), gap, orderParameter))),
  (parameters) => ['order_by', list(parameters)],
);
const groupBy = build(sequence(token('group by'), space, fields), (names) => ['group_by', ...list(names)]);

/** `{ filter  group by … | order by … limit … offset … }` */
const filter: GrammarRule = sequence(
  token('{'),
  gap,
  optional(expression),
  gap,
  optional(choice(groupBy, repeated(sequence(choice(limit, offset, orderBy), gap)))),
  repeated(space),
  token('}'),
);

const projection = build(sequence(token('['), gap, optional(fields), gap, token(']')), (names) => [
  'extract',
  list(names),
]);
/** `entity[projection] { filter }` */
const query: GrammarRule = build(sequence(entity, optional(sequence(gap, projection)), gap, filter), makeFrom);

/** A whole query between optional white space. */
export const pqlQuery: GrammarRule = sequence(gap, query);
export const pqlSpace: GrammarRule = space;
