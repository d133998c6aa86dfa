/** Issues of the lexer and the parser. Codes and texts: lib/puppet/pops/issues.rb. */
import { defineIssues, fault, issue } from './issue.ts';

export const SYNTAX_ISSUES = defineIssues({
  SYNTAX_ERROR: issue('Syntax error at %{where}'),
  ILLEGAL_CLASS_REFERENCE: issue('Illegal class reference'),
  ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE: issue('Illegal fully qualified class reference'),
  ILLEGAL_FULLY_QUALIFIED_NAME: issue('Illegal fully qualified name'),
  ILLEGAL_NUMBER: issue("Illegal number '%{value}'"),
  ILLEGAL_UNICODE_ESCAPE: issue(
    "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff",
  ),
  INVALID_HEX_NUMBER: issue('Not a valid hex number %{value}'),
  INVALID_OCTAL_NUMBER: issue('Not a valid octal number %{value}'),
  INVALID_DECIMAL_NUMBER: issue('Not a valid decimal number %{value}'),
  UNRECOGNIZED_ESCAPE: issue("Unrecognized escape sequence '\\%{char}'"),
  UNCLOSED_QUOTE: issue("Unclosed quote after %{after} followed by '%{followedBy}'"),
  UNCLOSED_MLCOMMENT: issue('Unclosed multiline comment'),
  EPP_UNBALANCED_TAG: issue('Unbalanced epp tag, reached <eof> without closing tag.'),
  EPP_UNBALANCED_COMMENT: issue('Reaching end after opening <%# without seeing %>'),
  EPP_UNBALANCED_EXPRESSION: issue('Unbalanced embedded expression - opening <% and reaching end of input'),
  HEREDOC_UNCLOSED_PARENTHESIS: issue("Unclosed parenthesis after '@(' followed by '%{followedBy}'"),
  HEREDOC_WITHOUT_END_TAGGED_LINE: issue('Heredoc without end-tagged line'),
  HEREDOC_INVALID_ESCAPE: issue("Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '%{actual}'"),
  HEREDOC_INVALID_SYNTAX: issue('Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])'),
  HEREDOC_WITHOUT_TEXT: issue('Heredoc without any following lines of text'),
  HEREDOC_EMPTY_ENDTAG: issue('Heredoc with an empty endtag'),
  HEREDOC_MULTIPLE_AT_ESCAPES: issue("An escape char for @() may only appear once. Got '%{escapes}'"),
  ILLEGAL_BOM: issue(
    'Illegal %{format} Byte Order mark at beginning of input: %{bytes} - remove these from the puppet source',
  ),
  NUMBER_TOKEN_INVALID: fault('Internal Error, NUMBER token does not contain a valid number, %{text}'),
  PN_NOT_TRANSFORMABLE: fault(
    "Visitor Error: the configured receiver (Puppet::Pops::Model::PNTransformer) can't handle instance of: Puppet::Pops::Model::%{kind}",
  ),
  ILLEGAL_ARGUMENT_LIST: fault('illegal comma separated argument list'),
  ARGUMENT_LIST_WITHOUT_PARENTHESES: fault(
    "attempt to pass argument list to the function '%{name}' which cannot be called without parentheses",
  ),
  NOT_A_RESOURCE_EXPRESSION: fault('%{form} can only be applied to a Resource Expression'),
  NOT_A_RESOURCE: fault('Expression is not valid as a resource, resource-default, or resource-override'),
  RESOURCE_BODY_WITHOUT_TITLE: fault('Syntax error resource body without title or hash with +>'),
  CLASS_KEYWORD_NOT_ALLOWED: fault("'class' keyword not allowed at this location"),
  QUOTED_NAME_NOT_ALLOWED: fault('A quoted string is not valid as a name here'),
});
