/**
 * Recursive-descent parser of the Puppet language. It accepts what the grammar
 * lib/puppet/pops/parser/egrammar.ra accepts and builds the model that its actions build, with the
 * same positions.
 */
import type { CompileLog } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type {
  AbstractAttributeOperation,
  ApplyBlockExpression,
  BlockExpression,
  CallMethodExpression,
  CallNamedFunctionExpression,
  CaseOption,
  CollectExpression,
  Definition,
  Expression,
  IfExpression,
  KeyedEntry,
  LambdaExpression,
  LiteralHash,
  LiteralList,
  LiteralString,
  NamedAccessExpression,
  Nop,
  Parameter,
  Program,
  QualifiedName,
  QualifiedReference,
  ResourceBody,
  ResourceForm,
  SelectorEntry,
  VariableExpression,
} from './ast.ts';
import type { HeredocSpace } from './heredoc.ts';
import { lex } from './lexer.ts';
import { Locator } from './locator.ts';
import { numberLiteral } from './number-token.ts';
import { getBindingPower, SELECTOR_POWER } from './precedence.ts';
import { callStatements, type ExpressionList } from './statement-calls.ts';
import { isAttributeName, isOnlyAttributeName, startsStatement, T } from './token.ts';
import type { TokenBuffer } from './token-buffer.ts';
import { typeAliasTarget } from './type-alias.ts';
import { forEachChild } from './walk.ts';

interface ParseOptions {
  /** The path in errors; null for text without a file. */
  readonly file: string | null;
  /** Whether `source` is an EPP template. */
  readonly epp?: boolean | undefined;
  /** The setting `tasks`: makes `plan` and `apply` keywords. */
  readonly tasks?: boolean | undefined;
  /** Receives the lexer's warnings when parsing fails; otherwise the program contains them. */
  readonly log?: CompileLog | undefined;
}

/**
 * Parses a manifest or an EPP template.
 *
 * Throws a `PuppetError` with Puppet's text, issue code and location for the first syntax error.
 */
export function parseProgram(source: string, options: ParseOptions): Program {
  const locator = new Locator(source, options.file);
  const tokens = lex(locator, { epp: options.epp ?? false, tasks: options.tasks ?? false });
  const parser = new Parser(locator, tokens);
  try {
    return parser.parseProgram();
  } catch (error) {
    for (const { token, entry } of tokens.warnings) if (token <= parser.position) options.log?.add(entry);
    throw error;
  }
}

/** A range of the text. */
interface Range {
  readonly offset: number;
  readonly length: number;
}

class Parser {
  readonly #locator: Locator;
  readonly #tokens: TokenBuffer;
  readonly #kinds: Uint8Array;
  #at = -1;
  #kind: number = T.END;
  /** Names of the classes around the current position. */
  readonly #namespace: string[] = [];
  readonly #definitions: Definition[] = [];

  constructor(locator: Locator, tokens: TokenBuffer) {
    this.#locator = locator;
    this.#tokens = tokens;
    this.#kinds = tokens.kinds;
  }

  /** The current token. */
  get position(): number {
    return this.#at;
  }

  // program: statements | epp_expression | (nothing)
  parseProgram(): Program {
    this.#advance();
    const body = this.#kind === T.EPP_START ? this.#parseEpp() : this.#parseProgramBody();
    this.#expect(T.END);
    const warnings = this.#tokens.warnings.map(({ entry }) => entry);
    return { kind: 'Program', body, definitions: this.#definitions, warnings, locator: this.#locator };
  }

  #parseProgramBody(): Expression {
    if (this.#kind === T.END) {
      return { kind: 'Nop', offset: this.#locator.source.length, length: 0, locator: this.#locator };
    }
    const statements = this.#parseStatements();
    const [first] = statements;
    const last = statements.at(-1);
    return first && last && statements.length > 1
      ? this.#createBlock(statements, first, last)
      : this.#requireOnly(statements);
  }

  // epp_expression: EPP_START epp_parameters_list optional_statements
  #parseEpp(): LambdaExpression {
    const start = this.#take();
    const specified = this.#kind === T.PIPE;
    const parameters = specified ? this.#parseLambdaParameters() : [];
    const at = { offset: this.#findOffset(start), length: 0, locator: this.#locator };
    const statements = this.#kind === T.END ? null : this.#parseStatements();
    const body: BlockExpression | null = statements && { kind: 'BlockExpression', ...at, statements };
    return {
      kind: 'LambdaExpression',
      ...at,
      parameters,
      body: { kind: 'EppExpression', ...at, parametersSpecified: specified, body },
      returnType: null,
    };
  }

  // statements: syntactic_statement+, optionally separated by SEMIC
  #parseStatements(): Expression[] {
    const statements: (Expression | ExpressionList)[] = [];
    for (;;) {
      statements.push(this.#parseStatement());
      if (this.#kind === T.SEMIC) this.#advance();
      else if (!startsStatement(this.#kind)) break;
    }
    if (this.#kind === T.FAILURE) this.#failUnexpected();
    return this.#callStatements(statements);
  }

  #callStatements(statements: readonly (Expression | ExpressionList)[]): Expression[] {
    return callStatements(statements, (list, name) => {
      const issue = name === null ? ISSUES.ILLEGAL_ARGUMENT_LIST() : ISSUES.ARGUMENT_LIST_WITHOUT_PARENTHESES({ name });
      return this.#failAt(this.#findOffset(list.comma), issue);
    });
  }

  // syntactic_statement: assignment (COMMA assignment)*
  #parseStatement(): Expression | ExpressionList {
    const first = this.#parseAssignment();
    return this.#kind === T.COMMA ? this.#parseStatementTail(first) : first;
  }

  #parseStatementTail(first: Expression): ExpressionList {
    const comma = this.#at;
    const expressions = [first];
    while (this.#kind === T.COMMA) {
      this.#advance();
      expressions.push(this.#parseAssignment());
    }
    return { kind: 'ExpressionList', expressions, comma };
  }

  // `start` is an expression that is already parsed; it may continue as any of these rules.
  // assignment: relationship | relationship (EQUALS | APPENDS | DELETES) assignment
  #parseAssignment(start: Expression | null = null): Expression {
    const leftExpr = this.#parseRelationship(start);
    const kind = this.#kind;
    if (kind !== T.EQUALS && kind !== T.APPENDS && kind !== T.DELETES) return leftExpr;
    const at = this.#take();
    const operator = kind === T.EQUALS ? '=' : kind === T.APPENDS ? '+=' : '-=';
    const rightExpr = this.#parseAssignment();
    return { kind: 'AssignmentExpression', ...this.#rangeOfToken(at), operator, leftExpr, rightExpr };
  }

  // relationship: resource ((IN_EDGE | IN_EDGE_SUB | OUT_EDGE | OUT_EDGE_SUB) resource)*
  #parseRelationship(start: Expression | null): Expression {
    let leftExpr = this.#parseResource(start);
    for (;;) {
      const operator = relationshipOperator(this.#kind);
      if (!operator) return leftExpr;
      const at = this.#take();
      const rightExpr = this.#parseResource();
      leftExpr = { kind: 'RelationshipExpression', ...this.#rangeOfToken(at), operator, leftExpr, rightExpr };
    }
  }

  // resource: expression | AT resource | ATAT resource | CLASS LBRACE … | resource LBRACE …
  #parseResource(start: Expression | null = null): Expression {
    let result: Expression;
    if (start) result = start;
    else if (this.#kind === T.AT || this.#kind === T.ATAT) result = this.#parseVirtualResource();
    else if (this.#startsClassResource()) result = this.#parseClassResource();
    else result = this.#parseExpression(1);
    while (this.#kind === T.LBRACE) result = this.#parseResourceTail(result);
    return result;
  }

  #parseVirtualResource(): Expression {
    const isVirtual = this.#kind === T.AT;
    const at = this.#take();
    const resource = this.#parseResource();
    if (this.#kind === T.FAILURE) this.#failUnexpected();
    if (!setResourceForm(resource, isVirtual ? 'virtual' : 'exported', this.#findOffset(at))) {
      const form = isVirtual ? 'Virtual (@)' : 'Exported (@@)';
      this.#failAt(this.#findOffset(at), ISSUES.NOT_A_RESOURCE_EXPRESSION({ form }));
    }
    return resource;
  }

  #parseClassResource(): Expression {
    const at = this.#take();
    this.#advance();
    const range = { offset: this.#findOffset(at), length: 0 };
    const typeName: QualifiedName = { kind: 'QualifiedName', ...range, locator: this.#locator, value: 'class' };
    const bodies = this.#parseResourceBodies(range.offset);
    return {
      kind: 'ResourceExpression',
      ...this.#joinRanges(range, this.#findRange(this.#expect(T.RBRACE))),
      form: 'regular',
      typeName,
      bodies,
    };
  }

  /**
   * Parses the braces behind an expression: bodies of a resource, or operations without a title.
   */
  #parseResourceTail(left: Expression): Expression {
    const brace = this.#take();
    if (this.#startsOperations()) return this.#parseUntitledResource(left, brace);
    const title = this.#parseExpression(1);
    const bodies = [this.#parseResourceBodyTail(title, left.offset)];
    if (this.#kind === T.SEMIC) {
      this.#advance();
      if (this.#kind !== T.RBRACE) bodies.push(...this.#parseResourceBodies(left.offset));
    }
    return {
      kind: 'ResourceExpression',
      ...this.#joinRanges(left, this.#findRange(this.#expect(T.RBRACE))),
      form: 'regular',
      typeName: left,
      bodies,
    };
  }

  // resource_bodies: resource_body (SEMIC resource_body)* SEMIC?
  #parseResourceBodies(offset: number): ResourceBody[] {
    const bodies: ResourceBody[] = [];
    do {
      bodies.push(this.#parseResourceBodyTail(this.#parseExpression(1), offset));
      if (this.#kind !== T.SEMIC) return copyExact(bodies);
      this.#advance();
    } while (this.#kind !== T.RBRACE);
    return copyExact(bodies);
  }

  #parseResourceBodyTail(title: Expression, offset: number): ResourceBody {
    this.#expect(T.COLON);
    const operations = this.#parseOperations();
    return { kind: 'ResourceBody', offset, length: 0, locator: this.#locator, title, operations };
  }

  #parseUntitledResource(left: Expression, brace: number): Expression {
    const operations = this.#parseOperations();
    const end = this.#findRange(this.#expect(T.RBRACE));
    switch (resourceShape(left)) {
      case 'resource':
        return this.#hashAfterName(left, operations, brace, end);
      case 'defaults':
        return {
          kind: 'ResourceDefaultsExpression',
          ...this.#joinRanges(left, end),
          form: 'regular',
          typeRef: left,
          operations,
        };
      case 'override':
        return {
          kind: 'ResourceOverrideExpression',
          ...this.#joinRanges(left, end),
          form: 'regular',
          resources: left,
          operations,
        };
      default:
        return this.#failAt(left.offset, ISSUES.NOT_A_RESOURCE());
    }
  }

  /**
   * `name { a => b }` parses as a name followed by a hash. It is a call when `name` is a statement
   * function.
   */
  #hashAfterName(
    left: Expression,
    operations: readonly AbstractAttributeOperation[],
    brace: number,
    end: Range,
  ): Expression {
    if (operations.some((each) => each.kind === 'AttributeOperation' && each.operator === '+>')) {
      this.#failAt(this.#findOffset(brace), ISSUES.RESOURCE_BODY_WITHOUT_TITLE());
    }
    const span = this.#joinRanges(this.#findRange(brace), end);
    const at = { offset: span.offset, length: 0, locator: this.#locator };
    const nop: Nop = { kind: 'Nop', ...at };
    const entries = operations.map((each): KeyedEntry => {
      if (each.kind === 'AttributesOperation') return { kind: 'KeyedEntry', ...at, key: nop, value: nop };
      const key: LiteralString = { kind: 'LiteralString', ...at, value: each.attributeName };
      return { kind: 'KeyedEntry', ...at, key, value: each.valueExpr };
    });
    const hash: LiteralHash = { kind: 'LiteralHash', ...span, entries };
    const statements = this.#callStatements([left, hash]);
    const range = this.#joinRanges(left, end);
    if (statements.length > 1) return { kind: 'BlockExpression', ...range, statements };
    return { ...this.#requireOnly(statements), ...range };
  }

  #startsOperations(): boolean {
    const kind = this.#kind;
    if (kind === T.RBRACE || kind === T.COMMA || isOnlyAttributeName(kind)) return true;
    const next = this.#nextKind();
    return next === T.FARROW ? kind === T.TIMES || isAttributeName(kind) : next === T.PARROW && isAttributeName(kind);
  }

  // attribute_operations endcomma
  #parseOperations(): AbstractAttributeOperation[] {
    const operations: AbstractAttributeOperation[] = [];
    if (this.#kind === T.TIMES || isAttributeName(this.#kind)) operations.push(this.#parseOperation());
    while (this.#kind === T.COMMA) {
      this.#advance();
      if (this.#kind !== T.TIMES && !isAttributeName(this.#kind)) break;
      operations.push(this.#parseOperation());
    }
    return copyExact(operations);
  }

  // attribute_operation: attribute_name (FARROW | PARROW) expression | TIMES FARROW expression
  #parseOperation(): AbstractAttributeOperation {
    const start = this.#take();
    if (this.#kinds[start] === T.TIMES) {
      this.#expect(T.FARROW);
      const expr = this.#parseExpression(1);
      return { kind: 'AttributesOperation', ...this.#joinRanges(this.#findRange(start), expr), expr };
    }
    const operator = this.#kind === T.PARROW ? '+>' : '=>';
    if (this.#kind !== T.PARROW && this.#kind !== T.FARROW) this.#failUnexpected();
    this.#advance();
    const valueExpr = this.#parseExpression(1);
    const offset = this.#findOffset(start);
    const length = valueExpr.offset + valueExpr.length - offset;
    const attributeName = this.#readText(start);
    return { kind: 'AttributeOperation', offset, length, locator: this.#locator, attributeName, operator, valueExpr };
  }

  // expression: operators by precedence; `power` is the weakest precedence accepted, `start` an
  // operand that is already parsed
  #parseExpression(power: number, start: Expression | null = null): Expression {
    let leftExpr = start ? this.#parsePostfixOf(start) : this.#parseUnary();
    for (;;) {
      const kind = this.#kind;
      const binds = getBindingPower(kind);
      if (binds === 0 || binds < power) return leftExpr;
      const at = this.#take();
      if (binds === SELECTOR_POWER) {
        leftExpr = this.#parsePostfixOf(this.#parseSelector(leftExpr));
        continue;
      }
      const rightExpr = this.#parseExpression(binds + 1);
      leftExpr = this.#createBinary(kind, at, leftExpr, rightExpr);
    }
  }

  #createBinary(kind: number, token: number, leftExpr: Expression, rightExpr: Expression): Expression {
    const at = this.#rangeOfToken(token);
    switch (kind) {
      case T.IN:
        return { kind: 'InExpression', ...at, leftExpr, rightExpr };
      case T.AND:
        return { kind: 'AndExpression', ...at, leftExpr, rightExpr };
      case T.OR:
        return { kind: 'OrExpression', ...at, leftExpr, rightExpr };
      case T.MATCH:
        return { kind: 'MatchExpression', ...at, operator: '=~', leftExpr, rightExpr };
      case T.NOMATCH:
        return { kind: 'MatchExpression', ...at, operator: '!~', leftExpr, rightExpr };
    }
    const comparison = comparisonOperator(kind);
    if (comparison) return { kind: 'ComparisonExpression', ...at, operator: comparison, leftExpr, rightExpr };
    return { kind: 'ArithmeticExpression', ...at, operator: arithmeticOperator(kind), leftExpr, rightExpr };
  }

  // selector_entries: selector_entry | SELBRACE selector_entry (COMMA selector_entry)* COMMA?
  // RBRACE
  #parseSelector(leftExpr: Expression): Expression {
    const selectors: SelectorEntry[] = [];
    if (this.#kind === T.SELBRACE) {
      this.#advance();
      selectors.push(this.#parseSelectorEntry());
      while (this.#kind === T.COMMA) {
        this.#advance();
        if (this.#kind === T.RBRACE) break;
        selectors.push(this.#parseSelectorEntry());
      }
      this.#expect(T.RBRACE);
    } else {
      selectors.push(this.#parseSelectorEntry());
    }
    const { offset, length } = leftExpr;
    return {
      kind: 'SelectorExpression',
      offset,
      length,
      locator: this.#locator,
      leftExpr,
      selectors: copyExact(selectors),
    };
  }

  #parseSelectorEntry(): SelectorEntry {
    const matchingExpr = this.#parseExpression(1);
    const at = this.#expect(T.FARROW);
    const valueExpr = this.#parseExpression(1);
    return { kind: 'SelectorEntry', ...this.#rangeOfToken(at), matchingExpr, valueExpr };
  }

  // MINUS expression | TIMES expression | NOT expression | postfix expression
  #parseUnary(): Expression {
    const kind = this.#kind;
    if (kind !== T.MINUS && kind !== T.TIMES && kind !== T.NOT) return this.#parsePostfix();
    const at = this.#take();
    const expr = this.#parseUnary();
    if (kind === T.NOT) return { kind: 'NotExpression', ...this.#rangeOfToken(at), expr };
    if (kind === T.TIMES) return { kind: 'UnfoldExpression', ...this.#rangeOfToken(at), expr };
    return { kind: 'UnaryMinusExpression', ...this.#rangeOfToken(at), expr };
  }

  // calls, accesses, method calls and collections, all of which bind tighter than any operator
  #parsePostfix(): Expression {
    return this.#parsePostfixOf(this.#parsePrimary());
  }

  #parsePostfixOf(start: Expression): Expression {
    let expr = start;
    for (;;) {
      switch (this.#kind) {
        case T.LPAREN:
          expr = this.#parseCall(expr);
          break;
        case T.LBRACK:
          expr = this.#parseAccess(expr);
          break;
        case T.DOT:
          expr = this.#parseMethodCall(expr);
          break;
        case T.LCOLLECT:
        case T.LLCOLLECT:
          expr = this.#parseCollection(expr);
          break;
        default:
          return expr;
      }
    }
  }

  // call_function_expression: expression LPAREN (arguments COMMA?)? RPAREN lambda?
  #parseCall(functorExpr: Expression): CallNamedFunctionExpression {
    this.#advance();
    const args: Expression[] = [];
    if (this.#kind !== T.RPAREN) {
      this.#parseArguments(args);
      if (this.#kind === T.COMMA) this.#advance();
    }
    const close = this.#expect(T.RPAREN);
    const lambda = this.#kind === T.PIPE ? this.#parseLambda() : null;
    return {
      kind: 'CallNamedFunctionExpression',
      ...this.#joinRanges(functorExpr, lambda ?? this.#findRange(close)),
      rvalRequired: true,
      functorExpr,
      arguments: copyExact(args),
      lambda,
    };
  }

  /** Parses arguments up to a closing parenthesis, or to a comma before one. */
  #parseArguments(args: Expression[]): void {
    let unfolds = false;
    for (;;) {
      unfolds = this.#addArgument(args, this.#parseArgument(), unfolds);
      if (this.#kind !== T.COMMA || this.#nextKind() === T.RPAREN) return;
      this.#advance();
    }
  }

  /**
   * Adds an argument. Adjacent `key => value` arguments become one hash. Returns whether the last
   * argument is such a hash.
   */
  #addArgument(args: Expression[], argument: Expression | KeyedEntry, afterUnfolded: boolean): boolean {
    if (argument.kind !== 'KeyedEntry') {
      args.push(argument);
      return false;
    }
    const last = args.at(-1);
    if (afterUnfolded && last?.kind === 'LiteralHash') {
      args[args.length - 1] = { ...last, entries: [...last.entries, argument] };
      return true;
    }
    const { offset, length } = argument;
    args.push({ kind: 'LiteralHash', offset, length, locator: this.#locator, entries: [argument] });
    return true;
  }

  // argument: assignment | hashpair
  #parseArgument(): Expression | KeyedEntry {
    const keyword = this.#parseEntryKeyword();
    const key = keyword ?? this.#parseAssignment();
    if (this.#kind === T.FARROW) return this.#parsePairValue(key);
    if (keyword) this.#failUnexpected();
    return key;
  }

  // hashpair: hash_entry FARROW hash_entry
  #parsePairValue(key: Expression): KeyedEntry {
    const at = this.#expect(T.FARROW);
    const value = this.#parseEntryKeyword() ?? this.#parseAssignment();
    return { kind: 'KeyedEntry', ...this.#rangeOfToken(at), key, value };
  }

  /** Accepts `type` and `function` as plain words where an entry of a collection is expected. */
  #parseEntryKeyword(): LiteralString | null {
    const next = this.#kind === T.TYPE || this.#kind === T.FUNCTION ? this.#nextKind() : T.END;
    if (this.#kind === T.TYPE) {
      if (next === T.LPAREN || next === T.CLASSREF) return null;
    } else if (this.#kind !== T.FUNCTION || isDefinitionName(next)) {
      return null;
    }
    const at = this.#take();
    return { kind: 'LiteralString', ...this.#rangeOfToken(at), value: this.#readText(at) };
  }

  // bracketed_expression: expression LBRACK access_args COMMA? RBRACK
  #parseAccess(leftExpr: Expression): Expression {
    this.#advance();
    const keys = this.#parseAccessKeys();
    if (this.#kind === T.COMMA) this.#advance();
    const close = this.#expect(T.RBRACK);
    const { offset } = leftExpr;
    const length = this.#findOffset(close) + this.#findLength(close) - offset;
    return { kind: 'AccessExpression', offset, length, locator: this.#locator, leftExpr, keys };
  }

  // access_args: access_arg (COMMA access_arg)*
  #parseAccessKeys(): Expression[] {
    const keys: Expression[] = [];
    let unfolds = false;
    for (;;) {
      unfolds = this.#addArgument(keys, this.#parseAccessKey(), unfolds);
      if (this.#kind !== T.COMMA || this.#nextKind() === T.RBRACK) return copyExact(keys);
      this.#advance();
    }
  }

  /**
   * Parses an access argument: an expression, or a pair. Only the key of a pair may be an
   * assignment or a resource.
   */
  #parseAccessKey(): Expression | KeyedEntry {
    const keyword = this.#parseEntryKeyword();
    if (keyword) return this.#parsePairValue(keyword);
    const startsResource = this.#kind === T.AT || this.#kind === T.ATAT || this.#startsClassResource();
    const expr = startsResource ? null : this.#parseExpression(1);
    const isKey = expr && (this.#kind === T.COMMA || this.#kind === T.RBRACK);
    return isKey ? expr : this.#parsePairValue(this.#parseAssignment(expr));
  }

  #startsClassResource(): boolean {
    return this.#kind === T.CLASS && this.#nextKind() === T.LBRACE;
  }

  // call_method_with_lambda_expression: expression DOT (NAME | TYPE) (LPAREN arguments? RPAREN)?
  // lambda?
  #parseMethodCall(leftExpr: Expression): CallMethodExpression {
    const dot = this.#take();
    if (this.#kind !== T.NAME && this.#kind !== T.TYPE) this.#failUnexpected();
    const name = this.#take();
    const range = this.#joinRanges(this.#findRange(dot), this.#findRange(name));
    const rightExpr: QualifiedName = {
      kind: 'QualifiedName',
      offset: range.offset,
      length: 0,
      locator: this.#locator,
      value: this.#readText(name),
    };
    const functorExpr: NamedAccessExpression = { kind: 'NamedAccessExpression', ...range, leftExpr, rightExpr };
    const args: Expression[] = [];
    const position = this.#kind === T.LPAREN ? this.#parseMethodArguments(args) : range;
    const lambda = this.#kind === T.PIPE ? this.#parseLambda() : null;
    return {
      kind: 'CallMethodExpression',
      ...position,
      rvalRequired: true,
      functorExpr,
      arguments: copyExact(args),
      lambda,
    };
  }

  #parseMethodArguments(args: Expression[]): Range & { locator: Locator } {
    const open = this.#take();
    if (this.#kind !== T.RPAREN) this.#parseArguments(args);
    this.#refuseTrailingComma();
    const close = this.#expect(T.RPAREN);
    // Puppet: without arguments only the opening parenthesis counts, egrammar.ra.
    return this.#joinRanges(this.#findRange(open), this.#findRange(args.length === 0 ? open : close));
  }

  // collection_expression: expression collect_query (LBRACE attribute_operations COMMA? RBRACE)?
  #parseCollection(typeExpr: Expression): CollectExpression {
    const open = this.#take();
    const isExported = this.#kinds[open] === T.LLCOLLECT;
    const closing = isExported ? T.RRCOLLECT : T.RCOLLECT;
    const expr = this.#kind === closing ? null : this.#parseExpression(1);
    const range = this.#joinRanges(this.#findRange(open), this.#findRange(this.#expect(closing)));
    const query = { kind: isExported ? 'ExportedQuery' : 'VirtualQuery', ...range, expr } as const;
    const operations: AbstractAttributeOperation[] = [];
    let end: Range = query;
    if (this.#kind === T.LBRACE) {
      this.#advance();
      operations.push(...this.#parseOperations());
      end = this.#findRange(this.#expect(T.RBRACE));
    }
    return { kind: 'CollectExpression', ...this.#joinRanges(typeExpr, end), typeExpr, query, operations };
  }

  // lambda: lambda_parameter_list opt_return_type LBRACE statements? RBRACE
  #parseLambda(): LambdaExpression {
    const start = this.#findRange(this.#at);
    const parameters = this.#parseLambdaParameters();
    const returnType = this.#parseReturnType();
    const body = this.#parseBody(start.offset);
    const end = this.#findRange(this.#at - 1);
    return { kind: 'LambdaExpression', ...this.#joinRanges(start, end), parameters, body, returnType };
  }

  // PIPE (parameters COMMA?)? PIPE
  #parseLambdaParameters(): Parameter[] {
    this.#expect(T.PIPE);
    const parameters = this.#kind === T.PIPE ? [] : this.#parseParameters(T.PIPE);
    this.#expect(T.PIPE);
    return parameters;
  }

  /**
   * Parses `{ statements }` as the body of a definition, lambda or case option at `offset`; null
   * when it is empty.
   */
  #parseBody(offset: number): BlockExpression | null {
    this.#expect(T.LBRACE);
    const statements = this.#kind === T.RBRACE ? null : this.#parseStatements();
    this.#expect(T.RBRACE);
    return statements && { kind: 'BlockExpression', offset, length: 0, locator: this.#locator, statements };
  }

  /** Parses the `{ statements }` of an if, unless or else. Only several statements make a block. */
  #parseBranch(): { body: Expression | null; end: number } {
    const open = this.#expect(T.LBRACE);
    const statements = this.#kind === T.RBRACE ? null : this.#parseStatements();
    const end = this.#expect(T.RBRACE);
    if (!statements) return { body: null, end };
    if (statements.length === 1) return { body: this.#requireOnly(statements), end };
    return { body: this.#createBlock(statements, this.#findRange(open), this.#findRange(end)), end };
  }

  #parsePrimary(): Expression {
    switch (this.#kind) {
      case T.NAME:
        return this.#parseName();
      case T.VARIABLE:
        return this.#parseVariable();
      case T.STRING:
      case T.WORD:
        return this.#parseString();
      case T.DQPRE:
        return this.#parseInterpolatedString();
      case T.CLASSREF:
        return this.#parseType();
      case T.NUMBER:
        return this.#parseNumber();
      case T.LBRACK:
      case T.LISTSTART:
        return this.#parseArray();
      case T.LBRACE:
        return this.#parseHash();
      case T.LPAREN:
      case T.WSLPAREN:
        return this.#parseParenthesized();
      case T.BOOLEAN:
        return this.#parseBoolean();
      case T.UNDEF:
        return { kind: 'LiteralUndef', ...this.#rangeOfToken(this.#take()) };
      case T.DEFAULT:
        return { kind: 'LiteralDefault', ...this.#rangeOfToken(this.#take()) };
      case T.REGEX:
        return this.#parseRegexp();
      case T.HEREDOC:
        return this.#parseHeredoc();
      default:
        return this.#parseKeyword();
    }
  }

  #parseKeyword(): Expression {
    switch (this.#kind) {
      case T.IF:
        return this.#parseIf();
      case T.UNLESS:
        return this.#parseUnless();
      case T.CASE:
        return this.#parseCase();
      case T.CLASS:
        return this.#parseClass();
      case T.DEFINE:
        return this.#parseDefine();
      case T.NODE:
        return this.#parseNode();
      case T.FUNCTION:
        return this.#parseFunction();
      case T.TYPE:
        return this.#parseTypeStatement();
      case T.PLAN:
        return this.#parsePlan();
      case T.APPLY:
        return this.#parseApply();
      case T.PRIVATE:
      case T.ATTR: {
        const at = this.#take();
        return { kind: 'ReservedWord', ...this.#rangeOfToken(at), word: this.#readText(at), future: false };
      }
      case T.RENDER_STRING: {
        const at = this.#take();
        return { kind: 'RenderStringExpression', ...this.#rangeOfToken(at), value: this.#readText(at) };
      }
      case T.RENDER_EXPR:
        return this.#parseRender();
      default:
        return this.#failUnexpected();
    }
  }

  #parseName(): QualifiedName {
    const at = this.#take();
    const offset = this.#findOffset(at);
    return {
      kind: 'QualifiedName',
      offset,
      length: this.#findLength(at),
      locator: this.#locator,
      value: this.#readText(at),
    };
  }

  #parseVariable(): VariableExpression {
    const at = this.#take();
    const offset = this.#findOffset(at);
    const length = this.#findLength(at);
    const locator = this.#locator;
    const value = this.#readText(at);
    const expr: QualifiedName = { kind: 'QualifiedName', offset: offset + 1, length: length - 1, locator, value };
    return { kind: 'VariableExpression', offset, length, locator, expr, place: -1 };
  }

  #parseString(): LiteralString {
    const at = this.#take();
    const offset = this.#findOffset(at);
    return {
      kind: 'LiteralString',
      offset,
      length: this.#findLength(at),
      locator: this.#locator,
      value: this.#readText(at),
    };
  }

  // type: CLASSREF
  #parseType(): QualifiedReference {
    const at = this.#expect(T.CLASSREF);
    const casedValue = this.#readText(at);
    return { kind: 'QualifiedReference', ...this.#rangeOfToken(at), casedValue, value: casedValue.toLowerCase() };
  }

  #parseNumber(): Expression {
    const at = this.#take();
    return numberLiteral(this.#readText(at), this.#rangeOfToken(at));
  }

  #parseBoolean(): Expression {
    const at = this.#take();
    return { kind: 'LiteralBoolean', ...this.#rangeOfToken(at), value: this.#readText(at) === 'true' };
  }

  #parseRegexp(): Expression {
    const at = this.#take();
    return { kind: 'LiteralRegularExpression', ...this.#rangeOfToken(at), pattern: this.#readText(at) };
  }

  // LPAREN assignment RPAREN
  #parseParenthesized(): Expression {
    const at = this.#take();
    const expr = this.#parseAssignment();
    this.#expect(T.RPAREN);
    return { kind: 'ParenthesizedExpression', ...this.#rangeOfToken(at), expr };
  }

  // array: (LBRACK | LISTSTART) (collection_entry (COMMA collection_entry)* COMMA?)? RBRACK
  #parseArray(): LiteralList {
    const open = this.#findRange(this.#take());
    const values: Expression[] = [];
    let unfolds = false;
    while (this.#kind !== T.RBRACK) {
      unfolds = this.#addArgument(values, this.#parseCollectionEntry(), unfolds);
      if (this.#kind !== T.COMMA) break;
      this.#advance();
    }
    return {
      kind: 'LiteralList',
      ...this.#joinRanges(open, this.#findRange(this.#expect(T.RBRACK))),
      values: copyExact(values),
    };
  }

  #parseCollectionEntry(): Expression | KeyedEntry {
    const entry = this.#parseEntryKeyword() ?? this.#parseAssignment();
    return this.#kind === T.FARROW ? this.#parsePairValue(entry) : entry;
  }

  // hash: LBRACE (hashpair (COMMA hashpair)* COMMA?)? RBRACE
  #parseHash(): LiteralHash {
    const open = this.#take();
    const first = this.#kind === T.RBRACE ? null : (this.#parseEntryKeyword() ?? this.#parseAssignment());
    return this.#parseHashTail(open, first);
  }

  #parseHashTail(open: number, first: Expression | null): LiteralHash {
    const entries: KeyedEntry[] = [];
    let key = first;
    while (key) {
      entries.push(this.#parsePairValue(key));
      if (this.#kind !== T.COMMA) break;
      this.#advance();
      key = this.#kind === T.RBRACE ? null : (this.#parseEntryKeyword() ?? this.#parseAssignment());
    }
    const end = this.#findRange(this.#expect(T.RBRACE));
    return { kind: 'LiteralHash', ...this.#joinRanges(this.#findRange(open), end), entries: copyExact(entries) };
  }

  // dq_string: DQPRE text_expression (DQMID text_expression)* DQPOST
  #parseInterpolatedString(): Expression {
    const offset = this.#findOffset(this.#at);
    const segments: Expression[] = [];
    for (;;) {
      const part = this.#parseString();
      if (part.value !== '') segments.push(part);
      if (this.#kinds[this.#at - 1] === T.DQPOST) {
        const length = part.offset + part.length - offset;
        return { kind: 'ConcatenatedString', offset, length, locator: this.#locator, segments: copyExact(segments) };
      }
      const expr = this.#parseAssignment();
      segments.push({ kind: 'TextExpression', offset, length: 0, locator: this.#locator, expr });
      if (this.#kind !== T.DQMID && this.#kind !== T.DQPOST) this.#failUnexpected();
    }
  }

  // heredoc: HEREDOC SUBLOCATE (string | dq_string)
  #parseHeredoc(): Expression {
    const at = this.#take();
    this.#expect(T.SUBLOCATE);
    const space = this.#tokens.spaceOf(this.#at);
    const textExpr = this.#kind === T.DQPRE ? this.#parseInterpolatedString() : this.#parseString();
    if (space) relocate(textExpr, space);
    return { kind: 'HeredocExpression', ...this.#rangeOfToken(at), syntax: this.#readText(at) || null, textExpr };
  }

  // if_expression: IF if_part
  #parseIf(): IfExpression {
    const start = this.#findRange(this.#take());
    const test = this.#parseExpression(1);
    const then = this.#parseBranch();
    const elseExpr = this.#parseElse();
    // Puppet: the expression starts at its keyword, but its length counts from the test,
    // egrammar.ra.
    const { length } = this.#joinRanges(test, elseExpr ?? this.#findRange(then.end));
    const at = { offset: start.offset, length, locator: this.#locator };
    return { kind: 'IfExpression', ...at, test, thenExpr: then.body, elseExpr };
  }

  #parseElse(): Expression | null {
    if (this.#kind === T.ELSIF) return this.#parseIf();
    if (this.#kind !== T.ELSE) return null;
    this.#advance();
    return this.#parseBranch().body;
  }

  // unless_expression: UNLESS expression LBRACE statements? RBRACE (ELSE LBRACE statements?
  // RBRACE)?
  #parseUnless(): Expression {
    const start = this.#findRange(this.#take());
    const test = this.#parseExpression(1);
    const then = this.#parseBranch();
    let elseExpr: Expression | null = null;
    if (this.#kind === T.ELSE) {
      this.#advance();
      elseExpr = this.#parseBranch().body;
    }
    // Puppet: when the first branch is empty, the else part determines the end of the expression,
    // egrammar.ra.
    const end = then.body ? this.#findRange(then.end) : (elseExpr ?? start);
    return { kind: 'UnlessExpression', ...this.#joinRanges(start, end), test, thenExpr: then.body, elseExpr };
  }

  // case_expression: CASE expression LBRACE case_option+ RBRACE
  #parseCase(): Expression {
    const start = this.#findRange(this.#take());
    const test = this.#parseExpression(1);
    this.#expect(T.LBRACE);
    const options: CaseOption[] = [];
    do options.push(this.#parseCaseOption());
    while (this.#kind !== T.RBRACE);
    const end = this.#findRange(this.#expect(T.RBRACE));
    return { kind: 'CaseExpression', ...this.#joinRanges(start, end), test, options: copyExact(options) };
  }

  // case_option: expression (COMMA expression)* COLON LBRACE statements? RBRACE
  #parseCaseOption(): CaseOption {
    const values = [this.#parseExpression(1)];
    while (this.#kind === T.COMMA) {
      this.#advance();
      values.push(this.#parseExpression(1));
    }
    const colon = this.#findRange(this.#expect(T.COLON));
    const thenExpr = this.#parseBody(colon.offset);
    return {
      kind: 'CaseOption',
      ...this.#joinRanges(colon, this.#findRange(this.#at - 1)),
      values: copyExact(values),
      thenExpr,
    };
  }

  // hostclass_expression: CLASS classname parameter_list (INHERITS classname | DEFAULT)? LBRACE
  // statements? RBRACE
  #parseClass(): Expression {
    const start = this.#findRange(this.#take());
    const name = this.#parseDefinitionName();
    this.#namespace.push(name);
    const parameters = this.#parseParameterList();
    let parentClass: string | null = null;
    if (this.#kind === T.INHERITS) {
      this.#advance();
      parentClass = this.#kind === T.DEFAULT ? this.#readText(this.#take()) : this.#parseDefinitionName();
    }
    const body = this.#parseBody(start.offset);
    this.#namespace.pop();
    return this.#define({
      kind: 'HostClassDefinition',
      ...this.#joinRanges(start, this.#findRange(this.#at - 1)),
      name: this.#qualify(name),
      parameters,
      parentClass,
      body,
    });
  }

  // definition_expression: DEFINE classname parameter_list LBRACE statements? RBRACE
  #parseDefine(): Expression {
    const start = this.#findRange(this.#take());
    const name = this.#parseDefinitionName();
    const parameters = this.#parseParameterList();
    const body = this.#parseBody(start.offset);
    return this.#define({
      kind: 'ResourceTypeDefinition',
      ...this.#joinRanges(start, this.#findRange(this.#at - 1)),
      name: this.#qualify(name),
      parameters,
      body,
    });
  }

  // plan_expression: PLAN classname parameter_list LBRACE statements? RBRACE
  #parsePlan(): Expression {
    const start = this.#findRange(this.#take());
    const name = this.#parseDefinitionName();
    this.#namespace.push(name);
    const parameters = this.#parseParameterList();
    const body = this.#parseBody(start.offset);
    this.#namespace.pop();
    return this.#define({
      kind: 'PlanDefinition',
      ...this.#joinRanges(start, this.#findRange(this.#at - 1)),
      name: this.#qualify(name),
      parameters,
      body,
      returnType: null,
    });
  }

  // apply_expression: APPLY LPAREN arguments COMMA? RPAREN LBRACE statements? RBRACE
  #parseApply(): Expression {
    const start = this.#findRange(this.#take());
    this.#expect(T.LPAREN);
    const args: Expression[] = [];
    this.#parseArguments(args);
    if (this.#kind === T.COMMA) this.#advance();
    this.#expect(T.RPAREN);
    const statements = this.#parseBody(start.offset)?.statements ?? [];
    const at = { offset: start.offset, length: 0, locator: this.#locator };
    const body: ApplyBlockExpression = { kind: 'ApplyBlockExpression', ...at, statements };
    return {
      kind: 'ApplyExpression',
      ...this.#joinRanges(start, this.#findRange(this.#at - 1)),
      arguments: args,
      body,
    };
  }

  // function_definition: FUNCTION classname parameter_list opt_return_type LBRACE statements?
  // RBRACE
  #parseFunction(): Expression {
    const start = this.#findRange(this.#take());
    const name = this.#parseDefinitionName();
    const parameters = this.#parseParameterList();
    const returnType = this.#parseReturnType();
    const body = this.#parseBody(start.offset);
    return this.#define({
      kind: 'FunctionDefinition',
      ...this.#joinRanges(start, this.#findRange(this.#at - 1)),
      name,
      parameters,
      body,
      returnType,
    });
  }

  // node_definition_expression: NODE hostnames COMMA? nodeparent LBRACE statements? RBRACE
  #parseNode(): Expression {
    const start = this.#findRange(this.#take());
    const hostMatches = [this.#parseHostname()];
    while (this.#kind === T.COMMA) {
      this.#advance();
      if (this.#kind === T.LBRACE || this.#kind === T.INHERITS) break;
      hostMatches.push(this.#parseHostname());
    }
    let parent: Expression | null = null;
    if (this.#kind === T.INHERITS) {
      this.#advance();
      parent = this.#parseHostname();
    }
    const body = this.#parseBody(start.offset);
    const range = this.#joinRanges(start, this.#findRange(this.#at - 1));
    return this.#define({ kind: 'NodeDefinition', ...range, parent, hostMatches, body });
  }

  // hostname: dotted_name | quotedtext | DEFAULT | regex
  #parseHostname(): Expression {
    switch (this.#kind) {
      case T.NAME:
      case T.NUMBER:
        return this.#parseDottedName();
      case T.STRING:
      case T.WORD:
      case T.DQPRE:
      case T.HEREDOC:
      case T.DEFAULT:
      case T.REGEX:
        return this.#parsePrimary();
      default:
        return this.#failUnexpected();
    }
  }

  #parseDottedName(): LiteralString {
    const start = this.#take();
    let value = this.#readText(start);
    let range: Range = this.#findRange(start);
    while (this.#kind === T.DOT) {
      this.#advance();
      if (this.#kind !== T.NAME && this.#kind !== T.NUMBER) this.#failUnexpected();
      const part = this.#take();
      value += `.${this.#readText(part)}`;
      range = this.#joinRanges(range, this.#findRange(part));
    }
    return { kind: 'LiteralString', offset: range.offset, length: range.length, locator: this.#locator, value };
  }

  // classname: NAME | WORD | CLASSREF
  #parseDefinitionName(): string {
    switch (this.#kind) {
      case T.NAME:
      case T.WORD:
      case T.CLASSREF:
        return this.#readText(this.#take());
      case T.CLASS:
        return this.#failAt(this.#findOffset(this.#at), ISSUES.CLASS_KEYWORD_NOT_ALLOWED());
      case T.STRING:
        return this.#failAt(this.#findOffset(this.#at), ISSUES.QUOTED_NAME_NOT_ALLOWED());
      default:
        return this.#failUnexpected();
    }
  }

  // parameter_list: nothing | (LPAREN | WSLPAREN) (parameters COMMA?)? RPAREN
  #parseParameterList(): Parameter[] {
    if (this.#kind !== T.LPAREN && this.#kind !== T.WSLPAREN) return [];
    this.#advance();
    const parameters = this.#kind === T.RPAREN ? [] : this.#parseParameters(T.RPAREN);
    this.#expect(T.RPAREN);
    return parameters;
  }

  // parameters COMMA?
  #parseParameters(closing: number): Parameter[] {
    const parameters = [this.#parseParameter()];
    while (this.#kind === T.COMMA) {
      this.#advance();
      if (this.#kind === closing) break;
      parameters.push(this.#parseParameter());
    }
    return parameters;
  }

  // parameter: parameter_type? TIMES? VARIABLE (EQUALS expression)?
  #parseParameter(): Parameter {
    const typeExpr = this.#kind === T.CLASSREF ? this.#parseParameterType() : null;
    const capturesRest = this.#kind === T.TIMES;
    if (capturesRest) this.#advance();
    const at = this.#expect(T.VARIABLE);
    let value: Expression | null = null;
    if (this.#kind === T.EQUALS) {
      this.#advance();
      value = this.#parseExpression(1);
    }
    return { kind: 'Parameter', ...this.#rangeOfToken(at), name: this.#readText(at), value, typeExpr, capturesRest };
  }

  // type | type LBRACK access_args RBRACK
  #parseParameterType(): Expression {
    const leftExpr = this.#parseType();
    if (this.#kind !== T.LBRACK) return leftExpr;
    this.#advance();
    const keys = this.#parseAccessKeys();
    this.#refuseTrailingComma();
    const end = this.#findRange(this.#expect(T.RBRACK));
    return { kind: 'AccessExpression', ...this.#joinRanges(leftExpr, end), leftExpr, keys };
  }

  // opt_return_type: (RSHIFT parameter_type)?
  #parseReturnType(): Expression | null {
    if (this.#kind !== T.RSHIFT) return null;
    this.#advance();
    return this.#parseParameterType();
  }

  /** Parses `type(x)` as a call, otherwise a type alias, a type mapping or a type definition. */
  #parseTypeStatement(): Expression {
    const start = this.#take();
    if (this.#kind === T.LPAREN) {
      return this.#parseCall({ kind: 'QualifiedName', ...this.#rangeOfToken(start), value: this.#readText(start) });
    }
    if (this.#kind !== T.CLASSREF) this.#failUnexpected();
    const next = this.#nextKind();
    if (next === T.LBRACE || next === T.INHERITS) return this.#parseTypeDefinition(this.#findRange(start));
    const left = this.#parseParameterType();
    this.#expect(T.EQUALS);
    const { typeExpr, end } = this.#parseTypeAliasTarget(left.offset);
    const range = this.#joinRanges(left, end ?? left);
    if (left.kind === 'QualifiedReference') {
      return this.#define({ kind: 'TypeAlias', ...range, name: left.casedValue, typeExpr });
    }
    return this.#define({ kind: 'TypeMapping', ...range, typeExpr: left, mappingExpr: typeExpr });
  }

  // type hash | type LBRACK access_args COMMA? RBRACK | type | hash | array
  #parseTypeAliasTarget(offset: number): { typeExpr: Expression; end: Range | null } {
    const at = { offset, length: 0, locator: this.#locator };
    if (this.#kind === T.LBRACE) {
      const hash = this.#parseHash();
      return { typeExpr: typeAliasTarget(null, hash, at), end: hash };
    }
    if (this.#kind === T.LBRACK || this.#kind === T.LISTSTART) return { typeExpr: this.#parseArray(), end: null };
    const type = this.#parseType();
    if (this.#kind === T.LBRACE) {
      const hash = this.#parseHash();
      return { typeExpr: typeAliasTarget(type, hash, at), end: hash };
    }
    if (this.#kind !== T.LBRACK) return { typeExpr: type, end: type };
    this.#advance();
    const keys = this.#parseAccessKeys();
    if (this.#kind === T.COMMA) this.#advance();
    this.#expect(T.RBRACK);
    return { typeExpr: { kind: 'AccessExpression', ...at, leftExpr: type, keys }, end: null };
  }

  // type_definition: TYPE CLASSREF (INHERITS CLASSREF)? LBRACE statements? RBRACE
  #parseTypeDefinition(start: Range): Expression {
    const name = this.#readText(this.#take());
    let parent: string | null = null;
    if (this.#kind === T.INHERITS) {
      this.#advance();
      parent = this.#readText(this.#expect(T.CLASSREF));
    }
    const body = this.#parseBody(start.offset);
    const range = this.#joinRanges(start, this.#findRange(this.#at - 1));
    return this.#define({ kind: 'TypeDefinition', ...range, name, parent, body });
  }

  // epp_render_expression: RENDER_EXPR (expression | LBRACE statements RBRACE) (EPP_END |
  // EPP_END_TRIM)
  #parseRender(): Expression {
    const start = this.#findRange(this.#take());
    const expr = this.#kind === T.LBRACE ? this.#parseRenderedBraces() : this.#parseExpression(1);
    if (this.#kind !== T.EPP_END && this.#kind !== T.EPP_END_TRIM) this.#failUnexpected();
    const end = this.#findRange(this.#take());
    return { kind: 'RenderExpression', ...this.#joinRanges(start, end), expr };
  }

  /**
   * Parses the braces behind `<%=`: a hash when they are empty or start with a pair, else a block.
   */
  #parseRenderedBraces(): Expression {
    const open = this.#take();
    if (this.#kind === T.RBRACE) return this.#parseExpression(1, this.#parseHashTail(open, null));
    const keyword = this.#parseEntryKeyword();
    const first = keyword ?? this.#parseAssignment();
    if (this.#kind === T.FARROW || keyword) return this.#parseExpression(1, this.#parseHashTail(open, first));
    const statements = this.#parseStatementsFrom(first);
    const end = this.#findRange(this.#expect(T.RBRACE));
    return statements.length === 1
      ? this.#requireOnly(statements)
      : this.#createBlock(statements, this.#findRange(open), end);
  }

  #parseStatementsFrom(first: Expression): Expression[] {
    const head = this.#kind === T.COMMA ? this.#parseStatementTail(first) : first;
    const statements: (Expression | ExpressionList)[] = [head];
    while (this.#kind === T.SEMIC || startsStatement(this.#kind)) {
      if (this.#kind === T.SEMIC) this.#advance();
      statements.push(this.#parseStatement());
    }
    if (this.#kind === T.FAILURE) this.#failUnexpected();
    return this.#callStatements(statements);
  }

  #define<D extends Definition>(definition: D): D {
    this.#definitions.push(definition);
    return definition;
  }

  #qualify(name: string): string {
    return this.#namespace.length === 0 ? name : `${this.#namespace.join('::')}::${name}`.replace(/^::/, '');
  }

  #createBlock(statements: readonly Expression[], first: Range, last: Range): BlockExpression {
    return { kind: 'BlockExpression', ...this.#joinRanges(first, last), statements: copyExact(statements) };
  }

  #requireOnly(statements: readonly Expression[]): Expression {
    const [only] = statements;
    return only ?? this.#failUnexpected();
  }

  /** Reports a trailing comma in a list that permits none: the error names the token behind it. */
  #refuseTrailingComma(): void {
    if (this.#kind !== T.COMMA) return;
    this.#advance();
    this.#failUnexpected();
  }

  #take(): number {
    const at = this.#at;
    this.#advance();
    return at;
  }

  #expect(kind: number): number {
    if (this.#kind !== kind) this.#failUnexpected();
    return this.#take();
  }

  #advance(): void {
    this.#at++;
    this.#kind = this.#kinds[this.#at] ?? T.END;
  }

  #nextKind(): number {
    return this.#kinds[this.#at + 1] ?? T.END;
  }

  #findOffset(token: number): number {
    return this.#tokens.offsets[token] ?? 0;
  }

  #findRange(token: number): Range {
    return { offset: this.#tokens.offsets[token] ?? 0, length: this.#tokens.lengths[token] ?? 0 };
  }

  #findLength(token: number): number {
    return this.#tokens.lengths[token] ?? 0;
  }

  #rangeOfToken(token: number): Range & { readonly locator: Locator } {
    return {
      offset: this.#tokens.offsets[token] ?? 0,
      length: this.#tokens.lengths[token] ?? 0,
      locator: this.#locator,
    };
  }

  #joinRanges(first: Range, last: Range): Range & { readonly locator: Locator } {
    return { offset: first.offset, length: last.offset + last.length - first.offset, locator: this.#locator };
  }

  #readText(token: number): string {
    const text = this.#tokens.texts[token];
    if (text !== undefined) return text;
    const offset = this.#findOffset(token);
    return this.#locator.source.slice(offset, offset + (this.#tokens.lengths[token] ?? 0));
  }

  #failAt(offset: number, issue: Issue): never {
    throw new PuppetError(issue, {
      file: this.#locator.file || undefined,
      line: this.#locator.lineAt(offset),
      pos: this.#locator.columnAt(offset),
    });
  }

  /**
   * Throws for the current token: the lexer's error at a failure token, else a syntax error.
   * Puppet: the end of input has no line or column, lib/puppet/pops/parser/parser_support.rb.
   */
  #failUnexpected(): never {
    const token = this.#at;
    const file = this.#locator.file || undefined;
    if (this.#kind === T.FAILURE && this.#tokens.failure) throw this.#tokens.failure;
    if (this.#kind === T.END) throw new PuppetError(ISSUES.SYNTAX_ERROR({ where: 'end of input' }), { file });
    const space = this.#tokens.spaceOf(token);
    const offset = space
      ? space.toSource(this.#findOffset(token), this.#tokens.lengths[token] ?? 0)
      : this.#findOffset(token);
    throw new PuppetError(ISSUES.SYNTAX_ERROR({ where: `'${this.#printToken(token)}'` }), {
      file,
      line: this.#locator.lineAt(offset),
      pos: this.#locator.columnAt(offset),
    });
  }

  #printToken(token: number): string {
    const text = this.#readText(token);
    if (this.#kinds[token] !== T.REGEX) return text;
    return `(?-mix:${text.replace(/\\[\s\S]|\//g, (part) => (part === '/' ? '\\/' : part))})`;
  }
}

function relationshipOperator(kind: number): '->' | '<-' | '~>' | '<~' | null {
  switch (kind) {
    case T.IN_EDGE:
      return '->';
    case T.IN_EDGE_SUB:
      return '~>';
    case T.OUT_EDGE:
      return '<-';
    case T.OUT_EDGE_SUB:
      return '<~';
    default:
      return null;
  }
}

function comparisonOperator(kind: number): '==' | '!=' | '<' | '<=' | '>' | '>=' | null {
  switch (kind) {
    case T.ISEQUAL:
      return '==';
    case T.NOTEQUAL:
      return '!=';
    case T.LESSTHAN:
      return '<';
    case T.LESSEQUAL:
      return '<=';
    case T.GREATERTHAN:
      return '>';
    case T.GREATEREQUAL:
      return '>=';
    default:
      return null;
  }
}

function arithmeticOperator(kind: number): '%' | '*' | '+' | '-' | '/' | '<<' | '>>' {
  switch (kind) {
    case T.PLUS:
      return '+';
    case T.MINUS:
      return '-';
    case T.TIMES:
      return '*';
    case T.DIV:
      return '/';
    case T.MODULO:
      return '%';
    case T.LSHIFT:
      return '<<';
    default:
      return '>>';
  }
}

function isDefinitionName(kind: number): boolean {
  return kind === T.NAME || kind === T.WORD || kind === T.CLASSREF || kind === T.CLASS || kind === T.STRING;
}

/** The meaning of `left { … }` without a title. */
function resourceShape(left: Expression): 'resource' | 'defaults' | 'override' | 'error' {
  if (left.kind === 'QualifiedName') return 'resource';
  if (left.kind === 'QualifiedReference') return 'defaults';
  return left.kind === 'AccessExpression' ? 'override' : 'error';
}

/**
 * Makes a resource virtual or exported, and moves its start to `offset`; its length stays. Returns
 * false when the expression is not a resource.
 */
function setResourceForm(expr: Expression, form: ResourceForm, offset: number): boolean {
  switch (expr.kind) {
    case 'ResourceExpression':
      for (const body of expr.bodies) moveStart(body, offset, 0);
      break;
    case 'ResourceDefaultsExpression':
    case 'ResourceOverrideExpression':
      break;
    default:
      return false;
  }
  const target: { form: ResourceForm } = expr;
  target.form = form;
  moveStart(expr, offset, expr.length);
  return true;
}

function moveStart(node: { offset: number; length: number }, offset: number, length: number): void {
  node.offset = offset;
  node.length = length;
}

/** Moves all nodes of a heredoc's text to their positions in the enclosing text. */
function relocate(node: Expression, space: HeredocSpace): void {
  const visit = (child: Parameters<Parameters<typeof forEachChild>[1]>[0]): void => {
    const { offset, length } = space.toParent(child.offset, child.length);
    moveStart(child, offset, length);
    forEachChild(child, visit);
  };
  visit(node);
}

/**
 * Copies a list without spare capacity: a list that grew by `push` has room for 16 more elements,
 * and the AST stays in memory.
 */
function copyExact<T>(list: readonly T[]): T[] {
  return list.slice();
}
