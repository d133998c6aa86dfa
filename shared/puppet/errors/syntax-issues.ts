/** What the lexer and the parser complain about. Codes and texts: lib/puppet/pops/issues.rb. */
import { issue } from './issue.ts';

interface Value {
  value: string;
}

export const syntaxError = issue<{ where: string }>('SYNTAX_ERROR', ({ where }) => `Syntax error at ${where}`);
export const illegalClassReference = issue<object>('ILLEGAL_CLASS_REFERENCE', () => 'Illegal class reference');
export const illegalFullyQualifiedClassReference = issue<object>(
  'ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE',
  () => 'Illegal fully qualified class reference',
);
export const illegalFullyQualifiedName = issue<object>(
  'ILLEGAL_FULLY_QUALIFIED_NAME',
  () => 'Illegal fully qualified name',
);
export const illegalNumber = issue<Value>('ILLEGAL_NUMBER', ({ value }) => `Illegal number '${value}'`);
export const illegalUnicodeEscape = issue<object>(
  'ILLEGAL_UNICODE_ESCAPE',
  () => "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff",
);
export const invalidHexNumber = issue<Value>('INVALID_HEX_NUMBER', ({ value }) => `Not a valid hex number ${value}`);
export const invalidOctalNumber = issue<Value>(
  'INVALID_OCTAL_NUMBER',
  ({ value }) => `Not a valid octal number ${value}`,
);
export const invalidDecimalNumber = issue<Value>(
  'INVALID_DECIMAL_NUMBER',
  ({ value }) => `Not a valid decimal number ${value}`,
);
export const unrecognizedEscape = issue<{ char: string }>(
  'UNRECOGNIZED_ESCAPE',
  ({ char }) => `Unrecognized escape sequence '\\${char}'`,
);
export const unclosedQuote = issue<{ after: string; followedBy: string }>(
  'UNCLOSED_QUOTE',
  ({ after, followedBy }) => `Unclosed quote after ${after} followed by '${followedBy}'`,
);
export const unclosedMultilineComment = issue<object>('UNCLOSED_MLCOMMENT', () => 'Unclosed multiline comment');
export const eppUnbalancedTag = issue<object>(
  'EPP_UNBALANCED_TAG',
  () => 'Unbalanced epp tag, reached <eof> without closing tag.',
);
export const eppUnbalancedComment = issue<object>(
  'EPP_UNBALANCED_COMMENT',
  () => 'Reaching end after opening <%# without seeing %>',
);
export const eppUnbalancedExpression = issue<object>(
  'EPP_UNBALANCED_EXPRESSION',
  () => 'Unbalanced embedded expression - opening <% and reaching end of input',
);
export const heredocUnclosedParenthesis = issue<{ followedBy: string }>(
  'HEREDOC_UNCLOSED_PARENTHESIS',
  ({ followedBy }) => `Unclosed parenthesis after '@(' followed by '${followedBy}'`,
);
export const heredocWithoutEndTaggedLine = issue<object>(
  'HEREDOC_WITHOUT_END_TAGGED_LINE',
  () => 'Heredoc without end-tagged line',
);
export const heredocInvalidEscape = issue<{ actual: string }>(
  'HEREDOC_INVALID_ESCAPE',
  ({ actual }) => `Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '${actual}'`,
);
export const heredocInvalidSyntax = issue<object>(
  'HEREDOC_INVALID_SYNTAX',
  () => 'Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])',
);
export const heredocWithoutText = issue<object>(
  'HEREDOC_WITHOUT_TEXT',
  () => 'Heredoc without any following lines of text',
);
export const heredocEmptyEndtag = issue<object>('HEREDOC_EMPTY_ENDTAG', () => 'Heredoc with an empty endtag');
export const heredocMultipleAtEscapes = issue<{ escapes: string }>(
  'HEREDOC_MULTIPLE_AT_ESCAPES',
  ({ escapes }) => `An escape char for @() may only appear once. Got '${escapes}'`,
);
export const illegalBom = issue<{ format: string; bytes: string }>(
  'ILLEGAL_BOM',
  ({ format, bytes }) =>
    `Illegal ${format} Byte Order mark at beginning of input: ${bytes} - remove these from the puppet source`,
);
