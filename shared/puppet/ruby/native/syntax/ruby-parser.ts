/**
 * Parses the part of Ruby that most templates use. Everything else, and everything ambiguous, is a
 * Fallback. Follows the grammar of Ruby 3.2 (parse.y) in order of precedence.
 */
import { MARK } from '../erb-program.ts';
import { fallBack } from '../fallback.ts';
import type { RubyBlockNode, RubyNode, RubyTarget } from './ruby-ast.ts';
import { NIL, RubyControl } from './ruby-control.ts';
import {
  AMBIGUOUS,
  ASSIGNMENT,
  BINARY_OPERATORS,
  COMMAND_ARGUMENT,
  EQUALITY,
  LABEL,
  LABEL_ALONE,
  MULTIPLE,
  OPERATOR,
  RANGE,
  RESERVED,
} from './ruby-grammar.ts';
import {
  bareHash,
  createBinary,
  createBranch,
  createCall,
  FILE_PATH,
  hasBareLiteral,
  isJump,
  LOAD_PATH,
  type RubyItem,
  toTarget,
} from './ruby-nodes.ts';
import { markTextBuilding } from './text-building.ts';

interface ParsedRuby {
  readonly body: RubyNode;
  /** Number of local variables at the outermost level. */
  readonly slots: number;
}

/**
 * Parses Ruby code. `isFile`: whether it is a Ruby file, which may contain modules, methods in
 * blocks, and blocks that act as methods.
 */
export function parseRuby(source: string, isFile = false): ParsedRuby {
  const parser = new RubyParser(source, isFile);
  const body = parser.parseProgram();
  markTextBuilding(body, FREEZES_LITERALS.test(source));
  return { body, slots: parser.slots };
}

/** The comment that freezes the literals of a file. A text that only looks so does no harm. */
const FREEZES_LITERALS = /frozen[_-]string[_-]literal\s*:\s*true/i;

class RubyParser extends RubyControl {
  parseProgram(): RubyNode {
    const body = this.parseStatements();
    if (this.in.char !== '') fallBack(`what is no statement at ${JSON.stringify(this.parseRest())}`);
    return body;
  }

  /** Parses statements up to a token that cannot start one. */
  protected parseStatements(): RubyNode {
    const body: RubyNode[] = [];
    this.in.skipTerminators();
    while (!this.#isAtClose()) {
      body.push(this.#parseStatement());
      if (!this.in.isAtEnd() && !this.#isAtClose())
        fallBack(`what is no end of a statement at ${JSON.stringify(this.parseRest())}`);
      this.in.skipTerminators();
    }
    const [only] = body;
    return body.length === 1 && only ? only : body.length === 0 ? NIL : { kind: 'sequence', body };
  }

  #isAtClose(): boolean {
    const char = this.in.char;
    if (char === '' || char === ')' || char === '}' || char === ']') return true;
    return ['end', 'else', 'elsif', 'when', 'rescue', 'ensure', 'in'].some((word) => this.in.looksAtWord(word));
  }

  // stmt: expr (modifier expr)*
  #parseStatement(): RubyNode {
    let statement =
      this.in.char === MARK ? this.#parseMarker() : (this.#parseMultipleAssignment() ?? this.parseExpression());
    for (;;) {
      this.in.skipBlanks();
      if (this.in.takeWord('if')) statement = createBranch(this.parseCondition(), statement, NIL);
      else if (this.in.takeWord('unless')) statement = createBranch(this.parseCondition(), NIL, statement);
      else if (this.in.looksAtWord('rescue')) statement = this.#withRescue(statement);
      else return statement;
    }
  }

  /** Parses `... rescue value`. */
  #withRescue(body: RubyNode): RubyNode {
    // Ruby assigns the rescue value.
    if (body.kind === 'multipleAssign') fallBack('rescue behind targets');
    if (!this.in.takeWord('rescue')) return body;
    this.in.skipLines();
    return { kind: 'rescue', body, clauses: [{ classes: [], target: null, body: this.parseArgument() }] };
  }

  #parseMarker(): RubyNode {
    this.in.expect(MARK);
    const text = this.in.take(/\d+/y);
    if (text) return { kind: 'text', index: Number(text[0]) };
    this.in.expect('((');
    const value = this.parseStatements();
    this.in.expect('))');
    return { kind: 'output', value };
  }

  // mlhs '=' (arg | arg ',' arg ...)
  #parseMultipleAssignment(): RubyNode | null {
    if (!this.in.looksAt(MULTIPLE)) return null;
    const targets: RubyTarget[] = [];
    do {
      this.in.skipBlanks();
      const name = (this.in.take(/@?[a-z_]\w*(?![?!\w])/y) ?? fallBack('a target of an assignment'))[0];
      targets.push(this.targetOf(name));
      this.in.skipBlanks();
    } while (this.in.takeText(','));
    this.in.skipBlanks();
    this.in.expect('=');
    const values = [this.#parseItem()];
    while (this.takeComma()) values.push(this.#parseItem());
    return { kind: 'multipleAssign', targets, values: bareHash(values) };
  }

  protected takeComma(): boolean {
    this.in.skipBlanks();
    if (!this.in.takeText(',')) return false;
    this.in.skipLines();
    return true;
  }

  // expr: not-expr (('and' | 'or') not-expr)*
  protected parseExpression(): RubyNode {
    let left = this.#parseNot();
    for (;;) {
      this.in.skipBlanks();
      const kind = this.in.takeWord('and') ? 'and' : this.in.takeWord('or') ? 'or' : null;
      if (kind === null) return left;
      this.in.skipLines();
      left = { kind, left, right: this.#parseNot() };
    }
  }

  #parseNot(): RubyNode {
    this.in.skipBlanks();
    if (this.in.takeWord('not')) {
      this.refuseCompound('not');
      const value = this.#parseNot();
      if (hasBareLiteral(value)) fallBack('a literal as condition');
      if (value.kind === 'sequence' && value.body.length > 1) fallBack('statements behind not');
      return { kind: 'not', value };
    }
    return this.parseArgument(true);
  }

  /**
   * Refuses code that Ruby reads differently after that word, when it starts with a word or a
   * brace.
   */
  protected refuseCompound(word: string): void {
    if (this.in.looksAt(/\s*(?:\{|(?:if|unless|case|begin|def|not)\b)/y)) fallBack(`what stands behind ${word}`);
  }

  /** Parses a condition and its terminator. */
  protected parseCondition(): RubyNode {
    this.in.skipLines();
    const condition = this.parseExpression();
    // Ruby matches a literal pattern against the last line read, and treats an integer range as a
    // flip-flop.
    if (hasBareLiteral(condition)) fallBack('a literal as condition');
    return condition;
  }

  // arg: lhs assignment-operator arg | ternary. `isCommand`: a call without parentheses around its
  // arguments may stand here.
  protected parseArgument(isCommand = false): RubyNode {
    this.in.skipBlanks();
    const start = this.in.position;
    const declared = this.#parseLocalAssignment(isCommand);
    if (declared) return declared;
    const left = this.parseTernary(isCommand);
    const target = this.#isConstant(left) ? left : toTarget(left);
    const operator = target && this.in.looksAt(ASSIGNMENT)?.[1];
    if (!target || !operator) return left;
    if (/^[!~+\-(]/.test(this.in.source.slice(start))) fallBack('an assignment behind an operator');
    this.in.take(ASSIGNMENT);
    return this.#assign(target, operator, isCommand);
  }

  /** Whether the node is a constant that a file's code may set; a method may not. */
  #isConstant(node: RubyNode): node is RubyNode & { readonly kind: 'constant' } {
    return this.isFile && !this.isInDefinition && node.kind === 'constant' && !node.name.includes('::');
  }

  /** Parses `name = ...`. The variable exists from its name on. */
  #parseLocalAssignment(isCommand: boolean): RubyNode | null {
    const match = this.in.looksAt(/([a-z_]\w*)(?![?!\w])/y);
    const name = match?.[1];
    if (!match || name === undefined || RESERVED.has(name)) return null;
    const start = this.in.position;
    this.in.position += match[0].length;
    const operator = this.in.take(ASSIGNMENT)?.[1];
    if (operator === undefined) {
      this.in.position = start;
      return null;
    }
    return this.#assign(this.targetOf(name), operator, isCommand);
  }

  #assign(target: RubyTarget, operator: string, isCommand: boolean): RubyNode {
    this.in.skipLines();
    const given = this.parseArgument(isCommand);
    this.in.skipBlanks();
    if (this.in.char === ',' && isCommand) fallBack('a list on the right side of an assignment');
    const value = this.#withRescue(given);
    if (operator === '=') return { kind: 'assign', target, value };
    return { kind: 'operatorAssign', target, operator: operator.slice(0, -1), value };
  }

  // ternary: range ('?' ternary ':' ternary)?
  protected parseTernary(isCommand: boolean): RubyNode {
    const condition = this.#parseBinary(RANGE, isCommand);
    this.in.skipBlanks();
    if (this.in.char !== '?') return condition;
    this.in.position += 1;
    if (!this.in.isBlankAt(0) && this.in.isBlankAt(1)) fallBack('a character literal');
    this.in.skipLines();
    const text = this.takeTextBeforeColon();
    const consequence = text ?? this.parseArgument();
    this.in.skipLines();
    this.in.expect(':');
    if (!text && !this.in.isBlankAt(0)) fallBack('what may be a symbol');
    this.in.skipLines();
    const alternative = this.parseArgument();
    if (hasBareLiteral(condition)) fallBack('a literal as condition');
    return createBranch(condition, consequence, alternative);
  }

  #parseBinary(level: number, isCommand: boolean): RubyNode {
    if (level === BINARY_OPERATORS.length) return this.#parseUnary(isCommand);
    let left = this.#parseBinary(level + 1, isCommand);
    let count = 0;
    for (;;) {
      const operator = this.#operatorAt(level);
      if (operator === null) return left;
      if (this.isCommandCall) fallBack('an operator behind a call without parentheses');
      // These two operators do not chain.
      if (count > 0 && (level === EQUALITY || level === RANGE)) fallBack('a chain of comparisons');
      count += 1;
      this.in.skipLines();
      left = createBinary(operator, left, this.#parseBinary(level + 1, false));
    }
  }

  #operatorAt(level: number): string | null {
    this.in.skipBlanks();
    const operator = this.in.looksAt(OPERATOR)?.[0];
    if (operator === undefined || !BINARY_OPERATORS[level]?.includes(operator)) return null;
    if (this.in.source.startsWith('**', this.in.position)) return null;
    if (/^(?:\|\||&&|<<|>>|\*\*)=(?![=~])/.test(this.in.source.slice(this.in.position, this.in.position + 4)))
      return null;
    this.in.position += operator.length;
    if (operator === '..' || operator === '...') {
      this.in.skipBlanks();
      if (this.in.isAtEnd()) fallBack('an endless range');
    }
    return operator;
  }

  // unary: ('!' | '-' | '+') unary | power
  #parseUnary(isCommand: boolean): RubyNode {
    this.in.skipBlanks();
    if (this.in.char === '!') {
      this.in.position += 1;
      const value = this.#parseUnary(isCommand);
      if (hasBareLiteral(value)) fallBack('a literal as condition');
      return { kind: 'not', value };
    }
    if (this.in.takeText('->')) return this.#parseLambda();
    if (this.in.char === '-') {
      const number = /\d/.test(this.in.source.charAt(this.in.position + 1));
      this.in.position += 1;
      const value = this.#parseUnary(false);
      if (value.kind === 'integer') return { kind: 'integer', value: -value.value };
      if (value.kind === 'float') return { kind: 'float', value: -value.value };
      if (number) fallBack('a negative number before a point or a power');
      return createCall(value, '-@', []);
    }
    return this.#parsePower(isCommand);
  }

  // lambda: '->' '(' name ')' block
  #parseLambda(): RubyNode {
    const name = this.in.take(/\(([a-z]\w*)\)/y)?.[1] ?? fallBack('the parameters of a lambda');
    return { kind: 'lambda', code: this.parseBlock(false, name) ?? fallBack('a lambda without code') };
  }

  #parsePower(isCommand: boolean): RubyNode {
    const base = this.#parsePostfix(isCommand);
    this.in.skipBlanks();
    if (!this.in.looksAt(/\*\*(?!=)/y)) return base;
    if (this.isCommandCall) fallBack('an operator behind a call without parentheses');
    this.in.position += 2;
    this.in.skipLines();
    return createCall(base, '**', [this.#parseUnary(false)]);
  }

  // postfix: primary ('.' name arguments? | '[' ... ']' | '::' Name)*
  #parsePostfix(isCommand: boolean): RubyNode {
    let node = this.#parsePrimary(isCommand);
    if (isJump(node) && !this.#endsJump()) fallBack(`what follows ${node.kind}`);
    for (;;) {
      if (this.isCommandCall) return node;
      const start = this.in.position;
      if (this.in.take(/[ \t\r]*(?:(?:#[^\n]*)?\n[ \t]*(?:#[^\n]*\n[ \t]*)*)?(&?\.)(?!\.)/y)) {
        const isSafe = this.in.source.charAt(this.in.position - 2) === '&';
        this.in.skipLines();
        node = this.#parseMethod(node, isSafe, isCommand);
      } else if (this.in.char === '[') {
        this.in.position += 1;
        node = createCall(node, '[]', this.#parseList(']'));
      } else if (this.in.looksAt(/::/y)) {
        const name = node.kind === 'constant' ? this.in.take(/::([A-Z]\w*)(?![\w(])/y)?.[1] : undefined;
        if (node.kind !== 'constant' || name === undefined) fallBack('a name behind ::');
        node = { kind: 'constant', name: `${node.name}::${name}` };
      } else {
        this.in.position = start;
        return node;
      }
    }
  }

  #parseMethod(receiver: RubyNode, isSafe: boolean, isCommand: boolean): RubyNode {
    const name = (this.in.take(/[a-zA-Z_]\w*(?:[?!](?!=(?![=~>])))?/y) ?? fallBack('a method without a name'))[0];
    // An attribute assignment.
    if (this.in.looksAt(ASSIGNMENT) && !this.in.looksAt(/[ \t]+[*&%/-](?!=)/y))
      fallBack('an assignment to an attribute');
    return this.#parseArguments({ receiver, name, isSafe }, isCommand);
  }

  #parseArguments(
    { receiver, name, isSafe }: { receiver: RubyNode | null; name: string; isSafe: boolean },
    isCommand: boolean,
  ): RubyNode {
    let args: readonly RubyNode[] = [];
    let block: RubyBlockNode | null = null;
    let hasCommandArguments = false;
    if (this.in.takeText('(')) {
      args = this.#parseList(')');
      block = this.#takeSymbolBlock();
    } else if (this.in.looksAt(AMBIGUOUS)) {
      fallBack(`what stands behind ${name}`);
    } else if (this.#isCommandArgumentNext(name)) {
      if (!isCommand) fallBack(`a call of ${name} without parentheses`);
      hasCommandArguments = true;
      args = this.parseCommandArguments();
    }
    const given: RubyBlockNode | null = this.parseBlock(hasCommandArguments);
    if (given && block) fallBack('two blocks');
    this.isCommandCall = hasCommandArguments && given === null;
    if (hasCommandArguments && !given && !this.#endsCommand()) fallBack(`what follows a call of ${name}`);
    return { kind: 'call', receiver, name, args, block: given ?? block, isSafe };
  }

  #isCommandArgumentNext(name: string): boolean {
    if (/[?!]$/.test(name) && this.in.looksAt(/[a-z_]\w*(?![\w?!:])|['"@]/y)) return true;
    if (!this.in.looksAt(COMMAND_ARGUMENT)) return false;
    const word = this.in.looksAt(/[ \t]+([a-z_]\w*[?!]?)/y)?.[1];
    return word === undefined || !RESERVED.has(word) || ['true', 'false', 'nil', 'self', 'not'].includes(word);
  }

  protected parseCommandArguments(): readonly RubyNode[] {
    const isOuterCommand = this.isInCommand;
    this.isInCommand = true;
    const args = this.parseJumpArguments();
    this.isInCommand = isOuterCommand;
    return args;
  }

  /** Parses the values of a jump. A `do` behind one with parentheses belongs to it. */
  protected parseJumpArguments(): readonly RubyNode[] {
    this.in.skipBlanks();
    const items = [this.#parseItem()];
    while (this.takeComma()) items.push(this.#parseItem());
    return bareHash(items);
  }

  /** Whether the expression is a jump, whose result cannot be used. */
  #endsJump(): boolean {
    return this.in.isAtEnd() || this.#isAtClose() || ['if', 'unless'].some((word) => this.in.looksAtWord(word));
  }

  /** Whether the next token cannot belong to the arguments of the call. */
  #endsCommand(): boolean {
    if (this.in.isAtEnd()) return true;
    return ['if', 'unless', 'and', 'or', 'then', 'do', 'rescue', 'end'].some((word) => this.in.looksAtWord(word));
  }

  /** Parses an argument, `*list`, or a pair of a hash without braces. */
  #parseItem(): RubyItem {
    this.in.skipBlanks();
    if (this.in.looksAt(/\*(?![*\s])/y)) {
      this.in.position += 1;
      return { kind: 'splat', value: this.parseTernary(false) };
    }
    const pair = this.#parseLabelled();
    if (pair) return pair;
    const value = this.parseArgument();
    if (!this.in.take(/\s*=>\s*/y)) return value;
    return [value, this.parseArgument()];
  }

  /** Parses `name: value`, or `name:` for the value of that variable. */
  #parseLabelled(): readonly [RubyNode, RubyNode] | null {
    const name = this.in.take(LABEL_ALONE)?.[1];
    if (name !== undefined) {
      const at = this.locals.find(name) ?? fallBack('a label for what is no variable');
      return [
        { kind: 'symbol', name },
        { kind: 'local', at },
      ];
    }
    const label = this.in.take(LABEL)?.[1];
    if (label === undefined) return null;
    this.in.skipLines();
    return [{ kind: 'symbol', name: label }, this.parseArgument()];
  }

  /** Parses a list after its opening bracket, including the closing one. */
  #parseList(close: string): readonly RubyNode[] {
    const items: RubyItem[] = [];
    this.in.skipLines();
    while (!this.in.takeText(close)) {
      if (close === ')' && this.in.char === '&') {
        this.#symbolBlock = this.#parseSymbolBlock();
        this.in.skipLines();
        this.in.expect(close);
        break;
      }
      if (this.in.char === '&' || this.in.looksAt(/\*\*/y)) fallBack('a splat');
      items.push(this.#parseItem());
      if (this.#endsList(close)) break;
      this.in.skipLines();
    }
    return bareHash(items);
  }

  /** Whether the list ends here; otherwise a comma must follow on the same line. */
  #endsList(close: string): boolean {
    this.in.skipBlanks();
    if (this.in.takeText(',')) return false;
    this.in.skipLines();
    this.in.expect(close);
    return true;
  }

  #symbolBlock: RubyBlockNode | null = null;

  #takeSymbolBlock(): RubyBlockNode | null {
    const block = this.#symbolBlock;
    this.#symbolBlock = null;
    return block;
  }

  #parseSymbolBlock(): RubyBlockNode {
    const name = this.in.take(/&:([a-z_]\w*[?!]?)(?!\w|=(?![=~>]))/y)?.[1] ?? fallBack('a block that is given');
    return { kind: 'symbolBlock', name };
  }

  #parsePrimary(isCommand: boolean): RubyNode {
    this.isCommandCall = false;
    this.in.skipBlanks();
    const reader = this.in;
    switch (reader.char) {
      case "'":
      case '"':
        return this.parseQuoted();
      case '<':
        return this.takeHeredoc() ?? fallBack('what is no value');
      case '[':
        reader.position += 1;
        return { kind: 'array', items: this.#parseList(']') };
      case '{':
        reader.position += 1;
        return this.#parseHash();
      case '(':
        return this.#parseParentheses();
      case '/':
        reader.position += 1;
        return this.parseRegexp('/', '/');
      case '%':
        return this.parsePercent();
      case ':':
        return this.parseSymbol();
      case '@':
        return { kind: 'ivar', name: reader.take(/@([a-zA-Z_]\w*)/y)?.[1] ?? fallBack('a variable of a class') };
      case '$':
        if (this.isFile && reader.takeText(LOAD_PATH)) return { kind: 'constant', name: LOAD_PATH };
        return this.parseGlobal();
      default:
        return /\d/.test(reader.char) ? this.parseNumber() : this.#parseWord(isCommand);
    }
  }

  #parseParentheses(): RubyNode {
    this.in.expect('(');
    const body = this.parseStatements();
    this.in.expect(')');
    this.isCommandCall = false;
    // Prevents the body from being treated as the left side of an assignment.
    return body.kind === 'sequence' ? body : { kind: 'sequence', body: [body] };
  }

  #parseHash(): RubyNode {
    const pairs: (readonly [RubyNode, RubyNode])[] = [];
    this.in.skipLines();
    while (!this.in.takeText('}')) {
      pairs.push(this.#parsePair());
      if (this.#endsList('}')) break;
      this.in.skipLines();
    }
    return { kind: 'hash', pairs, isBare: false };
  }

  #parsePair(): readonly [RubyNode, RubyNode] {
    const pair = this.#parseLabelled();
    if (pair) return pair;
    if (this.in.char === '*') fallBack('a splat');
    const key = this.parseArgument();
    this.in.skipLines();
    this.in.expect('=>');
    this.in.skipLines();
    return [key, this.parseArgument()];
  }

  #parseWord(isCommand: boolean): RubyNode {
    const reader = this.in;
    if (reader.takeWord('nil')) return NIL;
    if (reader.takeWord('true')) return { kind: 'true' };
    if (reader.takeWord('false')) return { kind: 'false' };
    if (reader.takeWord('self')) return { kind: 'self' };
    if (reader.takeWord('if')) return this.parseIf();
    if (reader.takeWord('unless')) return this.parseUnless();
    if (reader.takeWord('case')) return this.parseCase();
    if (reader.takeWord('while')) return this.parseLoop(false);
    if (reader.takeWord('until')) return this.parseLoop(true);
    if (this.isFile && reader.takeWord('module')) return this.parseModule();
    if (this.isFile && reader.takeWord('class')) return this.parseClass();
    if (this.isFile && reader.takeWord(FILE_PATH)) return { kind: 'constant', name: FILE_PATH };
    if (reader.takeWord('begin')) return this.parseBegin();
    if (reader.take(/defined\?(?=[ \t]+(?:[A-Z][\w:]*\)|@[a-zA-Z_]\w*[ \t]*(?:[;\n]|$)))/y))
      return { kind: 'defined', value: this.#parsePostfix(false) };
    if (reader.takeText('defined?(')) return this.#parseDefined();
    if (reader.takeWord('def')) return this.parseDefinition();
    if (reader.takeWord('return')) return this.parseJump('return');
    if (reader.takeWord('next')) return this.parseJump('next');
    if (reader.takeWord('break')) return this.parseJump('break');
    const [name] =
      reader.take(/[A-Z]\w*|[a-z_]\w*(?:[?!](?!=(?![=~>])))?/y) ??
      fallBack(`what is not known at ${JSON.stringify(this.parseRest())}`);
    if (RESERVED.has(name)) fallBack(name);
    const isConstant = /^[A-Z]/.test(name);
    const isCall =
      reader.char === '(' || (isCommand && reader.looksAt(/[ \t]+[a-z]/y) && this.#isCommandArgumentNext(name));
    if (isConstant && !isCall) return { kind: 'constant', name };
    const at = isConstant ? null : this.locals.find(name);
    if (at && reader.char !== '(') return this.#assertLocal({ kind: 'local', at });
    return this.#parseArguments({ receiver: null, name, isSafe: false }, isCommand);
  }

  /** Checks that the node is a variable; it cannot take arguments. */
  #assertLocal(node: RubyNode): RubyNode {
    if (this.in.looksAt(/:(?!:)/y)) fallBack('a label');
    return node;
  }

  #parseDefined(): RubyNode {
    this.in.skipBlanks();
    const value = this.parseExpression();
    this.in.skipBlanks();
    this.in.expect(')');
    if (!['ivar', 'local', 'constant'].includes(value.kind)) fallBack('defined? of what is no variable');
    return { kind: 'defined', value };
  }
}
