import type { Issue } from '../errors/issues/issue.ts';
import type { Node, Positioned } from '../language/ast.ts';

/** `deprecation` is logged as a warning. `fatal` is reported first and alone. */
type Severity = 'warning' | 'error' | 'deprecation' | 'fatal';

/** A problem that the checks found. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: string | undefined;
  readonly message: string;
  /** The node that it was found at. */
  readonly node: Positioned;
}

/** Reports an issue at `node`. */
export type Report = (issue: Issue, node: Node) => void;
