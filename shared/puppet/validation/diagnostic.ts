import type { Issue } from '../errors/issues/issue.ts';
import type { Node, Positioned } from '../language/ast.ts';

/**
 * `deprecation`: logged as a warning. `fatal`: what is reported before anything else, and alone.
 */
export type Severity = 'warning' | 'error' | 'deprecation' | 'fatal';

/** Something the checks found. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: string | undefined;
  readonly message: string;
  /** Where it is. */
  readonly node: Positioned;
}

/** Takes what a check found at `node`. */
export type Report = (issue: Issue, node: Node) => void;
