import { MARK } from '../erb-program.ts';
import { fallBack } from '../fallback.ts';
import { LocalVariables } from '../local-variables.ts';
import type {
  RubyBlockNode,
  RubyMethodParameter,
  RubyNode,
  RubyParameterList,
  RubyParameterNode,
  RubyRescue,
  RubyTarget,
} from './ruby-ast.ts';
import { ORDER, RESERVED } from './ruby-grammar.ts';
import { RubyLiterals } from './ruby-literals.ts';

/** Parses the nodes with their own variables: blocks, methods and modules. */
export abstract class RubyDefinitions extends RubyLiterals {
  /** Local variables at the current position. */
  protected locals = new LocalVariables(null);
  protected readonly isFile: boolean;
  /** Number of loops around the current position, within its method or block. */
  protected loops = 0;
  protected isInLoopCondition = false;
  /** Whether the parser is inside arguments without parentheses. */
  protected isInCommand = false;
  /** Whether the last node is a call with arguments but without parentheses. */
  protected isCommandCall = false;
  protected isInDefinition = false;
  /** Number of modules around the current position. */
  protected modules = 0;

  constructor(source: string, isFile: boolean) {
    super(source);
    this.isFile = isFile;
  }

  get slots(): number {
    return this.locals.size;
  }

  protected abstract parseTernary(isCommand: boolean): RubyNode;

  protected targetOf(name: string): RubyTarget {
    if (name.startsWith('@')) return { kind: 'ivar', name: name.slice(1) };
    if (RESERVED.has(name)) fallBack(`an assignment to ${name}`);
    return { kind: 'local', at: this.locals.declare(name) };
  }

  // block: '{' parameters? statements '}' | 'do' parameters? statements 'end'
  // `own`: the parameter of a lambda, which stands before the block.
  protected parseBlock(isBehindCommand: boolean, own: string | null = null): RubyBlockNode | null {
    const start = this.in.position;
    this.in.skipBlanks();
    const isBraces = this.in.char === '{' && !isBehindCommand;
    if (isBraces) this.in.position += 1;
    // The block belongs to the outer call or to the loop.
    else if (this.isInCommand || this.isInLoopCondition || !this.in.takeWord('do')) {
      this.in.position = start;
      return null;
    }
    const outerLoops = this.loops;
    const isOuterLoopCondition = this.isInLoopCondition;
    this.loops = 0;
    this.isInLoopCondition = false;
    const isOuterCommand = this.isInCommand;
    this.isInCommand = false;
    const outer = this.locals;
    this.locals = new LocalVariables(outer);
    this.in.skipLines();
    const items: RubyParameterNode[] = own === null ? [] : [{ kind: 'slot', slot: this.locals.declareHere(own) }];
    const parameters = this.in.takeText('|') ? this.#parseParameters() : { items, isSpread: false };
    const statements = this.parseStatements();
    const body = isBraces ? statements : this.withRescues(statements);
    if (isBraces) this.in.expect('}');
    else if (!this.in.takeWord('end')) fallBack('a block without an end');
    const slots = this.locals.size;
    this.locals = outer;
    this.isInCommand = isOuterCommand;
    this.loops = outerLoops;
    this.isInLoopCondition = isOuterLoopCondition;
    return { kind: 'block', parameters, slots, body };
  }

  #parseParameters(): RubyParameterList {
    const items: RubyParameterNode[] = [];
    let hasTrailingComma = false;
    this.in.skipLines();
    while (!this.in.takeText('|')) {
      items.push(this.#parseParameter());
      this.in.skipLines();
      if (this.in.takeText('|')) break;
      this.in.expect(',');
      this.in.skipLines();
      hasTrailingComma = this.in.char === '|';
    }
    return { items, isSpread: items.length > 1 || hasTrailingComma || items[0]?.kind === 'nested' };
  }

  #parseParameter(): RubyParameterNode {
    if (this.in.takeText('(')) {
      const items: RubyParameterNode[] = [];
      do {
        this.in.skipLines();
        items.push(this.#parseParameter());
        this.in.skipLines();
      } while (this.in.takeText(','));
      this.in.expect(')');
      return { kind: 'nested', items };
    }
    const name = (this.in.take(/[a-z_]\w*(?![\w?!:])/y) ?? fallBack('a parameter of a block'))[0];
    if (RESERVED.has(name)) fallBack(`a parameter ${name}`);
    return { kind: 'slot', slot: this.locals.declareHere(name) };
  }

  // def: 'def' name ('(' name (',' name)* ')')? statements 'end'
  protected parseDefinition(): RubyNode {
    if (this.isInDefinition || !(this.isFile || this.locals.isOutermost)) fallBack('a method within a block');
    const start = this.in.position;
    this.in.skipBlanks();
    const isOwn = this.modules > 0 && this.in.takeText('self.');
    const name = (this.in.take(/[a-z_]\w*\??(?=[ \t]*[(;\n])/y) ?? fallBack('the name of a method'))[0];
    if (RESERVED.has(name)) fallBack(`a method ${name}`);
    const outer = this.locals;
    const outerLoops = this.loops;
    this.loops = 0;
    this.locals = new LocalVariables(null);
    this.isInDefinition = true;
    this.in.skipBlanks();
    const parameters = this.in.takeText('(') ? this.#parseMethodParameters() : [];
    const body = this.withRescues(this.parseStatements());
    if (!this.in.takeWord('end')) fallBack('a method without an end');
    const slots = this.locals.size;
    this.locals = outer;
    this.loops = outerLoops;
    this.isInDefinition = false;
    this.isCommandCall = false;
    const source = `def${this.in.source.slice(start, this.in.position)}`;
    if (source.includes(MARK)) fallBack('a method that writes');
    return { kind: 'define', name, isOwn, parameters, slots, body, source };
  }

  // f_args: name* (name '=' arg)* ('*' name)? ('&' name)?
  #parseMethodParameters(): RubyMethodParameter[] {
    const parameters: RubyMethodParameter[] = [];
    this.in.skipLines();
    while (!this.in.takeText(')')) {
      if (parameters.length > 0) this.in.expect(',');
      this.in.skipLines();
      parameters.push(this.#parseMethodParameter(parameters.at(-1)?.kind ?? 'required'));
      this.in.skipLines();
    }
    return parameters;
  }

  #parseMethodParameter(before: RubyMethodParameter['kind']): RubyMethodParameter {
    const mark = this.in.take(/[*&](?=[a-z_])/y)?.[0];
    const name = (this.in.take(/[a-z_]\w*(?![\w?!:])/y) ?? fallBack('a parameter of a method'))[0];
    if (RESERVED.has(name)) fallBack(`a parameter ${name}`);
    const slot = this.locals.declareHere(name);
    const otherwise = mark === undefined && this.in.take(/[ \t]*=(?![=~>])[ \t]*/y) ? this.parseTernary(false) : null;
    const kind = mark === '*' ? 'rest' : mark === '&' ? 'block' : otherwise ? 'optional' : 'required';
    if (ORDER.indexOf(kind) < ORDER.indexOf(before) || (mark && kind === before)) fallBack('parameters in this order');
    return { kind, name, slot, otherwise };
  }

  protected parseModule(): RubyNode {
    this.in.skipBlanks();
    const [name] = this.in.take(/[A-Z]\w*(?:::[A-Z]\w*)*(?=[ \t]*[\n;#])/y) ?? fallBack('the name of a module');
    return { kind: 'module', name, body: this.#parseModuleBody() };
  }

  protected parseClass(): RubyNode {
    this.in.skipBlanks();
    const [, name = '', parent = null] =
      this.in.take(/([A-Z]\w*(?:::[A-Z]\w*)*)(?:[ \t]*<[ \t]*([A-Z]\w*(?:::[A-Z]\w*)*))?(?=[ \t]*[\n;#])/y) ??
      fallBack('the name of a class');
    return { kind: 'class', name, parent, body: this.#parseModuleBody() };
  }

  #parseModuleBody(): RubyNode {
    const outer = this.locals;
    this.locals = new LocalVariables(null);
    this.modules += 1;
    const body = this.parseStatements();
    this.modules -= 1;
    this.locals = outer;
    if (!this.in.takeWord('end')) fallBack('a module without an end');
    return body;
  }

  /** Wraps a body with its rescue and ensure clauses. */
  protected withRescues(body: RubyNode): RubyNode {
    const clauses: RubyRescue[] = [];
    while (this.in.takeWord('rescue')) clauses.push(this.#parseRescue());
    if (this.in.looksAtWord('else')) fallBack('else of rescue');
    const rescued: RubyNode = clauses.length === 0 ? body : { kind: 'rescue', body, clauses };
    return this.in.takeWord('ensure') ? { kind: 'ensure', body: rescued, end: this.parseStatements() } : rescued;
  }

  // rescue: 'rescue' (class (',' class)*)? ('=>' name)? then statements
  #parseRescue(): RubyRescue {
    const classes: RubyNode[] = [];
    const isAtName = () => this.in.looksAt(/[ \t]*=>/y) !== null || this.in.looksAtWord('then');
    while (!this.in.isAtEnd() && !isAtName()) {
      classes.push(this.#parseErrorClass());
      if (!this.in.take(/[ \t]*,\s*/y)) break;
    }
    const name = this.in.take(/[ \t]*=>[ \t]*([a-z_]\w*)(?![\w?!.[:])/y)?.[1];
    const target = name === undefined ? null : this.targetOf(name);
    if (!this.in.isAtEnd() && !this.in.takeWord('then')) fallBack('what stands behind rescue');
    return { classes, target, body: this.parseStatements() };
  }

  #parseErrorClass(): RubyNode {
    const constant = this.in.take(/[A-Z]\w*(?:::[A-Z]\w*)*(?![\w.:([])/y)?.[0];
    if (constant !== undefined) return { kind: 'constant', name: constant };
    const name = this.in.take(/\*([a-z_]\w*)(?![\w?!.:([])/y)?.[1] ?? fallBack('a class of errors');
    const at = this.locals.find(name) ?? fallBack('a list of classes of errors');
    return { kind: 'splat', value: { kind: 'local', at } };
  }
}
