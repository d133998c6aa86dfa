/** Evaluates the AST. Puppet: lib/puppet/pops/evaluator/evaluator_impl.rb */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { checkKeyCount, checkTextLength } from '../errors/value-limits.ts';
import type {
  BlockExpression,
  ConcatenatedString,
  Expression,
  LambdaExpression,
  LiteralHash,
  LiteralRegularExpression,
  Positioned,
  TextExpression,
} from '../language/ast.ts';
import { displayString } from '../types/format/string-converter.ts';
import { appendText, BytesText, keyText, plainText } from '../types/values/bytes-text.ts';
import { checkSize } from '../types/values/check-size.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { DEFAULT, type Value } from '../types/values/values.ts';
import { evalAccess } from './access/access.ts';
import { calculate } from './arithmetic.ts';
import { callFound } from './bytes-arguments.ts';
import { CallStack } from './call-stack.ts';
import { type CallEvaluator, callFunction, evalList, evalMethodCall, evalNamedCall } from './calls.ts';
import { evalCase, evalIf, evalSelector, evalUnless, isTrue } from './choices.ts';
import { Closure } from './closure.ts';
import { evalHeredoc } from './heredoc.ts';
import { evalComparison, evalIn, evalMatch, evalUnaryMinus } from './operators.ts';
import type { Callable, Evaluation } from './ports.ts';
import { evalRelationship } from './relationships.ts';
import { addLocation, failWith } from './report.ts';
import { evalCollect, evalDefaults, evalOverride, evalResource } from './resources.ts';
import type { Scope } from './scope.ts';
import { TemplateOutput } from './templates.ts';
import { evalTypeReference } from './type-references.ts';
import { unfoldValue } from './unfold.ts';
import { evalAssignment, evalVariable, readVariable } from './variables.ts';

/** Creates an evaluator. It keeps no state between evaluations. */
export function createEvaluator(): Evaluation {
  return new Evaluator();
}

const regexps = new WeakMap<LiteralRegularExpression, PuppetRegexp>();

class Evaluator implements Evaluation, CallEvaluator {
  readonly stack = new CallStack();
  readonly #templates = new TemplateOutput();

  evaluate(node: Expression | null, scope: Scope): Value {
    if (node === null) return null;
    switch (node.kind) {
      // Leaves cannot fail.
      case 'LiteralString':
      case 'QualifiedName':
      case 'LiteralInteger':
      case 'LiteralFloat':
      case 'LiteralBoolean':
        return node.value;
      case 'LiteralUndef':
      case 'Nop':
        return null;
      case 'LiteralDefault':
        return DEFAULT;
      default:
        try {
          return this.#dispatch(node, scope);
        } catch (error) {
          throw addLocation(error, node);
        }
    }
  }

  callFunction(
    name: string,
    args: readonly Value[],
    scope: Scope,
    site: Positioned | null,
    block: Callable | null = null,
  ): Value {
    if (site) return callFunction(name, args, scope, site, block);
    const { context } = scope;
    const found = context.definitions.findFunction(name);
    if (!found) throw new PuppetError(ISSUES.FUNCTION_UNKNOWN({ name }));
    return callFound(found, { context, scope, node: null }, args, block);
  }

  createClosure(lambda: LambdaExpression, scope: Scope): Callable {
    return new Closure(this, lambda, scope);
  }

  #dispatch(node: Expression, scope: Scope): Value {
    switch (node.kind) {
      case 'VariableExpression':
        return evalVariable(this, node, scope);
      case 'ConcatenatedString':
        return this.#evalConcatenatedString(node, scope);
      case 'TextExpression':
        return this.#evalText(node, scope);
      case 'AccessExpression':
        return evalAccess(this, node, scope);
      case 'CallNamedFunctionExpression':
        return evalNamedCall(this, node, scope);
      case 'CallMethodExpression':
        return evalMethodCall(this, node, scope);
      case 'BlockExpression':
        return this.#evalBlock(node, scope);
      case 'ResourceExpression':
        return evalResource(this, node, scope);
      case 'QualifiedReference':
        return evalTypeReference(node, scope);
      case 'LiteralList':
        return evalList(this, node.values, scope);
      case 'LiteralHash':
        return this.#evalHash(node, scope);
      case 'AssignmentExpression':
        return evalAssignment(this, node, scope);
      case 'IfExpression':
        return evalIf(this, node, scope);
      case 'UnlessExpression':
        return evalUnless(this, node, scope);
      case 'CaseExpression':
        return evalCase(this, node, scope);
      case 'SelectorExpression':
        return evalSelector(this, node, scope);
      case 'ParenthesizedExpression':
        return this.evaluate(node.expr, scope);
      case 'ArithmeticExpression': {
        const left = plainText(this.evaluate(node.leftExpr, scope));
        const right = this.evaluate(node.rightExpr, scope);
        return checkSize(calculate(left, Array.isArray(left) ? right : plainText(right), node, scope.context));
      }
      default:
        return this.#dispatchRarer(node, scope);
    }
  }

  #dispatchRarer(node: Expression, scope: Scope): Value {
    switch (node.kind) {
      case 'ComparisonExpression':
        return evalComparison(this, node, scope);
      case 'AndExpression':
        return isTrue(this.evaluate(node.leftExpr, scope)) && isTrue(this.evaluate(node.rightExpr, scope));
      case 'OrExpression':
        return isTrue(this.evaluate(node.leftExpr, scope)) || isTrue(this.evaluate(node.rightExpr, scope));
      case 'NotExpression':
        return !isTrue(this.evaluate(node.expr, scope));
      case 'MatchExpression':
        return evalMatch(this, node, scope);
      case 'InExpression':
        return evalIn(this, node, scope);
      case 'UnaryMinusExpression':
        return evalUnaryMinus(this, node, scope);
      case 'UnfoldExpression':
        return unfoldValue(this.evaluate(node.expr, scope));
      case 'RelationshipExpression':
        return evalRelationship(this, node, scope);
      case 'CollectExpression':
        return evalCollect(this, node, scope);
      case 'ResourceDefaultsExpression':
        return evalDefaults(this, node, scope);
      case 'ResourceOverrideExpression':
        return evalOverride(this, node, scope);
      case 'LiteralRegularExpression':
        return regexpOf(node);
      case 'HeredocExpression':
        return evalHeredoc(this, node, scope);
      case 'EppExpression':
        return this.#templates.evalEpp(this, node, scope);
      case 'RenderStringExpression':
        return this.#templates.evalText(node);
      case 'RenderExpression':
        return this.#templates.evalRender(this, node, scope);
      default:
        return this.#evalUnusual(node, scope);
    }
  }

  #evalUnusual(node: Expression, scope: Scope): Value {
    switch (node.kind) {
      case 'ReservedWord':
        if (node.future) return node.word;
        return failWith(ISSUES.RESERVED_WORD({ word: node.word }), node);
      case 'ApplyExpression': {
        // Puppet: the executor of `apply` exists only while a plan runs.
        const { apply } = scope.context;
        if (apply === undefined) throw new PuppetError(ISSUES.APPLY_EXECUTOR_MISSING());
        return apply(node, evalList(this, node.arguments, scope), scope);
      }
      default:
        // Definitions were registered when the file was read; they have no value.
        return null;
    }
  }

  #evalBlock(node: BlockExpression, scope: Scope): Value {
    let value: Value = null;
    const { statements } = node;
    const { clock } = scope.context;
    // A plain loop: a long body runs before the JIT optimises it, so an iterator would cost an
    // allocation for each statement.
    for (let place = 0; place < statements.length; place += 1) {
      const statement = statements[place] ?? null;
      const before = clock.count;
      value = this.evaluate(statement, scope);
      if (clock.count !== before && statement && place < statements.length - 1) {
        clock.settleStatement(statement, before, scope);
      }
    }
    return value;
  }

  #evalHash(node: LiteralHash, scope: Scope): Value {
    checkKeyCount(node.entries.length);
    const hash = new PuppetHash();
    for (const { key, value } of node.entries)
      hash.set(keyText(this.evaluate(key, scope)), this.evaluate(value, scope));
    return hash;
  }

  #evalConcatenatedString(node: ConcatenatedString, scope: Scope): Value {
    let text: string | BytesText | null = null;
    for (const segment of node.segments) {
      const value = this.evaluate(segment, scope);
      const added = value instanceof BytesText ? value : displayString(value);
      text = text === null ? added : appendText(text, added);
    }
    if (typeof text === 'string') checkTextLength(text.length);
    return text ?? '';
  }

  #evalText(node: TextExpression, scope: Scope): Value {
    const { expr } = node;
    const value = expr.kind === 'QualifiedName' ? readVariable(expr.value, node, scope) : this.evaluate(expr, scope);
    return value instanceof BytesText ? value : displayString(value);
  }
}

function regexpOf(node: LiteralRegularExpression): PuppetRegexp {
  let regexp = regexps.get(node);
  if (!regexp) {
    regexp = new PuppetRegexp(node.pattern);
    regexps.set(node, regexp);
  }
  return regexp;
}
