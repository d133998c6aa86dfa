/**
 * Checks of a parsed program. Follows lib/puppet/pops/validation/checker4_0.rb and
 * tasks_checker.rb.
 */

import { CompileLog, type LogEntry } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import type { HeredocExpression, Node, Positioned, Program } from '../language/ast.ts';
import { forEachChild } from '../language/walk.ts';
import { DEFAULT_LANGUAGE, type Language } from '../levels/language.ts';
import { checkTopConstructs } from './definition-checks.ts';
import type { Diagnostic, Report } from './diagnostic.ts';
import { checkNode } from './expression-checks.ts';
import { findHeredocSyntaxProblem } from './heredoc-syntax.ts';
import { checkForTasks } from './task-checks.ts';

export type { Diagnostic } from './diagnostic.ts';

export interface CheckOptions {
  readonly strict: 'off' | 'warning' | 'error';
  /** The language that messages are of; that of the server's default level by default. */
  readonly language?: Language | undefined;
  /**
   * The setting `tasks`: resources and other catalog expressions are only permitted inside `apply`.
   */
  readonly tasks?: boolean | undefined;
  /**
   * The required prefix of the names that this file defines (`mod::sub` for
   * `mod/manifests/sub.pp`). It also makes the file's top level accept definitions only. Null for a
   * file that is not autoloaded.
   */
  readonly namespace?: string | null | undefined;
}

/** Checks a program and returns all diagnostics, in Puppet's order. */
export function checkProgram(program: Program, options: CheckOptions): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const report: Report = ({ code, text, severity: usual }, node) => {
    const severity = usual === 'strict' ? options.strict : usual;
    if (severity !== 'off') diagnostics.push({ severity, code, message: text, node });
  };
  const namespace = options.namespace ?? null;
  if (namespace !== null) checkTopConstructs(program, report);
  const path: (Node | Program)[] = [program];
  const tasks = options.tasks ?? false;
  const { product } = options.language ?? DEFAULT_LANGUAGE;
  const place = { path, namespace, tasks, product, report };
  const visit = (node: Node): void => {
    if (isFaultless(node)) return;
    if (node.kind === 'HeredocExpression') diagnostics.push(...checkHeredoc(node, options));
    if (!tasks || !checkForTasks(node, path, report)) checkNode(node, place);
    path.push(node);
    forEachChild(node, visit);
    path.pop();
  };
  forEachChild(program, visit);
  return diagnostics;
}

/** Whether a node is a leaf without checks, as most nodes are. */
function isFaultless({ kind }: Node): boolean {
  return kind === 'LiteralString' || kind === 'QualifiedName' || kind === 'LiteralBoolean' || kind === 'LiteralUndef';
}

/** Checks the text of a heredoc if it has no interpolation. */
function checkHeredoc({ syntax, textExpr }: HeredocExpression, { strict, language }: CheckOptions): Diagnostic[] {
  if (syntax === null || textExpr.kind !== 'LiteralString') return [];
  const problem = findHeredocSyntaxProblem(textExpr.value, syntax, (program) => {
    assertValid(program, checkProgram(program, { strict, language }), new CompileLog());
  });
  if (!problem) return [];
  const message = ISSUES.INVALID_HEREDOC_TEXT({ syntax, detail: problem.message }).text;
  return [{ severity: 'fatal', code: problem.code, message, node: textExpr }];
}

/**
 * Thrown in place of several errors that were logged. Puppet throws a ParseErrorWithIssue without
 * an issue.
 */
export class SeveralErrors extends PuppetError {}

/**
 * Maximum number of warnings, deprecations and errors shown each: Puppet's default of
 * `max_warnings` and similar settings.
 */
const SHOWN_AT_MOST = 10;

/**
 * Logs the warnings of the lexer and the checks, and throws if there are errors. A single error is
 * thrown itself. Several errors are logged, and the thrown error states their number.
 */
export function assertValid(program: Program, diagnostics: readonly Diagnostic[], log: CompileLog): void {
  for (const entry of program.warnings) log.add(entry);
  if (diagnostics.length === 0) return;
  const fatal = diagnostics.find(({ severity }) => severity === 'fatal');
  if (fatal) throw new PuppetError(fatal.message, { issueCode: fatal.code, ...findLocation(fatal.node) });
  const warnings = diagnostics.filter(({ severity }) => severity !== 'error');
  for (const severity of ['warning', 'deprecation'] as const) {
    for (const warning of warnings.filter((each) => each.severity === severity).slice(0, SHOWN_AT_MOST)) {
      log.add(logEntry('warning', warning));
    }
  }
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (!first) return;
  if (errors.length === 1) throw new PuppetError(first.message, { issueCode: first.code, ...findLocation(first.node) });
  for (const error of errors.slice(0, SHOWN_AT_MOST)) log.add(logEntry('err', error));
  const counted = `${errors.length} errors${warnings.length > 0 ? `, and ${warnings.length} warnings` : ''}`;
  throw new SeveralErrors(ISSUES.SEVERAL_ERRORS({ counts: counted }), { file: findLocation(first.node).file });
}

function logEntry(level: 'warning' | 'err', { code, message, node }: Diagnostic): LogEntry {
  return { level, message, issueCode: code, ...findLocation(node) };
}

function findLocation({ locator, offset }: Positioned): SourceLocation {
  return { file: locator.file || undefined, line: locator.lineAt(offset), pos: locator.columnAt(offset) };
}
