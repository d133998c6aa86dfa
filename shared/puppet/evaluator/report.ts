import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { PreformattedError, PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import { toValueLimitError } from '../errors/value-limits.ts';
import type { Node, Positioned } from '../language/ast.ts';
import { nodeLabel } from './labels.ts';
import type { CompileContext } from './ports.ts';

/** Returns the location of a node's start. */
export function locationOf(node: Positioned): SourceLocation {
  const { locator, offset } = node;
  return { file: locator.file ?? undefined, line: locator.lineAt(offset), pos: locator.columnAt(offset) };
}

/** Creates an evaluation error for an issue at a location. */
export function evaluationError(issue: Issue, place: SourceLocation, cause?: unknown): PuppetError {
  return new PuppetError({ ...ISSUES.EVALUATION_ERROR({ detail: issue.text }), code: issue.code }, { ...place, cause });
}

/**
 * Throws the issue at `node`. With null, no code corresponds to the issue and the error has no
 * location.
 */
export function failWith(issue: Issue, node: Positioned | null): never {
  throw evaluationError(issue, node ? locationOf(node) : {});
}

/** Throws, warns or ignores the issue, as the `strict` setting says. */
export function failWhenStrict(context: CompileContext, issue: Issue, node: Positioned): void {
  if (context.settings.strict === 'error') failWith(issue, node);
  if (context.settings.strict === 'warning') warn(context, issue, node);
}

export function warn(context: CompileContext, issue: Issue, node: Positioned): void {
  context.log.add({ level: 'warning', message: issue.text, issueCode: issue.code, ...locationOf(node) });
}

/**
 * Adds the location of `node` to an error from its evaluation, and returns the error to throw.
 * Located errors, jumps, stack overflows and internal defects pass unchanged. Puppet:
 * EvaluatorImpl#evaluate.
 */
export function addLocation(thrown: unknown, node: Node): unknown {
  const error = toValueLimitError(thrown);
  if (error instanceof PreformattedError) return error;
  if (error instanceof PuppetError && !(error instanceof PreformattedError)) {
    const { line, file } = error.location;
    if (error.issueCode !== undefined || line !== undefined || file !== undefined) return error;
    return evaluationError(
      ISSUES.RUNTIME_ERROR({ semantic: nodeLabel(node), detail: error.basic }),
      locationOf(node),
      error,
    );
  }
  return error;
}

/**
 * Converts the error for code that is nested too deeply to a PuppetError; returns other errors
 * unchanged.
 */
export function toReadError(error: unknown): unknown {
  // Ruby: SystemStackError
  return isStackOverflow(error) ? new PuppetError('stack level too deep', { cause: error }) : error;
}

// Puppet: Ruby's SystemStackError passes all of Puppet's error handling unchanged.
/** Whether the error is a stack overflow, which means that code called itself too deeply. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}
