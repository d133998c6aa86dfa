import type { Expression } from '../language/ast.ts';
import { rubyFloat } from '../ruby-core/ruby-number.ts';

/**
 * A literal in Ruby's text forms: `to_s`, and `inspect` where it is nested in another value. Equal
 * literals have equal `inspect` texts.
 */
export interface Literal {
  readonly text: string;
  readonly inspected: string;
}

function same(text: string): Literal {
  return { text, inspected: text };
}

/** The value of a literal expression; null when it can only be evaluated. */
export function literalOf(expr: Expression): Literal | null {
  switch (expr.kind) {
    case 'LiteralString':
    case 'QualifiedName':
    case 'QualifiedReference':
    case 'RenderStringExpression':
      return { text: expr.value, inspected: JSON.stringify(expr.value) };
    case 'LiteralInteger':
      return same(`${expr.value}`);
    case 'LiteralFloat':
      return same(rubyFloat(expr.value));
    case 'LiteralBoolean':
      return same(String(expr.value));
    case 'LiteralUndef':
      return { text: '', inspected: 'nil' };
    case 'LiteralDefault':
      return { text: 'default', inspected: ':default' };
    case 'LiteralRegularExpression':
      return { text: `(?-mix:${expr.pattern})`, inspected: `/${expr.pattern}/` };
    case 'UnaryMinusExpression':
      return negateLiteral(expr.expr);
    case 'LiteralList':
      return listOf(expr.values);
    case 'AccessExpression':
      // Puppet: excludes parameters like Optional[[String]],
      // lib/puppet/pops/evaluator/literal_evaluator.rb.
      return expr.keys.length === 1 && expr.keys[0]?.kind === 'LiteralList' ? null : listOf(expr.keys);
    case 'LiteralHash':
      return hashOf(expr.entries);
    case 'ConcatenatedString': {
      const [only] = expr.segments;
      return expr.segments.length === 1 && only?.kind === 'LiteralString' ? literalOf(only) : null;
    }
    default:
      return null;
  }
}

function negateLiteral(expr: Expression): Literal | null {
  if (expr.kind === 'LiteralInteger') return same(`${-expr.value}`);
  return expr.kind === 'LiteralFloat' ? same(rubyFloat(-expr.value)) : null;
}

function listOf(expressions: readonly Expression[]): Literal | null {
  const items: string[] = [];
  for (const each of expressions) {
    const item = literalOf(each);
    if (!item) return null;
    items.push(item.inspected);
  }
  return same(`[${items.join(', ')}]`);
}

function hashOf(entries: readonly { readonly key: Expression; readonly value: Expression }[]): Literal | null {
  const items = new Map<string, string>();
  for (const entry of entries) {
    const key = literalOf(entry.key);
    const value = literalOf(entry.value);
    if (!key || !value) return null;
    items.set(key.inspected, value.inspected);
  }
  return same(`{${[...items].map(([key, value]) => `${key}=>${value}`).join(', ')}}`);
}
