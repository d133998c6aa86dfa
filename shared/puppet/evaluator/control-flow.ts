import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import type { Value } from '../types/values/values.ts';

/**
 * What `next`, `return` and `break` throw. They are not errors: nothing but the place that they
 * lead to catches them. `at` is the call's file and line, for the error when there is no such
 * place.
 */
export abstract class Jump {
  readonly value: Value;
  readonly at: SourceLocation;

  constructor(value: Value, at: SourceLocation) {
    this.value = value;
    this.at = at;
  }

  /** Puppet's error for a jump that leads nowhere. */
  abstract toIllegalJumpError(): PuppetError;
}

/** The name of the Ruby error that is `break`, which is told where nothing expects it. */
export const STOP_ITERATION = 'Puppet::Pops::Evaluator::PuppetStopIteration';

/** Ends the innermost lambda or function written in Puppet with a value. */
export class NextSignal extends Jump {
  toIllegalJumpError(): PuppetError {
    return illegalJump('next', this.at);
  }
}

/** Ends the innermost function written in Puppet, class or define body, with a value. */
export class ReturnSignal extends Jump {
  toIllegalJumpError(): PuppetError {
    return illegalJump('return', this.at);
  }
}

/** Ends the innermost iteration: functions that iterate catch it. */
export class BreakSignal extends Jump {
  constructor(at: SourceLocation) {
    super(null, at);
  }

  toIllegalJumpError(): PuppetError {
    return illegalJump('break', this.at);
  }
}

// Puppet: these errors name file and line, no column; text that came from no file is of the file
// `unknown`.
function illegalJump(name: string, { file = 'unknown', line }: SourceLocation): PuppetError {
  return new PuppetError(ISSUES.ILLEGAL_JUMP({ name }), { file, line });
}
