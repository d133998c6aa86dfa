const KINDS = {
  END: 0,
  LBRACK: 1,
  LISTSTART: 2,
  RBRACK: 3,
  LBRACE: 4,
  RBRACE: 5,
  SELBRACE: 6,
  LPAREN: 7,
  WSLPAREN: 8,
  RPAREN: 9,
  EQUALS: 10,
  APPENDS: 11,
  DELETES: 12,
  ISEQUAL: 13,
  NOTEQUAL: 14,
  MATCH: 15,
  NOMATCH: 16,
  GREATEREQUAL: 17,
  GREATERTHAN: 18,
  LESSEQUAL: 19,
  LESSTHAN: 20,
  FARROW: 21,
  PARROW: 22,
  LSHIFT: 23,
  LLCOLLECT: 24,
  LCOLLECT: 25,
  RSHIFT: 26,
  RRCOLLECT: 27,
  RCOLLECT: 28,
  PLUS: 29,
  MINUS: 30,
  DIV: 31,
  TIMES: 32,
  MODULO: 33,
  NOT: 34,
  DOT: 35,
  PIPE: 36,
  AT: 37,
  ATAT: 38,
  COLON: 39,
  COMMA: 40,
  SEMIC: 41,
  QMARK: 42,
  TILDE: 43,
  IN_EDGE: 44,
  IN_EDGE_SUB: 45,
  OUT_EDGE: 46,
  OUT_EDGE_SUB: 47,
  STRING: 48,
  WORD: 49,
  DQPRE: 50,
  DQMID: 51,
  DQPOST: 52,
  NUMBER: 53,
  VARIABLE: 54,
  REGEX: 55,
  NAME: 56,
  CLASSREF: 57,
  HEREDOC: 58,
  SUBLOCATE: 59,
  RENDER_STRING: 60,
  RENDER_EXPR: 61,
  EPP_START: 62,
  EPP_END: 63,
  EPP_END_TRIM: 64,
  OTHER: 65,
  /** Marks where lexing failed. The parser throws the lexer's error when it reaches this token. */
  FAILURE: 66,
  BOOLEAN: 69,
  CASE: 70,
  CLASS: 71,
  DEFAULT: 72,
  DEFINE: 73,
  IF: 74,
  ELSIF: 75,
  ELSE: 76,
  INHERITS: 77,
  NODE: 78,
  AND: 79,
  OR: 80,
  UNDEF: 81,
  IN: 82,
  UNLESS: 83,
  FUNCTION: 84,
  TYPE: 85,
  ATTR: 86,
  PRIVATE: 87,
  PLAN: 88,
  APPLY: 89,
};

/** Token kinds. Names follow Puppet's lexer (lib/puppet/pops/parser/lexer2.rb). */
export const T: Readonly<typeof KINDS> = KINDS;

export const KEYWORDS: ReadonlyMap<string, number> = new Map([
  ['case', T.CASE],
  ['class', T.CLASS],
  ['default', T.DEFAULT],
  ['define', T.DEFINE],
  ['if', T.IF],
  ['elsif', T.ELSIF],
  ['else', T.ELSE],
  ['inherits', T.INHERITS],
  ['node', T.NODE],
  ['and', T.AND],
  ['or', T.OR],
  ['undef', T.UNDEF],
  ['false', T.BOOLEAN],
  ['true', T.BOOLEAN],
  ['in', T.IN],
  ['unless', T.UNLESS],
  ['function', T.FUNCTION],
  ['type', T.TYPE],
  ['attr', T.ATTR],
  ['private', T.PRIVATE],
]);

/** Keywords that only exist with the setting `tasks`. */
export const TASK_KEYWORDS: ReadonlyMap<string, number> = new Map([
  ['plan', T.PLAN],
  ['apply', T.APPLY],
]);

/** Whether a token of this kind can name an attribute in `name => value`. */
export function isAttributeName(kind: number): boolean {
  return kind === T.NAME || (kind >= T.CASE && kind <= T.APPLY);
}

/**
 * Whether `${word}` reads the variable `word`, although the lexer produced a token of another kind.
 */
export function mayBecomeVariable(kind: number): boolean {
  return kind === T.NAME || kind === T.WORD || kind === T.NUMBER || (kind >= T.BOOLEAN && kind <= T.PRIVATE);
}

const ONLY_ATTRIBUTE_NAMES: ReadonlySet<number> = new Set([T.AND, T.OR, T.IN, T.ELSE, T.ELSIF, T.INHERITS]);

/**
 * Whether a keyword never starts an expression, so that in braces it can only name an attribute.
 */
export function isOnlyAttributeName(kind: number): boolean {
  return ONLY_ATTRIBUTE_NAMES.has(kind);
}

const STATEMENT_STARTS = new Uint8Array(128);
for (const kind of [
  ...[T.LBRACK, T.LISTSTART, T.LPAREN, T.WSLPAREN, T.LBRACE, T.MINUS, T.TIMES, T.NOT, T.AT, T.ATAT],
  ...[T.STRING, T.WORD, T.DQPRE, T.NUMBER, T.VARIABLE, T.REGEX, T.NAME, T.CLASSREF, T.HEREDOC, T.BOOLEAN],
  ...[T.RENDER_STRING, T.RENDER_EXPR, T.CASE, T.CLASS, T.DEFAULT, T.DEFINE, T.IF, T.NODE, T.UNDEF, T.UNLESS],
  ...[T.FUNCTION, T.TYPE, T.ATTR, T.PRIVATE, T.PLAN, T.APPLY],
]) {
  STATEMENT_STARTS[kind] = 1;
}

export function startsStatement(kind: number): boolean {
  return STATEMENT_STARTS[kind] === 1;
}
