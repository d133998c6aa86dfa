import type { ManifestParser } from '../../puppet/compiler/manifest-parser.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { Evaluation } from '../../puppet/evaluator/ports.ts';
import type { Scope } from '../../puppet/evaluator/scope.ts';
import { inspectString } from '../../puppet/ruby-core/ruby-inspect.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { BoltError, PlanCodeError } from './bolt-error.ts';

/** A text of a plan in YAML that may be code, by the form in which it is written. */
interface CodeText {
  readonly style: 'double' | 'literal' | 'bare';
  readonly text: string;
  readonly line: number;
}

/** A part of a plan in YAML. */
export type YamlCode = Value | CodeText | readonly YamlCode[] | ReadonlyMap<string, YamlCode>;

/** Evaluates the parts of a plan in YAML. */
export interface CodeReader {
  evaluate(code: YamlCode, scope: Scope): Value;
  /** Parses all code in it. Throws PuppetError with the text of `Error parsing <key>`. */
  check(key: string, code: YamlCode): void;
}

export function isCodeText(code: YamlCode): code is CodeText {
  return typeof code === 'object' && code !== null && 'style' in code && 'text' in code;
}

export function isCodeMap(code: YamlCode | undefined): code is ReadonlyMap<string, YamlCode> {
  return code instanceof Map;
}

/** Follows lib/bolt/pal/yaml_plan/evaluator.rb. */
export function createCodeReader(evaluator: Evaluation, parser: ManifestParser, file: string): CodeReader {
  const run = (code: CodeText, scope: Scope): Value => {
    const source = sourceOf(code);
    if (source === null) return code.text;
    try {
      const { body } = parser.parseText(source);
      return body === null ? null : scope.withLocal(new Map(), () => evaluator.evaluate(body, scope));
    } catch (error) {
      throw error instanceof PuppetError ? toEvaluationError(error, code, file) : error;
    }
  };
  const reader: CodeReader = {
    evaluate: (code, scope) => {
      if (Array.isArray(code)) return code.map((one) => reader.evaluate(one, scope));
      if (isCodeMap(code)) {
        return PuppetHash.of(Array.from(code, ([key, one]) => [key, reader.evaluate(one, scope)] as const));
      }
      return isCodeText(code) ? run(code, scope) : (code as Value);
    },
    check: (key, code) => {
      if (Array.isArray(code)) for (const one of code) reader.check(key, one);
      if (isCodeMap(code)) for (const [name, one] of code) reader.check(name, one);
      if (!isCodeText(code)) return;
      try {
        parser.parseText(sourceOf(code) ?? inspectString(code.text));
      } catch (error) {
        if (!(error instanceof PuppetError)) throw error;
        throw new PlanCodeError(`Error parsing ${inspectString(key)}: ${error.basic}`);
      }
    },
  };
  return reader;
}

/** The code that a text stands for; null when it is just a text. */
function sourceOf({ style, text }: CodeText): string | null {
  if (style === 'double') return inspectString(text);
  return style === 'literal' || text.startsWith('$') ? text : null;
}

function toEvaluationError(error: PuppetError, { style, line }: CodeText, file: string): BoltError {
  const at = (error.location.line ?? 0) + line - (style === 'bare' ? 1 : 0);
  return new BoltError(error.basic, 'bolt/evaluation-error', { file, line: BigInt(at) });
}
