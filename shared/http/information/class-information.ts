import { CompileLog } from '../../puppet/errors/compile-log.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { toReadError } from '../../puppet/evaluator/report.ts';
import type { Expression, HostClassDefinition, Parameter } from '../../puppet/language/ast.ts';
import { parseProgram } from '../../puppet/language/parser.ts';
import { formatType } from '../../puppet/types/format/type-formatter.ts';
import { sourceText, typeFromExpression } from '../../puppet/types/type-parser.ts';
import { assertValid, checkProgram } from '../../puppet/validation/check.ts';

/**
 * The classes declared in a manifest, with keys in wire order; or the error why it cannot be
 * parsed.
 */
export type FileClasses =
  | { readonly classes: readonly ClassInformation[]; readonly path: string }
  | { readonly error: string; readonly path: string };

interface ClassInformation {
  readonly name: string;
  readonly params: readonly ParameterInformation[];
}

interface ParameterInformation {
  /** Only for literal defaults. */
  readonly default_literal?: Literal;
  readonly default_source?: string;
  readonly name: string;
  /** Null when the type cannot be determined without evaluation. */
  readonly type?: string | null;
}

type Literal = string | number | boolean | readonly (Literal | null)[] | { readonly [key: string]: Literal | null };

/** The classes of a manifest: lib/puppet/info_service/class_information_service.rb. */
export function classesOf(text: string, path: string): FileClasses {
  try {
    const program = parseProgram(text, { file: path, tasks: false, log: new CompileLog() });
    assertValid(program, checkProgram(program, { strict: 'error' }), new CompileLog());
    const classes = program.definitions.filter(
      (each): each is HostClassDefinition => each.kind === 'HostClassDefinition',
    );
    return { classes: classes.map(({ name, parameters }) => ({ name, params: parameters.map(describe) })), path };
  } catch (thrown) {
    const error = toReadError(thrown);
    if (error instanceof PuppetError) return { error: error.message, path };
    throw error;
  }
}

function describe({ name, value, typeExpr }: Parameter): ParameterInformation {
  const literal = value === null ? null : literalOf(value);
  return {
    ...(literal === null || literal === undefined ? {} : { default_literal: literal }),
    ...(value === null ? {} : { default_source: sourceText(value) }),
    name,
    ...(typeExpr === null ? {} : { type: typeText(typeExpr) }),
  };
}

function typeText(expression: Expression): string | null {
  try {
    return formatType(typeFromExpression(expression, () => null));
  } catch (error) {
    if (error instanceof PuppetError) return null;
    throw error;
  }
}

/**
 * The value of a literal; null for `undef`, undefined for other expressions. A hash is a literal
 * only with string keys: lib/puppet/pops/evaluator/json_strict_literal_evaluator.rb.
 */
function literalOf(expression: Expression): Literal | null | undefined {
  switch (expression.kind) {
    case 'LiteralString':
    case 'QualifiedName':
    case 'LiteralBoolean':
    case 'LiteralFloat':
      return expression.value;
    case 'LiteralInteger':
      return Number(expression.value);
    case 'LiteralUndef':
      return null;
    case 'ConcatenatedString': {
      const [only, ...more] = expression.segments;
      return more.length === 0 && only?.kind === 'LiteralString' ? only.value : undefined;
    }
    case 'LiteralList':
      return listOf(expression.values);
    case 'LiteralHash':
      return hashOf(expression.entries);
    default:
      return undefined;
  }
}

function listOf(expressions: readonly Expression[]): Literal | undefined {
  const values: (Literal | null)[] = [];
  for (const each of expressions) {
    const value = literalOf(each);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function hashOf(entries: readonly { readonly key: Expression; readonly value: Expression }[]): Literal | undefined {
  const pairs: [string, Literal | null][] = [];
  for (const entry of entries) {
    const key = literalOf(entry.key);
    const value = literalOf(entry.value);
    if (typeof key !== 'string' || value === undefined) return undefined;
    pairs.push([key, value]);
  }
  return Object.fromEntries(pairs);
}
