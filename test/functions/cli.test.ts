import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };

const CLI = fileURLToPath(new URL('../../functions/cli.ts', import.meta.url));

function understudy(args: readonly string[], input: string): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { input, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('understudy parse', () => {
  it.each([
    [['parse', '-'], "notice 'é'", '(invoke {:functor (qn "notice") :args ["é"]})\n'],
    [['parse', '--format', 'nodes', '-'], "'é' + 1", expect.stringContaining('["ArithmeticExpression",5,1]\n')],
    [['parse', '--epp'], 'a <%= $b %>', '(lambda {:body [(epp (render-s "a ") (render (var "b")))]})\n'],
  ])('%j prints the program', (args, source, stdout) => {
    expect(understudy(args, source)).toEqual({ status: 0, stdout, stderr: '' });
  });

  it('names a syntax error and its place', () => {
    expect(understudy(['parse'], 'notice(\n]')).toEqual({
      status: 1,
      stdout: '',
      stderr: "understudy: Syntax error at ']' (line: 2, column: 1)\n",
    });
  });

  it('names a file that is not there', () => {
    expect(understudy(['parse', '/nonexistent.pp'], '')).toEqual({
      status: 1,
      stdout: '',
      stderr: "error: command-argument value '/nonexistent.pp' is invalid for argument 'file'. It does not exist.\n",
    });
  });
});

it('says in the help which options must be given', () => {
  const { status, stdout } = understudy(['compile', '--help'], '');
  const marked = stdout.split(/\n(?= {2}-)/).filter((option) => /\(required\)/.test(option));
  expect(status).toBe(0);
  expect(marked.map((option) => option.trim().split(' ')[0])).toEqual(['--control-repo', '--facts']);
});

it.each(['--version', '-V'])('prints the version: %s', (option) => {
  expect(understudy([option], '')).toEqual({ status: 0, stdout: `${packageFile.version}\n`, stderr: '' });
});

describe('understudy parity', () => {
  it('refuses a worker count of none', () => {
    const { status, stderr } = understudy(['parity', '--workers', '0', 'x.jsonl'], '');
    expect(status).toBe(1);
    expect(stderr).toBe(
      "error: option '--workers <number>' argument '0' is invalid. It must be a number above zero.\n",
    );
  });
});
