import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { HeredocExpression } from '../language/ast.ts';
import type { Value } from '../types/values/values.ts';
import { findHeredocSyntaxProblem } from '../validation/heredoc-syntax.ts';
import type { ExpressionEvaluator } from './ports.ts';
import { locationOf } from './report.ts';
import type { Scope } from './scope.ts';

/**
 * Evaluates a heredoc to its text. The syntax of an interpolated heredoc is checked here; a plain
 * one was checked when the file was read. Puppet:
 * lib/puppet/pops/evaluator/external_syntax_support.rb
 */
export function evalHeredoc(evaluator: ExpressionEvaluator, node: HeredocExpression, scope: Scope): Value {
  const { textExpr, syntax } = node;
  const text = evaluator.evaluate(textExpr, scope);
  if (textExpr.kind === 'LiteralString' || !syntax || typeof text !== 'string') return text;
  const problem = findHeredocSyntaxProblem(text, syntax);
  if (!problem) return text;
  throw new PuppetError(ISSUES.INVALID_HEREDOC_TEXT({ syntax, detail: problem.message }), {
    ...locationOf(textExpr),
    issueCode: problem.code,
  });
}
