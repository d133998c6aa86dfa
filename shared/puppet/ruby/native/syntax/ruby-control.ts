import { fallBack } from '../fallback.ts';
import type { RubyNode } from './ruby-ast.ts';
import { RubyDefinitions } from './ruby-definitions.ts';
import { createBranch } from './ruby-nodes.ts';

export const NIL: RubyNode = { kind: 'nil' };

/** Parses conditions, loops, jumps and rescue clauses. */
export abstract class RubyControl extends RubyDefinitions {
  protected abstract takeComma(): boolean;
  protected abstract parseExpression(): RubyNode;
  protected abstract parseArgument(): RubyNode;
  protected abstract parseCondition(): RubyNode;
  protected abstract parseJumpArguments(): readonly RubyNode[];
  protected abstract refuseCompound(word: string): void;

  protected parseJump(kind: 'next' | 'break' | 'return'): RubyNode {
    const isWithin = kind === 'return' ? this.isInDefinition || this.isFile : this.loops > 0;
    if (!isWithin && this.locals.isOutermost) fallBack(`${kind} outside a block`);
    if (kind === 'return' && !isWithin) fallBack('return in a block');
    if (this.in.isAtEnd() || this.in.looksAtWord('if') || this.in.looksAtWord('unless')) return { kind, value: null };
    // A brace behind a jump starts a hash.
    if (!this.in.looksAt(/[ \t]*\{/y)) this.refuseCompound(kind);
    const values = this.parseJumpArguments();
    const [only] = values;
    const value: RubyNode = values.length === 1 && only ? only : { kind: 'array', items: values };
    return { kind, value: value.kind === 'splat' ? { kind: 'array', items: values } : value };
  }

  // loop: ('while' | 'until') expr 'do'? statements 'end'
  protected parseLoop(isUntil: boolean): RubyNode {
    const isOuter = this.isInLoopCondition;
    this.isInLoopCondition = true;
    const condition = this.parseCondition();
    this.isInLoopCondition = isOuter;
    this.in.skipBlanks();
    if (!this.in.takeWord('do') && !/[\n;#]/.test(this.in.char)) fallBack('a loop without a body');
    this.loops += 1;
    const body = this.parseStatements();
    this.loops -= 1;
    if (!this.in.takeWord('end')) fallBack('a loop without an end');
    this.isCommandCall = false;
    return { kind: 'while', condition, body, isUntil };
  }

  #takeThen(): void {
    this.in.skipBlanks();
    const before = this.in.position;
    this.in.skipTerminators();
    if (!this.in.takeWord('then') && this.in.position === before) fallBack('a condition without an end');
  }

  protected parseIf(): RubyNode {
    const condition = this.parseCondition();
    this.#takeThen();
    const consequence = this.parseStatements();
    if (this.in.takeWord('elsif')) return createBranch(condition, consequence, this.parseIf());
    return createBranch(condition, consequence, this.#parseElse());
  }

  protected parseUnless(): RubyNode {
    const condition = this.parseCondition();
    this.#takeThen();
    const consequence = this.parseStatements();
    return createBranch(condition, this.#parseElse(), consequence);
  }

  #parseElse(): RubyNode {
    const alternative = this.in.takeWord('else') ? this.parseStatements() : NIL;
    if (!this.in.takeWord('end')) fallBack(`no end at ${JSON.stringify(this.parseRest())}`);
    this.isCommandCall = false;
    return alternative;
  }

  // case: 'case' expr? ('when' arg (',' arg)* then statements)+ ('else' statements)? 'end'
  protected parseCase(): RubyNode {
    this.in.skipBlanks();
    const subject = this.in.isAtEnd() ? null : this.parseExpression();
    this.in.skipTerminators();
    // Text between `case` and the first `when` is an error.
    const branches: { patterns: readonly RubyNode[]; body: RubyNode }[] = [];
    while (this.in.takeWord('when')) {
      this.in.skipLines();
      const patterns = [this.#parsePattern()];
      while (this.takeComma()) patterns.push(this.#parsePattern());
      this.#takeThen();
      branches.push({ patterns, body: this.parseStatements() });
    }
    if (branches.length === 0) fallBack('case without when');
    return { kind: 'case', subject, branches, alternative: this.#parseElse() };
  }

  #parsePattern(): RubyNode {
    if (this.in.char === '*') fallBack('a splat');
    return this.parseArgument();
  }

  protected parseBegin(): RubyNode {
    const statements = this.parseStatements();
    const body = this.withRescues(statements);
    if (!this.in.takeWord('end')) fallBack('begin without an end');
    if (this.in.looksAt(/[ \t]*(?:while|until)\b/y)) fallBack('a loop that runs at least once');
    this.isCommandCall = false;
    return body.kind === 'rescue' || body.kind === 'ensure' ? body : { kind: 'sequence', body: [body] };
  }
}
