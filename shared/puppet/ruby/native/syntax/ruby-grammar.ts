/** Tables and patterns of Ruby's grammar. */
import type { RubyMethodParameter } from './ruby-ast.ts';

/** By precedence, lowest first. */
export const BINARY_OPERATORS: readonly (readonly string[])[] = [
  ['...', '..'],
  ['||'],
  ['&&'],
  ['<=>', '===', '==', '!=', '=~', '!~'],
  ['<=', '>=', '<', '>'],
  ['|', '^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];
export const RANGE = 0;
export const EQUALITY = 3;
export const OPERATOR = /\.\.\.|\.\.|\|\||&&|<=>|===|==|!=|=~|!~|<=|>=|<<|>>|[<>|^&+\-*/%](?!=)/y;
export const ASSIGNMENT = /[ \t]*(=(?![=~>])|(?:\|\||&&|<<|>>|\*\*|[+\-*/%|&^])=(?![=~]))/y;
export const MULTIPLE = /(?:[a-z_]\w*|@[a-zA-Z_]\w*)[ \t]*,[ \t]*[@a-z_][^=\n;()|{]*?=(?![=~>])/y;
/** A hash key that is a symbol. */
export const LABEL = /([a-zA-Z_]\w*):(?=[\s'"[{@\d])/y;
/** A hash key that is the name of the variable with the value. */
export const LABEL_ALONE = /([a-z_]\w*):(?=\s*[,)}])/y;
export const ORDER: readonly RubyMethodParameter['kind'][] = ['required', 'optional', 'rest', 'block'];
/** The start of an argument without parentheses. */
export const COMMAND_ARGUMENT = /[ \t]+(?:['"]|:['"a-zA-Z_]|@[a-z_]|[A-Z]\w*|[a-z_]\w*(?![\w:?!])|[0-9])/y;
/**
 * Text that Ruby reads as the start of an argument after a method name, and as an operator after a
 * variable.
 */
export const AMBIGUOUS = /[ \t]+(?:[[(]|(?:[-+*/%?]|&(?!&)|<<|::)(?=[^\s=]))/y;
export const RESERVED: ReadonlySet<string> = new Set(
  `alias and begin BEGIN break case class def defined? do else elsif end END ensure false for if in module next nil not or redo rescue
  retry return self super then true undef unless until when while yield __FILE__ __LINE__ __method__ __ENCODING__ lambda proc binding
  loop catch throw _erbout`.split(/\s+/),
);
