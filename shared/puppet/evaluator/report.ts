import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { PreformattedError, PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import type { Node, Positioned } from '../language/ast.ts';
import { nodeLabel } from './labels.ts';
import type { CompileContext } from './ports.ts';

/** Where a node starts. */
export function locationOf(node: Positioned): SourceLocation {
  const { locator, offset } = node;
  return { file: locator.file ?? undefined, line: locator.lineAt(offset), pos: locator.columnAt(offset) };
}

/** The error of evaluation for an issue at a place. */
export function evaluationError(issue: Issue, place: SourceLocation, cause?: unknown): PuppetError {
  return new PuppetError({ ...ISSUES.EVALUATION_ERROR({ detail: issue.text }), code: issue.code }, { ...place, cause });
}

/** `node`: null when nothing in the code stands for what is wrong; the error then has no place. */
export function failWith(issue: Issue, node: Positioned | null): never {
  throw evaluationError(issue, node ? locationOf(node) : {});
}

/** Fails, warns or stays silent as the `strict` setting says. */
export function failWhenStrict(context: CompileContext, issue: Issue, node: Positioned): void {
  if (context.settings.strict === 'error') failWith(issue, node);
  if (context.settings.strict === 'warning') warn(context, issue, node);
}

export function warn(context: CompileContext, issue: Issue, node: Positioned): void {
  context.log.add({ level: 'warning', message: issue.text, issueCode: issue.code, ...locationOf(node) });
}

/**
 * What leaves the evaluation of `node` when `error` came out of it. Errors that know their place,
 * jumps, an overflown stack and defects pass as they are; an error without a place gets the node's
 * (Puppet: EvaluatorImpl#evaluate).
 */
export function addLocation(error: unknown, node: Node): unknown {
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
 * What reading code that is nested too deeply fails with, as a PuppetError; any other error as it
 * is.
 */
export function toReadError(error: unknown): unknown {
  // Ruby: SystemStackError
  return isStackOverflow(error) ? new PuppetError('stack level too deep', { cause: error }) : error;
}

// Puppet: Ruby's SystemStackError goes through all of Puppet's error handling as it is.
/** Whether code called itself too deeply. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}
