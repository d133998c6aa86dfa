// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources are Puppet code
/**
 * Tokens as Puppet's own lexer gives them (Lexer2#fullscan of 7.23; the lexer of 8.10 is the same).
 */
import { describe, expect, it } from 'vitest';
import { type LexOptions, lex } from '../../../../shared/puppet/language/lexer.ts';
import { Locator } from '../../../../shared/puppet/language/locator.ts';
import { T } from '../../../../shared/puppet/language/token.ts';
import type { TokenBuffer } from '../../../../shared/puppet/language/token-buffer.ts';

const NAMES = new Map(Object.entries(T).map(([name, kind]) => [kind, name]));
/** Tokens that are more than their kind. */
const WITH_TEXT = new Set(
  'STRING WORD DQPRE DQMID DQPOST NUMBER VARIABLE REGEX NAME CLASSREF HEREDOC RENDER_STRING BOOLEAN'.split(' '),
);
const PLAIN: LexOptions = { epp: false, tasks: false };
const EPP: LexOptions = { epp: true, tasks: false };
const TASKS: LexOptions = { epp: false, tasks: true };

/**
 * Their kinds, each with its text where it has one of its own: `NAME:"a" LPAREN`. Throws what
 * lexing failed with.
 */
function tokens(source: string, options: LexOptions): string {
  return scan(source, options, (buffer, at) => {
    const name = nameAt(buffer, at);
    return WITH_TEXT.has(name) ? `${name}:${JSON.stringify(textAt(source, buffer, at))}` : name;
  });
}

function scan(source: string, options: LexOptions, show: (buffer: TokenBuffer, at: number) => string): string {
  const buffer = lex(new Locator(source, null), options);
  if (buffer.failure) throw buffer.failure;
  // The last one is the end.
  return Array.from({ length: buffer.count - 1 }, (_, at) => show(buffer, at)).join(' ');
}

function nameAt(buffer: TokenBuffer, at: number): string {
  return NAMES.get(buffer.kinds[at] ?? -1) ?? '?';
}

function textAt(source: string, { texts, offsets, lengths }: TokenBuffer, at: number): string {
  const from = offsets[at] ?? 0;
  return texts[at] ?? source.slice(from, from + (lengths[at] ?? 0));
}

const TOKENS: Readonly<Record<string, readonly (readonly [source: string, expected: string])[]>> = {
  punctuation: [
    ['()', 'WSLPAREN RPAREN'],
    ['f(1)', 'NAME:"f" LPAREN NUMBER:"1" RPAREN'],
    ['x (1)', 'NAME:"x" LPAREN NUMBER:"1" RPAREN'],
    ['x\n(1)', 'NAME:"x" WSLPAREN NUMBER:"1" RPAREN'],
    ['[1]', 'LISTSTART NUMBER:"1" RBRACK'],
    ['a[1]', 'NAME:"a" LBRACK NUMBER:"1" RBRACK'],
    ['a [1]', 'NAME:"a" LISTSTART NUMBER:"1" RBRACK'],
    ['{ }', 'LBRACE RBRACE'],
    ['? { }', 'QMARK SELBRACE RBRACE'],
    [', ; . :', 'COMMA SEMIC DOT COLON'],
    ['| @ @@', 'PIPE AT ATAT'],
    ['a | b', 'NAME:"a" PIPE NAME:"b"'],
    ['\\', 'OTHER'],
  ],
  operators: [
    ['=', 'EQUALS'],
    ['+= -=', 'APPENDS DELETES'],
    ['== !=', 'ISEQUAL NOTEQUAL'],
    ['=~ !~', 'MATCH NOMATCH'],
    ['< <= > >=', 'LESSTHAN LESSEQUAL GREATERTHAN GREATEREQUAL'],
    ['=> +>', 'FARROW PARROW'],
    ['<< >>', 'LSHIFT RSHIFT'],
    ['<<| |>>', 'LLCOLLECT RRCOLLECT'],
    ['<| |>', 'LCOLLECT RCOLLECT'],
    ['+ - * % !', 'PLUS MINUS TIMES MODULO NOT'],
    ['1 / 2', 'NUMBER:"1" DIV NUMBER:"2"'],
    ['-> ~> <- <~', 'IN_EDGE IN_EDGE_SUB OUT_EDGE OUT_EDGE_SUB'],
    ['~', 'TILDE'],
    ['? :', 'QMARK COLON'],
  ],
  keywords: [
    ['case class default define', 'CASE CLASS DEFAULT DEFINE'],
    ['if elsif else unless', 'IF ELSIF ELSE UNLESS'],
    ['inherits node', 'INHERITS NODE'],
    ['and or in', 'AND OR IN'],
    ['undef true false', 'UNDEF BOOLEAN:"true" BOOLEAN:"false"'],
    ['function type', 'FUNCTION TYPE'],
    ['attr private', 'ATTR PRIVATE'],
    ['plan apply', 'NAME:"plan" NAME:"apply"'],
    ['iff', 'NAME:"iff"'],
  ],
  'names and words': [
    ['name a1 a_b', 'NAME:"name" NAME:"a1" NAME:"a_b"'],
    ['a::b', 'NAME:"a::b"'],
    ['::a::b', 'NAME:"::a::b"'],
    ['_a', 'WORD:"_a"'],
    ['a::_b', 'WORD:"a::_b"'],
    ['a-b', 'WORD:"a-b"'],
    ['a-b-c', 'WORD:"a-b-c"'],
    ['a-', 'NAME:"a" MINUS'],
    ['a::b-c', 'WORD:"a::b-c"'],
    ['Name', 'CLASSREF:"Name"'],
    ['A::B', 'CLASSREF:"A::B"'],
    ['::A', 'CLASSREF:"::A"'],
    ['Ab::Cd::Ef', 'CLASSREF:"Ab::Cd::Ef"'],
    ['é', 'OTHER'],
  ],
  variables: [
    ['$a', 'VARIABLE:"a"'],
    ['$a1_b', 'VARIABLE:"a1_b"'],
    ['$::a', 'VARIABLE:"::a"'],
    ['$a::b::c', 'VARIABLE:"a::b::c"'],
    ['$_a', 'VARIABLE:"_a"'],
    ['$1', 'VARIABLE:"1"'],
    ['$A', 'VARIABLE:"A"'],
    ['$', 'VARIABLE:""'],
    ['$ a', 'VARIABLE:"" NAME:"a"'],
    ['$a-b', 'VARIABLE:"a" MINUS NAME:"b"'],
  ],
  numbers: [
    ['0', 'NUMBER:"0"'],
    ['42', 'NUMBER:"42"'],
    ['0777', 'NUMBER:"0777"'],
    ['0xFf', 'NUMBER:"0xFf"'],
    ['0X1f', 'NUMBER:"0X1f"'],
    ['1.5', 'NUMBER:"1.5"'],
    ['1e3', 'NUMBER:"1e3"'],
    ['1E-3', 'NUMBER:"1E-3"'],
    ['1.5e10', 'NUMBER:"1.5e10"'],
    ['1.a', 'NUMBER:"1" DOT NAME:"a"'],
    ['1..2', 'NUMBER:"1" DOT DOT NUMBER:"2"'],
  ],
  'single quoted': [
    ["''", 'STRING:""'],
    ["'a b'", 'STRING:"a b"'],
    ["'it\\'s'", 'STRING:"it\'s"'],
    ["'a\\\\b'", 'STRING:"a\\\\b"'],
    ["'a\\nb'", 'STRING:"a\\\\nb"'],
    ["'$a'", 'STRING:"$a"'],
    ["'é'", 'STRING:"é"'],
    ["'\\\\'", 'STRING:"\\\\"'],
  ],
  'double quoted': [
    ['""', 'STRING:""'],
    ['"a b"', 'STRING:"a b"'],
    ['"a\\tb\\n"', 'STRING:"a\\tb\\n"'],
    ['"\\"\\$\\\\"', 'STRING:"\\"$\\\\"'],
    ['"\\u20AC"', 'STRING:"€"'],
    ['"\\u{1F600}"', 'STRING:"😀"'],
    ['"\\s|"', 'STRING:" |"'],
    ['"\\r"', 'STRING:"\\r"'],
    ['"\\\'"', 'STRING:"\'"'],
    ['"a\nb"', 'STRING:"a\\nb"'],
    ['"a $ b"', 'STRING:"a $ b"'],
    ['"a$"', 'STRING:"a$"'],
    ['"a\\\nb"', 'STRING:"ab"'],
  ],
  interpolation: [
    ['"$a"', 'DQPRE:"" VARIABLE:"a" DQPOST:""'],
    ['"a$b c"', 'DQPRE:"a" VARIABLE:"b" DQPOST:" c"'],
    ['"$a$b"', 'DQPRE:"" VARIABLE:"a" DQMID:"" VARIABLE:"b" DQPOST:""'],
    ['"${a}"', 'DQPRE:"" VARIABLE:"a" DQPOST:""'],
    ['"x${a}y${b}z"', 'DQPRE:"x" VARIABLE:"a" DQMID:"y" VARIABLE:"b" DQPOST:"z"'],
    ['"${a.b}"', 'DQPRE:"" VARIABLE:"a" DOT NAME:"b" DQPOST:""'],
    ['"${a[1]}"', 'DQPRE:"" VARIABLE:"a" LBRACK NUMBER:"1" RBRACK DQPOST:""'],
    ['"${$a}"', 'DQPRE:"" VARIABLE:"a" DQPOST:""'],
    ['"${1 + 2}"', 'DQPRE:"" NUMBER:"1" PLUS NUMBER:"2" DQPOST:""'],
    ['"${if}"', 'DQPRE:"" VARIABLE:"if" DQPOST:""'],
    ['"${a()}"', 'DQPRE:"" NAME:"a" LPAREN RPAREN DQPOST:""'],
    ['"${}"', 'DQPRE:"" DQPOST:""'],
    ['"${ a }"', 'DQPRE:"" VARIABLE:"a" DQPOST:""'],
    ['"${Foo}"', 'DQPRE:"" CLASSREF:"Foo" DQPOST:""'],
    ['"${x["${y}"]}"', 'DQPRE:"" VARIABLE:"x" LBRACK DQPRE:"" VARIABLE:"y" DQPOST:"" RBRACK DQPOST:""'],
    ['"$a::b"', 'DQPRE:"" VARIABLE:"a::b" DQPOST:""'],
    ['"$a-b"', 'DQPRE:"" VARIABLE:"a" DQPOST:"-b"'],
    ['"${1}"', 'DQPRE:"" VARIABLE:"1" DQPOST:""'],
    ['"${{a => 1}}"', 'DQPRE:"" LBRACE NAME:"a" FARROW NUMBER:"1" RBRACE DQPOST:""'],
    ['"${a::b}"', 'DQPRE:"" VARIABLE:"a::b" DQPOST:""'],
  ],
  'regular expressions': [
    ['/a/', 'REGEX:"a"'],
    ['$a =~ /b/', 'VARIABLE:"a" MATCH REGEX:"b"'],
    ['/a\\/b/', 'REGEX:"a/b"'],
    ['/\\d+\\.x/', 'REGEX:"\\\\d+\\\\.x"'],
    ['1 /a/', 'NUMBER:"1" DIV NAME:"a" DIV'],
    ['$a / 2', 'VARIABLE:"a" DIV NUMBER:"2"'],
    ['a / b', 'NAME:"a" DIV NAME:"b"'],
    ['(1) / 2', 'WSLPAREN NUMBER:"1" RPAREN DIV NUMBER:"2"'],
    ['[1] / 2', 'LISTSTART NUMBER:"1" RBRACK DIV NUMBER:"2"'],
    ['} /a/', 'RBRACE REGEX:"a"'],
    ['{ /a/', 'LBRACE REGEX:"a"'],
    ['/ x', 'DIV NAME:"x"'],
    ["'a' / 'b'", 'STRING:"a" DIV STRING:"b"'],
    ['"a" / 2', 'STRING:"a" DIV NUMBER:"2"'],
    ['A / 2', 'CLASSREF:"A" DIV NUMBER:"2"'],
    ['true / 2', 'BOOLEAN:"true" DIV NUMBER:"2"'],
  ],
  'comments and blanks': [
    ['', ''],
    ['# all', ''],
    ['a # b\nc', 'NAME:"a" NAME:"c"'],
    ['/* a */ b', 'NAME:"b"'],
    ['a /* b\nc */ d', 'NAME:"a" NAME:"d"'],
    ['a\tb\r\nc', 'NAME:"a" NAME:"b" NAME:"c"'],
    ['a\u00a0b', 'NAME:"a" NAME:"b"'],
  ],
  'what a slash or a percent sign is behind what, and quotes in quotes': [
    ['"a$b" / 2', 'DQPRE:"a" VARIABLE:"b" DQPOST:"" DIV NUMBER:"2"'],
    ['$a =~ /a/ / 2', 'VARIABLE:"a" MATCH REGEX:"a" DIV NUMBER:"2"'],
    ['@(E) / 2\na\nE\n', 'HEREDOC:"" SUBLOCATE STRING:"a\\n" DIV NUMBER:"2"'],
    ['a-b / 2', 'WORD:"a-b" DIV NUMBER:"2"'],
    ['"" / 2', 'STRING:"" DIV NUMBER:"2"'],
    ['$a %> b', 'VARIABLE:"a" MODULO GREATERTHAN NAME:"b"'],
    ['$a -%> 1', 'VARIABLE:"a" MINUS MODULO GREATERTHAN NUMBER:"1"'],
    ['<| |> / 2', 'LCOLLECT RCOLLECT DIV NUMBER:"2"'],
    ['<<| |>> / 2', 'LLCOLLECT RRCOLLECT DIV NUMBER:"2"'],
    ['$a == 1', 'VARIABLE:"a" ISEQUAL NUMBER:"1"'],
    ['$a =~ $b', 'VARIABLE:"a" MATCH VARIABLE:"b"'],
    ['default / 2', 'DEFAULT DIV NUMBER:"2"'],
    ['=> /a/', 'FARROW REGEX:"a"'],
    ['"a" /a/', 'STRING:"a" DIV NAME:"a" DIV'],
    ["'\\\\\\\\'", 'STRING:"\\\\\\\\"'],
    ['"\\\\\\\\"', 'STRING:"\\\\\\\\"'],
    ["'''", 'STRING:"\'"'],
    ['"""', 'STRING:"\\""'],
    ['undef /a/', 'UNDEF REGEX:"a"'],
    ['"${a / 2}"', 'DQPRE:"" NAME:"a" DIV NUMBER:"2" DQPOST:""'],
    ['"a${b}c" / 2', 'DQPRE:"a" VARIABLE:"b" DQPOST:"c" DIV NUMBER:"2"'],
    ['😀 a', 'OTHER NAME:"a"'],
  ],
  heredocs: [
    ['@(E)\n  a\n  | E\n', 'HEREDOC:"" SUBLOCATE STRING:"a\\n"'],
    ['@(E)\na\nE\n', 'HEREDOC:"" SUBLOCATE STRING:"a\\n"'],
    ['@(E)\n  a\n  b\n  |- E\n', 'HEREDOC:"" SUBLOCATE STRING:"a\\nb"'],
    ['@("E")\na $b\nE\n', 'HEREDOC:"" SUBLOCATE DQPRE:"a " VARIABLE:"b" DQPOST:"\\n"'],
    ['@("E"/t)\na\\tb\nE\n', 'HEREDOC:"" SUBLOCATE STRING:"a\\tb\\n"'],
    ['@(E/t)\na\\tb\\n\nE\n', 'HEREDOC:"" SUBLOCATE STRING:"a\\tb\\\\n\\n"'],
    ['@(E:json)\n{}\nE\n', 'HEREDOC:"json" SUBLOCATE STRING:"{}\\n"'],
    ['@("E"/$n)\n\\$a\\n\nE\n', 'HEREDOC:"" SUBLOCATE STRING:"$a\\n\\n"'],
    [
      'f(@(A), @(B))\na\nA\nb\nB\n',
      'NAME:"f" LPAREN HEREDOC:"" SUBLOCATE STRING:"a\\n" COMMA HEREDOC:"" SUBLOCATE STRING:"b\\n" RPAREN',
    ],
    ['@("E"/L)\na\\\nb\nE\n', 'HEREDOC:"" SUBLOCATE STRING:"ab\\n"'],
    ['@("E")\n${a}${b}\nE\n', 'HEREDOC:"" SUBLOCATE DQPRE:"" VARIABLE:"a" DQMID:"" VARIABLE:"b" DQPOST:"\\n"'],
  ],
};

const TEMPLATE_TOKENS: Readonly<Record<string, readonly (readonly [source: string, expected: string])[]>> = {
  templates: [
    ['text', 'EPP_START RENDER_STRING:"text"'],
    ['a <%= $b %> c', 'EPP_START RENDER_STRING:"a " RENDER_EXPR VARIABLE:"b" EPP_END RENDER_STRING:" c"'],
    ['<% $a %>', 'EPP_START VARIABLE:"a"'],
    ['<%# comment %>x', 'EPP_START RENDER_STRING:"x"'],
    ['<%- $a -%>\nx', 'EPP_START VARIABLE:"a" RENDER_STRING:"x"'],
    ['<%%= x %%>', 'EPP_START RENDER_STRING:"<%= x %>"'],
    ['<%= $a -%>\n b', 'EPP_START RENDER_EXPR VARIABLE:"a" EPP_END_TRIM RENDER_STRING:" b"'],
    ['<%-| $a |-%>\nx', 'EPP_START PIPE VARIABLE:"a" PIPE RENDER_STRING:"x"'],
    ['a\n  <%- 1 -%>\nb', 'EPP_START RENDER_STRING:"a\\n" NUMBER:"1" RENDER_STRING:"b"'],
    ['<% if true { %>x<% } %>', 'EPP_START IF BOOLEAN:"true" LBRACE RENDER_STRING:"x" RBRACE'],
  ],
};

const ERRORS: readonly (readonly [source: string, message: string, options: LexOptions])[] = [
  ["'a", "Unclosed quote after \"'\" followed by 'a...' (line: 1, column: 2)", PLAIN],
  ['"a', "Unclosed quote after '\"' followed by 'a...' (line: 1, column: 2)", PLAIN],
  ['"${a', "Unclosed quote after 'a' followed by '<eof>' (line: 1, column: 5)", PLAIN],
  ['/* a', 'Unclosed multiline comment (line: 1, column: 1)', PLAIN],
  ['0x', 'Not a valid hex number 0x (line: 1, column: 1)', PLAIN],
  ['09', 'Not a valid octal number 09 (line: 1, column: 1)', PLAIN],
  ['1a', "Illegal number '1a' (line: 1, column: 1)", PLAIN],
  ['1.5x', 'Not a valid decimal number 1.5x (line: 1, column: 1)', PLAIN],
  ['::1', 'Illegal fully qualified name (line: 1, column: 3)', PLAIN],
  ['A::b', 'Illegal class reference (line: 1, column: 3)', PLAIN],
  ['::A::b', 'Illegal fully qualified class reference (line: 1, column: 7)', PLAIN],
  ['@(E', "Unclosed parenthesis after '@(' followed by '@(E...' (line: 1, column: 1)", PLAIN],
  ['@()\n', 'Invalid syntax in heredoc expected @(endtag[:syntax][/escapes]) (line: 1, column: 4)', PLAIN],
  [
    '@(E/q)\na\nE\n',
    "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got 'q' (line: 1, column: 7)",
    PLAIN,
  ],
  ['@(E)', 'Heredoc without any following lines of text (line: 1, column: 5)', PLAIN],
  ['@(E)\na\n', 'Heredoc without end-tagged line (line: 2, column: 1)', PLAIN],
  ['/[/', 'premature end of char-class: /[/', PLAIN],
  [
    '\ufeffa',
    'Illegal UTF-8 Byte Order mark at beginning of input: [EF BB BF] - remove these from the puppet source',
    PLAIN,
  ],
  ['@("E"/tt)\na\nE\n', "An escape char for @() may only appear once. Got 't, t' (line: 1, column: 10)", PLAIN],
  ['$a = 0b1', 'Not a valid octal number 0b1 (line: 1, column: 6)', PLAIN],
  ['a::', 'Illegal fully qualified name (line: 1, column: 4)', PLAIN],
  ['::', 'Illegal fully qualified name (line: 1, column: 3)', PLAIN],
  ['<% a', 'Unbalanced epp tag, reached <eof> without closing tag. (line: 1, column: 5)', EPP],
  ['<%# a', 'Reaching end after opening <%# without seeing %> (line: 1, column: 3)', EPP],
  ['a <%= $b', 'Unbalanced epp tag, reached <eof> without closing tag. (line: 1, column: 9)', EPP],
  ['<%- %-> ', 'Unbalanced epp tag, reached <eof> without closing tag. (line: 1, column: 9)', EPP],
];

/** Offset and length; within a heredoc those in its own text. */
const PLACES: readonly (readonly [source: string, expected: string])[] = [
  ['f(1)', 'NAME@0+1 LPAREN@1+1 NUMBER@2+1 RPAREN@3+1'],
  ['"a$b c"', 'DQPRE@0+2 VARIABLE@2+2 DQPOST@4+3'],
  ['"${a}"', 'DQPRE@0+3 VARIABLE@3+1 DQPOST@5+1'],
  ['/a\\/b/', 'REGEX@0+6'],
  ['a /* b\nc */ d', 'NAME@0+1 NAME@12+1'],
  ['a::b', 'NAME@0+4'],
  ["'it\\'s'", 'STRING@0+7'],
  ['0xFf', 'NUMBER@0+4'],
  ['a == b =~ c', 'NAME@0+1 ISEQUAL@2+2 NAME@5+1 MATCH@7+2 NAME@10+1'],
  ['a -> b <~ c >= d', 'NAME@0+1 IN_EDGE@2+2 NAME@5+1 OUT_EDGE_SUB@7+2 NAME@10+1 GREATEREQUAL@12+2 NAME@15+1'],
  ['<<| |>>', 'LLCOLLECT@0+3 RRCOLLECT@4+3'],
  ['@("E"/t)\na\\tb\nE\n', 'HEREDOC@0+8 STRING@0+5'],
  ['"$a"', 'DQPRE@0+1 VARIABLE@1+2 DQPOST@3+1'],
];

describe.each(Object.entries(TOKENS))('tokens of %s', (_topic, rows) => {
  it.each(rows)('%j', (source, expected) => {
    expect(tokens(source, PLAIN)).toBe(expected);
  });
});

describe('tokens of templates', () => {
  it.each(TEMPLATE_TOKENS.templates ?? [])('%j', (source, expected) => {
    expect(tokens(source, EPP)).toBe(expected);
  });
});

describe('places of tokens', () => {
  it.each(PLACES)('%j', (source, expected) => {
    const place = (buffer: TokenBuffer, at: number) =>
      `${nameAt(buffer, at)}@${buffer.offsets[at]}+${buffer.lengths[at]}`;
    expect(scan(source, PLAIN, place).replaceAll(/SUBLOCATE\S* /g, '')).toBe(expected);
  });
});

describe('escapes that mean nothing', () => {
  it.each([
    ['"a\\q"', "Unrecognized escape sequence '\\q'", 1, 6],
    ['a\n"b${c}\\q"', "Unrecognized escape sequence '\\q'", 2, 10],
    [
      '"\\u12"',
      String.raw`Unicode escape '\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff`,
      1,
      7,
    ],
  ])('%j is warned of', (source, message, line, pos) => {
    const { warnings } = lex(new Locator(source, 'x.pp'), PLAIN);
    expect(warnings.map(({ entry }) => entry)).toMatchObject([{ level: 'warning', message, file: 'x.pp', line, pos }]);
  });
});

describe('what is no token', () => {
  it.each(ERRORS)('%j', (source, message, options) => {
    expect(() => tokens(source, options)).toThrow(expect.objectContaining({ message }));
  });
});

describe('the tables', () => {
  it('have each kind of token', () => {
    const rows = [...Object.values(TOKENS), ...Object.values(TEMPLATE_TOKENS)].flat();
    const shown = `${rows.map(([, expected]) => expected).join(' ')} ${tokens('plan apply', TASKS)}`;
    const seen = new Set(shown.split(' ').map((token) => token.split(':')[0]));
    expect(Object.keys(T).filter((name) => !seen.has(name))).toEqual(['END', 'FAILURE']);
  });

  it('know plan and apply as names without the setting tasks', () => {
    expect([tokens('plan apply', PLAIN), tokens('plan apply', TASKS)]).toEqual([
      'NAME:"plan" NAME:"apply"',
      'PLAN APPLY',
    ]);
  });
});
