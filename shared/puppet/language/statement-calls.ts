import type { CallNamedFunctionExpression, Expression } from './ast.ts';

/**
 * Expressions separated by commas, as in `notice 'a', 'b'`; `comma` is the token of the first
 * comma.
 */
export interface ExpressionList {
  readonly kind: 'ExpressionList';
  readonly expressions: Expression[];
  readonly comma: number;
}

/**
 * Reports an expression list that is not the arguments of a statement function. `name` is the
 * function called this way, if there is one.
 */
type ListFailure = (list: ExpressionList, name: string | null) => never;

const STATEMENT_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['require', 'realize', 'include', 'contain', 'tag'],
  ...['debug', 'info', 'notice', 'warning', 'err'],
  ...['fail', 'import', 'break', 'next', 'return'],
]);

/**
 * Turns statement functions with unparenthesized arguments into calls: `include a, b` becomes
 * `include(a, b)`. Marks calls that are statements as needing no value. Follows
 * Factory.transform_calls.
 */
export function callStatements(statements: readonly (Expression | ExpressionList)[], fail: ListFailure): Expression[] {
  const result: Expression[] = [];
  for (const statement of statements) {
    const name = result.at(-1);
    if (name?.kind === 'QualifiedName' && STATEMENT_FUNCTIONS.has(name.value)) {
      const args = statement.kind === 'ExpressionList' ? statement.expressions : [statement];
      result[result.length - 1] = statementCall(name, args);
    } else if (statement.kind === 'ExpressionList') {
      fail(statement, name?.kind === 'QualifiedName' ? name.value : null);
    } else {
      result.push(statement);
      if (statement.kind === 'CallNamedFunctionExpression') needsNoValue(statement);
    }
  }
  return result;
}

function statementCall(name: Expression, args: readonly Expression[]): CallNamedFunctionExpression {
  const last = args.at(-1) ?? name;
  return {
    kind: 'CallNamedFunctionExpression',
    offset: name.offset,
    length: last.offset + last.length - name.offset,
    locator: name.locator,
    rvalRequired: false,
    functorExpr: name,
    arguments: args,
    lambda: null,
  };
}

function needsNoValue(call: { rvalRequired: boolean }): void {
  call.rvalRequired = false;
}
