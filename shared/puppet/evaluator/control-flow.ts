import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import type { Value } from '../types/values/values.ts';

/**
 * Thrown by `next`, `return` and `break`. A jump is not an error: only its target catches it. `at`
 * is the file and line of the call, for the error when there is no target.
 */
export abstract class Jump {
  readonly value: Value;
  readonly at: SourceLocation;

  constructor(value: Value, at: SourceLocation) {
    this.value = value;
    this.at = at;
  }

  /** Returns Puppet's error for a jump without a target. */
  abstract toIllegalJumpError(): PuppetError;
}

/** The Ruby error class behind `break`; it appears in the message when nothing catches it. */
export const STOP_ITERATION = 'Puppet::Pops::Evaluator::PuppetStopIteration';

/** Ends the innermost lambda or Puppet function with a value. */
export class NextSignal extends Jump {
  toIllegalJumpError(): PuppetError {
    return illegalJump('next', this.at);
  }
}

/** Ends the innermost Puppet function, class body or define body with a value. */
export class ReturnSignal extends Jump {
  toIllegalJumpError(): PuppetError {
    return illegalJump('return', this.at);
  }
}

/** Ends the innermost iteration; the iterating function catches it. */
export class BreakSignal extends Jump {
  constructor(at: SourceLocation) {
    super(null, at);
  }

  toIllegalJumpError(): PuppetError {
    return illegalJump('break', this.at);
  }
}

// Puppet: these errors have a file and a line but no column. Code without a file is in the file
// `unknown`.
function illegalJump(name: string, { file = 'unknown', line }: SourceLocation): PuppetError {
  return new PuppetError(ISSUES.ILLEGAL_JUMP({ name }), { file, line });
}
