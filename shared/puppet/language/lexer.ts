/**
 * The lexer. It tokenizes the whole text at once. At an error it stops with a `T.FAILURE` token, so
 * that a syntax error before that place is reported first. Follows
 * lib/puppet/pops/parser/lexer2.rb, interpolation_support.rb, heredoc_support.rb and
 * epp_support.rb.
 */

import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { isBareWordStart, isBlank, isDigit, isUpper, isWord, WORD } from './char-codes.ts';
import { scanEppText } from './epp-text.ts';
import { DOUBLE_QUOTED_ESCAPES, unescapeSingleQuoted, unescapeText } from './escapes.ts';
import { HeredocSpace, type HeredocSpec, heredocText, parseHeredocSpec } from './heredoc.ts';
import type { Locator } from './locator.ts';
import { invalidNumberAt, numberEnd, numberIssue } from './number-token.ts';
import { rubyRegexpProblem } from './ruby-regexp.ts';
import { KEYWORDS, mayBecomeVariable, T, TASK_KEYWORDS } from './token.ts';
import { TokenBuffer } from './token-buffer.ts';

export interface LexOptions {
  readonly epp: boolean;
  /** Whether `plan` and `apply` are keywords. */
  readonly tasks: boolean;
}

/** Tokenizes the locator's source. */
export function lex(locator: Locator, options: LexOptions): TokenBuffer {
  const tokens = new TokenBuffer(locator.source.length);
  assertNoByteOrderMark(locator.source);
  new Lexer(locator.source, locator, tokens, options.tasks).readAll(options.epp);
  return tokens;
}

function assertNoByteOrderMark(source: string): void {
  if (source.charCodeAt(0) !== 0xfeff) return;
  throw new PuppetError(ISSUES.ILLEGAL_BOM({ format: 'UTF-8', bytes: '[EF BB BF]' }));
}

const NO_MATCH = -1;
const NEWLINE = 10;
const BACKSLASH = 92;
const DOLLAR = 36;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const BRACE = 123;
const COLON = 58;
const SLASH = 47;
const DASH = 45;

/** The end of the text before or between interpolations. */
type Terminator = '"' | '${' | '$' | '';

class Lexer {
  readonly #source: string;
  readonly #locator: Locator;
  readonly #tokens: TokenBuffer;
  readonly #tasks: boolean;
  /** The heredoc whose text this lexer reads; null for the source itself. */
  #space: HeredocSpace | null = null;
  #pos = 0;
  /** First token of the current step. A failure discards all tokens of the step. */
  #stepStart = 0;
  #after: number = T.END;
  #braces = 0;
  #lineStart = 0;
  /**
   * The place where lexing continues after the end of the line, behind the line's heredoc texts; -1
   * when it has none.
   */
  #newlineJump = -1;
  #eppMode: 'none' | 'text' | 'statements' | 'expression' = 'none';
  #eppOpen = false;
  /** The last match, which the error about an unclosed quote shows. */
  #matchStart = NO_MATCH;
  #matchEnd = NO_MATCH;
  /** The end of the last text before or between interpolations. */
  #terminator: Terminator = '';

  constructor(source: string, locator: Locator, tokens: TokenBuffer, tasks: boolean) {
    this.#source = source;
    this.#locator = locator;
    this.#tokens = tokens;
    this.#tasks = tasks;
  }

  readAll(epp: boolean): void {
    const tokens = this.#tokens;
    const end = this.#source.length;
    try {
      if (epp) this.#startEpp();
      while (this.#pos < end) {
        // White space makes no tokens. It is so frequent that it does not count as a step.
        const code = this.#source.charCodeAt(this.#pos);
        if (code === 32) {
          this.#skipBlank();
          continue;
        }
        if (code === NEWLINE) {
          this.#lexNewline();
          continue;
        }
        this.#stepStart = tokens.count;
        this.#step();
        if (tokens.count > this.#stepStart) this.#after = tokens.kinds[tokens.count - 1] ?? T.END;
      }
      this.#stepStart = tokens.count;
      if (this.#eppOpen) this.#fail(ISSUES.EPP_UNBALANCED_TAG());
      tokens.add(T.END, end, 0, undefined);
    } catch (error) {
      if (!(error instanceof PuppetError)) throw error;
      tokens.truncate(this.#stepStart);
      tokens.failure = error;
      tokens.add(T.FAILURE, this.#pos, 0, undefined);
    }
  }

  /** Reads a heredoc's text as a string without quotes. */
  readHeredoc(spec: HeredocSpec, space: HeredocSpace, stepStart: number): void {
    this.#space = space;
    this.#stepStart = stepStart;
    const from = this.#tokens.count;
    this.#lexInterpolated(spec);
    this.#tokens.inSpace(from, space);
  }

  // Reads one token, white space, a whole string with its interpolations, or a whole heredoc.
  #step() {
    const source = this.#source;
    const code = source.charCodeAt(this.#pos);
    if (code >= 97 && code <= 122) return this.#bareWord();
    switch (code) {
      case 32:
      case 9:
      case 13:
        return this.#skipBlank();
      case NEWLINE:
        return this.#lexNewline();
      case 35: // #
        return this.#skipComment();
      case DOLLAR:
        return this.#lexVariable();
      case SINGLE_QUOTE:
        return this.#singleQuoted();
      case DOUBLE_QUOTE:
        return this.#doubleQuoted();
      case 95: // _
        return this.#bareWord();
      case COLON:
        return source.charCodeAt(this.#pos + 1) === COLON ? this.#lexQualified() : this.#emit(T.COLON, 1);
      case SLASH:
        return this.#lexSlash();
    }
    if (isUpper(code)) return this.#classReference();
    if (isDigit(code)) return this.#lexNumber();
    this.#lexPunctuation(code);
  }

  #lexPunctuation(code: number) {
    switch (code) {
      case 44:
        return this.#emit(T.COMMA, 1);
      case 46:
        return this.#emit(T.DOT, 1);
      case 40:
        return this.#emit(this.#isFirstOnLine() ? T.WSLPAREN : T.LPAREN, 1);
      case 41:
        return this.#emit(T.RPAREN, 1);
      case 91:
        return this.#emit(this.#isAfterSpace() ? T.LISTSTART : T.LBRACK, 1);
      case 93:
        return this.#emit(T.RBRACK, 1);
      case BRACE:
        this.#braces++;
        return this.#emit(this.#after === T.QMARK ? T.SELBRACE : T.LBRACE, 1);
      case 125:
        this.#braces--;
        return this.#emit(T.RBRACE, 1);
      case 59:
        return this.#emit(T.SEMIC, 1);
      case 63:
        return this.#emit(T.QMARK, 1);
      case 42:
        return this.#emit(T.TIMES, 1);
      case 64:
        return this.#lexAt();
      case 37:
        return this.#lexPercent();
      default:
        return this.#lexOperator(code);
    }
  }

  #lexOperator(code: number) {
    const next = this.#source[this.#pos + 1];
    switch (code) {
      case 61: // =
        if (next === '>') return this.#emit(T.FARROW, 2);
        if (next === '=') return this.#emit(T.ISEQUAL, 2);
        return next === '~' ? this.#emit(T.MATCH, 2) : this.#emit(T.EQUALS, 1);
      case 45: // -
        if (next === '>') return this.#emit(T.IN_EDGE, 2);
        if (next === '=') return this.#emit(T.DELETES, 2);
        return this.#lexMinus(next);
      case 43: // +
        if (next === '=') return this.#emit(T.APPENDS, 2);
        return next === '>' ? this.#emit(T.PARROW, 2) : this.#emit(T.PLUS, 1);
      case 33: // !
        if (next === '=') return this.#emit(T.NOTEQUAL, 2);
        return next === '~' ? this.#emit(T.NOMATCH, 2) : this.#emit(T.NOT, 1);
      case 126: // ~
        return next === '>' ? this.#emit(T.IN_EDGE_SUB, 2) : this.#emit(T.TILDE, 1);
      case 124: // |
        if (next !== '>') return this.#emit(T.PIPE, 1);
        return this.#source[this.#pos + 2] === '>' ? this.#emit(T.RRCOLLECT, 3) : this.#emit(T.RCOLLECT, 2);
      case 60: // <
        return this.#lexLess(next);
      case 62: // >
        if (next === '>') return this.#emit(T.RSHIFT, 2);
        return next === '=' ? this.#emit(T.GREATEREQUAL, 2) : this.#emit(T.GREATERTHAN, 1);
      default:
        return this.#lexOther();
    }
  }

  #lexLess(next: string | undefined) {
    switch (next) {
      case '<':
        return this.#source[this.#pos + 2] === '|' ? this.#emit(T.LLCOLLECT, 3) : this.#emit(T.LSHIFT, 2);
      case '=':
        return this.#emit(T.LESSEQUAL, 2);
      case '|':
        return this.#emit(T.LCOLLECT, 2);
      case '-':
        return this.#emit(T.OUT_EDGE, 2);
      case '~':
        return this.#emit(T.OUT_EDGE_SUB, 2);
      default:
        return this.#emit(T.LESSTHAN, 1);
    }
  }

  #lexMinus(next: string | undefined) {
    if (this.#eppMode === 'none' || next !== '%' || this.#source[this.#pos + 2] !== '>') return this.#emit(T.MINUS, 1);
    const before = this.#pos;
    this.#pos += 3;
    if (this.#eppMode === 'expression') this.#pushToken(T.EPP_END_TRIM, before, 3);
    this.#eppText(true);
  }

  #lexPercent() {
    if (this.#eppMode === 'none' || this.#source[this.#pos + 1] !== '>') return this.#emit(T.MODULO, 1);
    const before = this.#pos;
    this.#pos += 2;
    if (this.#eppMode === 'expression') this.#pushToken(T.EPP_END, before, 2);
    this.#eppMode = 'text';
    this.#eppText(false);
  }

  #lexAt() {
    const next = this.#source[this.#pos + 1];
    if (next === '@') return this.#emit(T.ATAT, 2);
    return next === '(' ? this.#readHeredocSpec() : this.#emit(T.AT, 1);
  }

  #lexOther() {
    const code = this.#source.charCodeAt(this.#pos);
    if (isBlank(code)) return this.#skipBlank();
    const isPair = code >= 0xd800 && code < 0xdc00;
    this.#emitText(T.OTHER, this.#pos + (isPair ? 2 : 1), '');
  }

  #skipBlank(): void {
    const source = this.#source;
    let at = this.#pos;
    let code = source.charCodeAt(at);
    while (code === 32 || code === 13 || isBlank(code)) code = source.charCodeAt(++at);
    this.#setMatch(at > this.#pos ? this.#pos : NO_MATCH, at);
    this.#pos = at;
  }

  #lexNewline(): void {
    this.#pos = this.#newlineJump >= 0 ? this.#newlineJump : this.#pos + 1;
    this.#newlineJump = -1;
    this.#lineStart = this.#pos;
  }

  #skipComment(): void {
    const newline = this.#source.indexOf('\n', this.#pos);
    this.#pos = newline < 0 ? this.#source.length : newline;
  }

  #lexSlash() {
    const source = this.#source;
    const from = this.#pos;
    if (source[from + 1] === '*') {
      const close = source.indexOf('*/', from + 2);
      if (close < 0) this.#fail(ISSUES.UNCLOSED_MLCOMMENT());
      this.#pos = close + 2;
      return;
    }
    const end = this.#allowsRegexp() ? regexpEnd(source, from) : -1;
    if (end < 0) return this.#emit(T.DIV, 1);
    const pattern = source.slice(from + 1, end - 1).replaceAll('\\/', '/');
    const problem = rubyRegexpProblem(pattern);
    if (problem !== null) throw new PuppetError(problem);
    this.#setMatch(from, end);
    this.#emitText(T.REGEX, end, pattern);
  }

  /** Whether a `/` starts a regular expression here, not a division. */
  #allowsRegexp(): boolean {
    switch (this.#after) {
      case T.RPAREN:
      case T.RBRACK:
      case T.RRCOLLECT:
      case T.RCOLLECT:
      case T.NAME:
      case T.CLASSREF:
      case T.NUMBER:
      case T.STRING:
      case T.BOOLEAN:
      case T.DQPRE:
      case T.DQMID:
      case T.DQPOST:
      case T.HEREDOC:
      case T.REGEX:
      case T.VARIABLE:
      case T.WORD:
        return false;
      default:
        return true;
    }
  }

  #isAfterSpace(): boolean {
    if (this.#pos === 0) return true;
    const code = this.#source.charCodeAt(this.#pos - 1);
    return code === 32 || code === NEWLINE || code === 13 || isBlank(code);
  }

  #isFirstOnLine(): boolean {
    for (let at = this.#pos - 1; at >= this.#lineStart; at--) {
      const code = this.#source.charCodeAt(at);
      if (code !== 13 && !isBlank(code)) return false;
    }
    return true;
  }

  #bareWord() {
    const source = this.#source;
    const from = this.#pos;
    let isName = source.charCodeAt(from) !== 95;
    let at = from;
    for (;;) {
      let end = at + 1;
      let code = source.charCodeAt(end);
      while (WORD[code] === 1) code = source.charCodeAt(++end);
      if (code === DASH) {
        const dashed = findDashedEnd(source, end);
        if (dashed > end) isName = false;
        end = dashed;
      }
      at = end;
      if (source.charCodeAt(end) !== COLON || source.charCodeAt(end + 1) !== COLON) break;
      const start = source.charCodeAt(end + 2);
      if (!isBareWordStart(start)) break;
      if (start === 95) isName = false;
      at = end + 2;
    }
    this.#setMatch(from, at);
    const text = source.slice(from, at);
    if (!isName) return this.#emitText(T.WORD, at, text);
    const keyword = KEYWORDS.get(text) ?? (this.#tasks ? TASK_KEYWORDS.get(text) : undefined);
    this.#emitText(keyword ?? T.NAME, at, text);
  }

  /** Reads `::name` or `::Name`. */
  #lexQualified() {
    const source = this.#source;
    const from = this.#pos;
    const start = source.charCodeAt(from + 2);
    if (isUpper(start)) {
      const end = classReferenceEnd(source, from);
      if (source.startsWith('::', end)) {
        this.#pos = end + 3;
        this.#fail(ISSUES.ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE());
      }
      this.#setMatch(from, end);
      return this.#emitText(T.CLASSREF, end, source.slice(from, end));
    }
    if (!isBareWordStart(start)) {
      this.#pos = from + 2;
      this.#fail(ISSUES.ILLEGAL_FULLY_QUALIFIED_NAME());
    }
    this.#pos = from + 2;
    this.#bareWord();
    const last = this.#tokens.count - 1;
    const isWordToken = start === 95 || this.#tokens.kinds[last] === T.WORD;
    this.#tokens.truncate(last);
    this.#setMatch(from, this.#pos);
    const end = this.#pos;
    this.#pos = from;
    this.#emitText(isWordToken ? T.WORD : T.NAME, end, source.slice(from, end));
  }

  #classReference(): void {
    const end = classReferenceEnd(this.#source, this.#pos);
    if (this.#source.startsWith('::', end)) {
      this.#pos = end + 1;
      this.#fail(ISSUES.ILLEGAL_CLASS_REFERENCE());
    }
    this.#setMatch(this.#pos, end);
    this.#emitText(T.CLASSREF, end, this.#source.slice(this.#pos, end));
  }

  #lexVariable() {
    const end = variableEnd(this.#source, this.#pos + 1);
    if (end < 0) {
      this.#setMatch(NO_MATCH, NO_MATCH);
      return this.#emitText(T.VARIABLE, this.#pos + 1, '');
    }
    this.#setMatch(this.#pos, end);
    this.#emitText(T.VARIABLE, end, this.#source.slice(this.#pos + 1, end));
  }

  #lexNumber(): void {
    const end = numberEnd(this.#source, this.#pos);
    if (end < 0) {
      const { text, start } = invalidNumberAt(this.#source, this.#pos);
      const issue = numberIssue(text);
      if (issue) this.#fail(issue, start);
      this.#fail(ISSUES.ILLEGAL_NUMBER({ value: text }), start + 1);
    }
    const text = this.#source.slice(this.#pos, end);
    const issue = numberIssue(text);
    if (issue) this.#fail(issue, this.#pos);
    this.#setMatch(this.#pos, end);
    this.#emitText(T.NUMBER, end, text);
  }

  #singleQuoted(): void {
    const source = this.#source;
    const from = this.#pos + 1;
    let at = quoteBehindQuote(source, from, SINGLE_QUOTE);
    let code = source.charCodeAt(at);
    while (at < source.length && code !== SINGLE_QUOTE) {
      at += code === BACKSLASH ? 2 : 1;
      code = source.charCodeAt(at);
    }
    if (at >= source.length) {
      this.#pos = from;
      this.#fail(ISSUES.UNCLOSED_QUOTE({ after: `"'"`, followedBy: this.#describeFollowing() }));
    }
    this.#setMatch(slurpMatchStart(source, from, at), at + 1);
    this.#emitText(T.STRING, at + 1, unescapeSingleQuoted(source.slice(from, at)));
  }

  #doubleQuoted(): void {
    const before = this.#pos;
    this.#pos++;
    this.#setMatch(before, this.#pos);
    const first = this.#tokens.count;
    this.#lexInterpolated(null, before);
    if (this.#tokens.count === first + 1) this.#after = T.STRING;
  }

  /**
   * Reads a double-quoted string after its opening quote, or a heredoc's text, with all its
   * interpolations.
   */
  #lexInterpolated(spec: HeredocSpec | null, start = this.#pos) {
    let before = start;
    let prefix: number = T.DQPRE;
    for (;;) {
      const text = this.#literalPart(spec);
      const terminator = this.#terminator;
      const after = this.#pos;
      if (terminator === '"' || terminator === '') {
        return this.#pushToken(prefix === T.DQPRE ? T.STRING : T.DQPOST, before, this.#pos - before, text);
      }
      if (terminator === '${') {
        this.#pushToken(prefix, before, this.#pos - before, text);
        const outer = this.#braces++;
        this.#lexInterpolation(outer);
      } else {
        const name = this.#pos;
        const end = variableEnd(this.#source, name);
        this.#setMatch(name, end);
        this.#pushToken(prefix, before, after - before - 1, text);
        this.#pushToken(T.VARIABLE, after - 1, end - after + 1, this.#source.slice(name, end));
        this.#pos = end;
      }
      prefix = T.DQMID;
      before = this.#pos;
    }
  }

  /**
   * Reads text up to the closing quote or the next interpolation, and sets `#terminator`. A `$`
   * that starts no variable is text.
   */
  #literalPart(spec: HeredocSpec | null): string {
    let text = this.#slurp(spec);
    while (this.#terminator === '$' && variableEnd(this.#source, this.#pos) < 0) {
      this.#setMatch(NO_MATCH, NO_MATCH);
      text += `$${this.#slurp(spec)}`;
    }
    return text;
  }

  #slurp(spec: HeredocSpec | null): string {
    const from = this.#pos;
    const at = spec ? this.#heredocPartEnd(spec) : this.#findQuotedPartEnd();
    if (at < 0) {
      const last = this.#matchStart < 0 ? '' : this.#source.slice(this.#matchStart, this.#matchEnd);
      const after = last === "'" ? `"'"` : `'${last}'`;
      this.#fail(ISSUES.UNCLOSED_QUOTE({ after, followedBy: this.#describeFollowing() }));
    }
    const terminator = this.#terminatorAt(at, spec);
    this.#terminator = terminator;
    this.#pos = at + terminator.length;
    this.#setMatch(slurpMatchStart(this.#source, from, at), this.#pos);
    const text = this.#source.slice(from, at);
    // An escape may overlap the terminator of the text.
    return text.includes('\\') ? this.#unescape(this.#source.slice(from, this.#pos), terminator.length, spec) : text;
  }

  #unescape(raw: string, terminatorLength: number, spec: HeredocSpec | null): string {
    const escapes = spec?.escapes ?? DOUBLE_QUOTED_ESCAPES;
    const text = unescapeText(raw, escapes, (char) => this.#warnOfEscape(char, spec));
    return terminatorLength === 0 ? text : text.slice(0, -terminatorLength);
  }

  #terminatorAt(at: number, spec: HeredocSpec | null): Terminator {
    if (at >= this.#source.length) return '';
    if (this.#source.charCodeAt(at) === DOUBLE_QUOTE && !spec) return '"';
    return this.#source.charCodeAt(at + 1) === BRACE ? '${' : '$';
  }

  #findQuotedPartEnd(): number {
    const source = this.#source;
    let at = quoteBehindQuote(source, this.#pos, DOUBLE_QUOTE);
    for (;;) {
      const code = source.charCodeAt(at);
      if (code === DOUBLE_QUOTE || code === DOLLAR) return at;
      if (at >= source.length) return -1;
      at += code === BACKSLASH ? 2 : 1;
    }
  }

  #heredocPartEnd({ interpolates, escapes }: HeredocSpec): number {
    const source = this.#source;
    if (!interpolates) return source.length;
    let at = this.#pos;
    while (at < source.length && source.charCodeAt(at) !== DOLLAR) {
      at += escapes.has('$') && source.charCodeAt(at) === BACKSLASH ? 2 : 1;
    }
    return Math.min(at, source.length);
  }

  /**
   * Reads the tokens of `${…}` up to its closing brace. A single or leading word, number or keyword
   * is read as a variable.
   */
  #lexInterpolation(outerBraces: number): void {
    const tokens = this.#tokens;
    const from = tokens.count;
    this.#skipBlank();
    while (this.#pos < this.#source.length) {
      const before = tokens.count;
      this.#step();
      if (tokens.count === before) {
        this.#skipBlank();
        continue;
      }
      const last = tokens.count - 1;
      if (tokens.kinds[last] !== T.RBRACE || this.#braces !== outerBraces) continue;
      tokens.truncate(last);
      const followedBy = tokens.kinds[from + 1];
      const isPath = last > from + 1 && (followedBy === T.DOT || followedBy === T.LBRACK);
      if ((last === from + 1 || isPath) && mayBecomeVariable(tokens.kinds[from] ?? T.END)) tokens.becomeVariable(from);
      return;
    }
  }

  #readHeredocSpec(): void {
    const source = this.#source;
    const before = this.#pos;
    const close = source.indexOf(')', before);
    if (close < 0) this.#fail(ISSUES.HEREDOC_UNCLOSED_PARENTHESIS({ followedBy: this.#describeFollowing() }));
    this.#pos = close + 1;
    const spec = parseHeredocSpec(source.slice(before, close + 1));
    if ('text' in spec) throw this.#createError(spec, this.#pos);
    this.#pushToken(T.HEREDOC, before, this.#pos - before, spec.syntax);
    const resume = this.#pos;
    this.#readHeredocText(spec);
    this.#pos = resume;
  }

  #readHeredocText(spec: HeredocSpec): void {
    const source = this.#source;
    if (this.#newlineJump >= 0) {
      this.#pos = this.#newlineJump;
    } else {
      const newline = source.indexOf('\n', this.#pos);
      if (newline < 0) this.#fail(ISSUES.HEREDOC_WITHOUT_TEXT());
      this.#pos = newline + 1;
    }
    const start = this.#pos;
    const found = heredocText(source, start, spec.endtag);
    if (!found) this.#fail(ISSUES.HEREDOC_WITHOUT_END_TAGGED_LINE(), start);
    this.#newlineJump = found.end;
    const space = new HeredocSpace(this.#space, start, found);
    this.#pushToken(T.SUBLOCATE, start, found.end - start, '');
    new Lexer(found.text, this.#locator, this.#tokens, this.#tasks).readHeredoc(spec, space, this.#stepStart);
  }

  #startEpp(): void {
    this.#eppMode = 'text';
    this.#pushToken(T.EPP_START, 0, 0, '');
    this.#eppText(false);
  }

  #eppText(skipLeading: boolean): void {
    const before = this.#pos;
    const part = scanEppText(this.#source, before, skipLeading);
    this.#pos = part.end;
    if ('issue' in part) this.#fail(part.issue);
    if (part.text !== null && (part.text.length > 0 || part.mode === 'end')) {
      this.#pushToken(T.RENDER_STRING, before, this.#pos - before, part.text);
    }
    if (part.mode === 'expression') this.#pushToken(T.RENDER_EXPR, before, 0, '');
    this.#eppOpen = part.mode !== 'end';
    if (part.mode !== 'end') this.#eppMode = part.mode;
  }

  /** Adds a token whose text is the source text, and moves behind it. */
  #emit(kind: number, length: number): void {
    const text = this.#space ? this.#source.slice(this.#pos, this.#pos + length) : undefined;
    this.#tokens.add(kind, this.#pos, length, text);
    this.#pos += length;
    this.#after = kind;
  }

  #emitText(kind: number, end: number, text: string): void {
    this.#tokens.add(kind, this.#pos, end - this.#pos, text);
    this.#pos = end;
    this.#after = kind;
  }

  /**
   * Adds a token that is part of a string, heredoc or template. It does not change the token before
   * the next one (`#after`).
   */
  #pushToken(kind: number, offset: number, length: number, text?: string): void {
    this.#tokens.add(kind, offset, length, text);
  }

  #setMatch(start: number, end: number): void {
    this.#matchStart = start;
    this.#matchEnd = end;
  }

  #describeFollowing(): string {
    if (this.#pos >= this.#source.length) return '<eof>';
    const five = [...this.#source.slice(this.#pos, this.#pos + 10)].slice(0, 5).join('');
    return `${five}...`.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  }

  #warnOfEscape(char: string | null, spec: HeredocSpec | null): void {
    if (spec) {
      // Differs from Puppet: Puppet crashes on a malformed \u in a heredoc while it determines the
      // place for the warning.
      if (char === null) this.#fail(ISSUES.ILLEGAL_UNICODE_ESCAPE());
      return;
    }
    const { text: message, code } =
      char === null ? ISSUES.ILLEGAL_UNICODE_ESCAPE() : ISSUES.UNRECOGNIZED_ESCAPE({ char });
    const entry = { level: 'warning', message, issueCode: code, ...this.#findLocation(this.#pos) } as const;
    this.#tokens.warnings.push({ token: this.#stepStart, entry });
  }

  #findLocation(offset: number): { file: string | undefined; line: number; pos: number } {
    const at = this.#space ? this.#space.toSource(offset, 0) : offset;
    return {
      file: this.#locator.file || undefined,
      line: this.#locator.lineAt(at),
      pos: this.#locator.columnAt(at),
    };
  }

  #createError(issue: Issue, offset: number): PuppetError {
    return new PuppetError(issue, this.#findLocation(offset));
  }

  #fail(issue: Issue, offset = this.#pos): never {
    throw this.#createError(issue, offset);
  }
}

/** The end of a word that continues with dashes at `from`; trailing dashes are not part of it. */
function findDashedEnd(source: string, from: number): number {
  let at = from;
  while (isWord(source.charCodeAt(at)) || source.charCodeAt(at) === DASH) at++;
  while (source.charCodeAt(at - 1) === DASH) at--;
  return at;
}

function classReferenceEnd(source: string, from: number): number {
  let at = from;
  for (;;) {
    const start = source.startsWith('::', at) ? at + 2 : at;
    if (!isUpper(source.charCodeAt(start))) return at;
    at = start + 1;
    while (isWord(source.charCodeAt(at))) at++;
  }
}

/** The end of a variable's name, `(::)?(\w+::)*\w+`; -1 when there is none. */
function variableEnd(source: string, from: number): number {
  let at = source.startsWith('::', from) ? from + 2 : from;
  let end = -1;
  for (;;) {
    const start = at;
    while (WORD[source.charCodeAt(at)] === 1) at++;
    if (at === start) return end;
    end = at;
    if (source.charCodeAt(at) !== COLON || source.charCodeAt(at + 1) !== COLON) return end;
    at += 2;
  }
}

/** The end of a regular expression that starts at `from`; -1 when there is none. */
function regexpEnd(source: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const close = source.indexOf('/', at);
    if (close < 0) return -1;
    let backslashes = 0;
    while (close - backslashes - 1 > from && source.charCodeAt(close - backslashes - 1) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return close + 1;
    at = close + 1;
  }
}

/**
 * Returns the start of the search for the end of a string's text. Puppet: a quote that directly
 * ends the text is part of it when another terminator follows, slurp_support.rb.
 */
function quoteBehindQuote(source: string, from: number, quote: number): number {
  if (source.charCodeAt(from) !== quote) return from;
  let at = from + 1;
  while (source.charCodeAt(at) === BACKSLASH && source.charCodeAt(at + 1) === BACKSLASH) at += 2;
  const code = source.charCodeAt(at);
  return code === quote || (code === DOLLAR && quote === DOUBLE_QUOTE) ? at : from;
}

/**
 * The start of the match of a string's end: one character and all escaped backslashes before the
 * terminator.
 */
function slurpMatchStart(source: string, from: number, terminator: number): number {
  let at = terminator;
  while (at - 2 >= from && source.charCodeAt(at - 1) === BACKSLASH && source.charCodeAt(at - 2) === BACKSLASH) at -= 2;
  return at > from ? at - 1 : at;
}
