/** Evaluates EPP templates. Puppet: EvaluatorImpl#eval_EppExpression */
import type { EppExpression, RenderExpression, RenderStringExpression } from '../language/ast.ts';
import { displayString } from '../types/format/string-converter.ts';
import { BytesText, joinRubyTexts } from '../types/values/bytes-text.ts';
import { Sensitive, type Value } from '../types/values/values.ts';
import type { ExpressionEvaluator } from './ports.ts';
import type { Scope } from './scope.ts';

/** The output of the templates in progress, innermost last. */
export class TemplateOutput {
  readonly #open: Value[][] = [];

  evalEpp(evaluator: ExpressionEvaluator, node: EppExpression, scope: Scope): Value {
    const parts: Value[] = [];
    this.#open.push(parts);
    try {
      evaluator.evaluate(node.body, scope);
    } finally {
      this.#open.pop();
    }
    const text = joinRubyTexts(parts.map((part) => textOf(part instanceof Sensitive ? part.unwrap() : part)));
    return parts.some((part) => part instanceof Sensitive) ? new Sensitive(text) : text;
  }

  evalText(node: RenderStringExpression): Value {
    this.#open.at(-1)?.push(node.value);
    return null;
  }

  evalRender(evaluator: ExpressionEvaluator, node: RenderExpression, scope: Scope): Value {
    const value = evaluator.evaluate(node.expr, scope);
    this.#open.at(-1)?.push(value instanceof Sensitive ? value : textOf(value));
    return null;
  }
}

function textOf(value: Value): string | BytesText {
  return value instanceof BytesText ? value : displayString(value);
}
