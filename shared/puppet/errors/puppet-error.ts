import { unescapeBytes } from '../../util/escaped-bytes.ts';
import type { Issue } from './issues/issue.ts';

/** A place in the user's source. Lines and columns count from 1. */
export interface SourceLocation {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** The column. Puppet calls it `pos`. */
  readonly pos?: number | undefined;
}

/** ` (file: x, line: n, column: m)` as Puppet prints it; empty when the location is unknown. */
export function locationSuffix(location: SourceLocation): string {
  const { file, line, pos } = location;
  const parts: string[] = [];
  if (file) parts.push(`file: ${file}`);
  if (line !== undefined) parts.push(`line: ${line}`);
  if (pos !== undefined) parts.push(`column: ${pos}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

export interface PuppetErrorOptions extends SourceLocation {
  /** Puppet's issue code, e.g. `UNKNOWN_VARIABLE`; defaults to the code of the issue. */
  readonly issueCode?: string | undefined;
  readonly cause?: unknown;
}

/**
 * An error in the user's code or data. Its text is an issue of the catalogue, or a text from Ruby
 * or another error. `basic` is the text without location; `message` ends with the location.
 * `evaluated` is true once a location was attached: further AST nodes then pass the error on
 * unchanged.
 */
export class PuppetError extends Error {
  readonly basic: string;
  readonly issueCode: string | undefined;
  readonly location: SourceLocation;

  constructor(issue: Issue | string, options: PuppetErrorOptions = {}) {
    const { file, line, pos } = options;
    const { text, code } = typeof issue === 'string' ? { text: issue, code: undefined } : issue;
    const basic = unescapeBytes(text);
    super(`${basic}${locationSuffix({ file, line, pos })}`, { cause: options.cause });
    this.name = 'PuppetError';
    this.basic = basic;
    this.issueCode = options.issueCode ?? code;
    this.location = { file, line, pos };
  }
}

/** An error that evaluation passes on as it is, with or without a place. */
export class PreformattedError extends PuppetError {
  /** The same error; its place has of `other` what it lacks itself. */
  completedBy(other: SourceLocation): PreformattedError {
    return new PreformattedError(this.basic, this.optionsWith(other));
  }

  protected optionsWith({ file, line }: SourceLocation): PuppetErrorOptions {
    const { location, issueCode, cause } = this;
    return { ...location, file: location.file ?? file, line: location.line ?? line, issueCode, cause };
  }
}

/** Throws when `condition` does not hold. A failure is a bug of ours, never the user's. */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${what}`);
}
