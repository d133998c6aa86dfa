import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CompileLog } from '../../../../shared/puppet/errors/compile-log.ts';
import { PuppetError } from '../../../../shared/puppet/errors/puppet-error.ts';
import { listNodes } from '../../../../shared/puppet/language/node-list.ts';
import { parseProgram } from '../../../../shared/puppet/language/parser.ts';
import { printPn } from '../../../../shared/puppet/language/pn.ts';
import { assertValid, checkProgram } from '../../../../shared/puppet/validation/check.ts';

interface Recorded {
  readonly source: string;
  readonly epp?: boolean;
  readonly pn?: string;
  readonly nodes?: unknown;
  readonly error?: string;
  readonly code?: string | null;
}

const recorded: { readonly cases: readonly Recorded[] } = JSON.parse(
  readFileSync(new URL('../../../fixtures/puppet-parser.json', import.meta.url), 'utf8'),
);

function parsed(source: string, epp: boolean): unknown {
  try {
    const program = parseProgram(source, { file: 'x.pp', epp });
    assertValid(program, checkProgram(program, { strict: 'error' }), new CompileLog());
    return { pn: printPn(program), nodes: listNodes(program) };
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    return { error: error.message, code: error.issueCode ?? null };
  }
}

describe('parsing and checking', () => {
  it.each(recorded.cases)('does with $source what Puppet does', ({ source, epp = false, ...expected }) => {
    expect(parsed(source, epp)).toEqual(expected);
  });
});

describe('the log of parsing', () => {
  it('gets the warnings up to a syntax error', () => {
    const log = new CompileLog();
    expect(() => parseProgram('$a = "\\q" ] "\\z"', { file: 'x.pp', log })).toThrow(
      "Syntax error at ']' (file: x.pp, line: 1, column: 11)",
    );
    expect(log.entries).toEqual([
      {
        level: 'warning',
        message: "Unrecognized escape sequence '\\q'",
        issueCode: 'UNRECOGNIZED_ESCAPE',
        file: 'x.pp',
        line: 1,
        pos: 10,
      },
    ]);
  });

  it('is left to the program when parsing succeeds', () => {
    const log = new CompileLog();
    const program = parseProgram('$a = "\\q"', { file: null, log });
    expect(log.entries).toEqual([]);
    expect(program.warnings).toHaveLength(1);
  });
});

describe('tasks', () => {
  it('makes plan and apply keywords', () => {
    expect(printPn(parseProgram('plan a($b) { }', { file: null, tasks: true }))).toBe(
      '(plan {:name "a" :params {:b {}}})',
    );
    expect(() => printPn(parseProgram('apply("x") { }', { file: null, tasks: true }))).toThrow(
      "Visitor Error: the configured receiver (Puppet::Pops::Model::PNTransformer) can't handle instance of: Puppet::Pops::Model::ApplyExpression",
    );
  });
});
