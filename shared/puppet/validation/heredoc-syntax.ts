import { PuppetError } from '../errors/puppet-error.ts';
import type { Program } from '../language/ast.ts';
import { parseProgram } from '../language/parser.ts';
import { parseRubyJson } from '../types/format/json-reader.ts';

/** Why a heredoc's text does not conform to its syntax. */
interface SyntaxProblem {
  readonly code: string;
  readonly message: string;
}

/** Throws a `PuppetError` for a program that is not valid. */
type Validate = (program: Program) => void;

type SyntaxChecker = (text: string, validate: Validate) => SyntaxProblem | null;

const CHECKERS: ReadonlyMap<string, SyntaxChecker> = new Map([
  ['json', jsonProblem],
  ['base64', base64Problem],
  ['pp', (text: string, validate: Validate) => puppetProblem(text, false, validate)],
  ['epp', (text: string, validate: Validate) => puppetProblem(text, true, validate)],
]);

/**
 * Checks the text of a heredoc `@(END:syntax)`. Unknown syntaxes are accepted. Of `a+b+json` the
 * most specific known syntax is checked. `validate` checks a text that parses as Puppet code.
 * Puppet: lib/puppet/syntax_checkers
 */
export function findHeredocSyntaxProblem(
  text: string,
  syntax: string,
  validate: Validate = () => undefined,
): SyntaxProblem | null {
  const segments = syntax.split('+');
  for (let from = 0; from < segments.length; from++) {
    const checker = CHECKERS.get(segments.slice(from).join('+'));
    if (checker) return checker(text, validate);
  }
  return null;
}

function jsonProblem(text: string): SyntaxProblem | null {
  try {
    parseRubyJson(text);
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const shown = takeCharacters(error.message, 100).replace(/\r?\n/g, '\\n');
    return { code: 'ILLEGAL_JSON', message: `JSON syntax checker: Cannot parse invalid JSON string. "${shown}"` };
  }
}

/** The first `most` characters of a text, without splitting surrogate pairs. */
function takeCharacters(text: string, most: number): string {
  return [...text.slice(0, 2 * most)].slice(0, most).join('');
}

function base64Problem(text: string): SyntaxProblem | null {
  const cleaned = text.replace(/[\r\n?\p{Zs}\t]/gu, '');
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(cleaned)) return null;
  const why =
    (Buffer.byteLength(cleaned) * 8) % 6 === 0
      ? 'contains letters outside strict base 64 range (or whitespace)'
      : 'padding is not correct';
  return { code: 'ILLEGAL_BASE64', message: `Base64 syntax checker: Cannot parse invalid Base64 string - ${why}` };
}

function puppetProblem(text: string, epp: boolean, validate: Validate): SyntaxProblem | null {
  try {
    validate(parseProgram(text, { file: null, epp }));
    return null;
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    const shown = error.message.slice(0, 500).replace(/\r?\n/g, '\\n');
    return { code: epp ? 'ILLEGAL_EPP' : 'ILLEGAL_PP', message: `${epp ? 'EPP' : 'PP'} syntax checker: "${shown}"` };
  }
}
