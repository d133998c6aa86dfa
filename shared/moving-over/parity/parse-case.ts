import { CompileLog } from '../../puppet/errors/compile-log.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { toReadError } from '../../puppet/evaluator/report.ts';
import type { Program } from '../../puppet/language/ast.ts';
import { listNodes } from '../../puppet/language/node-list.ts';
import { parseProgram } from '../../puppet/language/parser.ts';
import { printPn } from '../../puppet/language/pn.ts';
import { languageOf } from '../../puppet/levels/language.ts';
import { assertValid, checkProgram } from '../../puppet/validation/check.ts';
import { describeThrown, outcomeLogs } from './outcome.ts';
import { levelOf, type Outcome, type ParityCase, type RunOptions } from './parity-case.ts';

/** Parses and checks the source of a case. */
export function runParseCase(parityCase: ParityCase, options: RunOptions): Outcome {
  const log = new CompileLog();
  const answer = answerOf(parityCase, options, log);
  const logs = outcomeLogs(log.entries, parityCase.source, answer.error ?? null);
  return logs.length === 0 ? answer : { ...answer, logs };
}

function answerOf(parityCase: ParityCase, options: RunOptions, log: CompileLog): Outcome {
  const { source, file, kind, settings = {} } = parityCase;
  const { strict = 'error', tasks = false } = settings;
  const language = languageOf(levelOf(parityCase, options));
  try {
    const program = parseProgram(source, { file: file ?? 'test.pp', epp: kind === 'parse_epp', tasks, log });
    assertValid(program, checkProgram(program, { language, strict, tasks }), log);
    return { status: 'ok', pn: renderNotation(program), nodes: listNodes(program) };
  } catch (error) {
    return { status: 'error', error: describeThrown(toReadError(error)) };
  }
}

/** Prints the program in Puppet Notation, or the reason why it has none. */
function renderNotation(program: Program): string {
  try {
    return printPn(program);
  } catch (error) {
    if (error instanceof PuppetError) return error.message;
    throw error;
  }
}
