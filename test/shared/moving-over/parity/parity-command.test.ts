import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { InvalidCase, runParityFiles } from '../../../../shared/moving-over/parity/parity-command.ts';

const folders: string[] = [];

function fileOf(...lines: readonly unknown[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'parity-'));
  folders.push(folder);
  const file = join(folder, 'cases.jsonl');
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
}

async function outcomes(file: string, timeLimit = 20_000): Promise<unknown[]> {
  const lines: unknown[] = [];
  const options = { language: 'puppet-8' as const, externalModules: '/nonexistent', workers: 1, timeLimit };
  await runParityFiles([file], options, (line) => {
    lines.push(JSON.parse(line));
  });
  return lines;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('runParityFiles', () => {
  it('answers cases of every kind in their order', async () => {
    const file = fileOf(
      { id: 'a', kind: 'parse', source: '1 +' },
      { id: 'b', kind: 'parse_epp', source: 'x' },
      { id: 'c', kind: 'compile', source: "notice('@@ROOT@@/env/x') [1, 1.5]" },
    );
    const message = 'Syntax error at end of input (file: test.pp)';
    const [first, second, third] = await outcomes(file);
    expect(first).toEqual({
      id: 'a',
      outcome: {
        status: 'error',
        error: { message, basic: 'Syntax error at end of input', issue_code: 'SYNTAX_ERROR', file: 'test.pp' },
      },
    });
    expect(second).toMatchObject({ id: 'b', outcome: { status: 'ok', pn: '(lambda {:body [(epp (render-s "x"))]})' } });
    expect(third).toMatchObject({
      id: 'c',
      outcome: {
        status: 'ok',
        logs: [{ level: 'notice', message: '<ROOT>/environments/production/x' }],
        value: { s: '[1, 1.5]', data: [1, 1.5] },
      },
    });
  });

  it('lets code keep values below the folder of the server, in one case', async () => {
    const code = `Puppet::Functions.create_function(:remember) do
      def remember(text)
        file = File.join(Puppet[:vardir], 'kept', 'one')
        return "#{File.read(file)} again" if File.exist?(file)
        FileUtils.mkdir_p(File.dirname(file))
        File.write(file, text)
        file
      end
    end`;
    const source = "[remember('a'), remember('b')]";
    const files = { 'env/lib/puppet/functions/remember.rb': code };
    const expected = { status: 'ok', value: { data: ['<BASE>/var/kept/one', 'a again'] } };
    const cases = ['a', 'b'].map((id) => ({ id, kind: 'compile', source, files }));
    expect(await outcomes(fileOf(...cases))).toMatchObject(cases.map(({ id }) => ({ id, outcome: expected })));
  });

  it('goes on after a case that takes too long', async () => {
    const slow = 'Integer[1, 100000].each |$a| { Integer[1, 100000].each |$b| { } }';
    const file = fileOf({ id: 'a', kind: 'compile', source: slow }, { id: 'b', kind: 'parse', source: '1' });
    const [first, second] = await outcomes(file, 1500);
    expect(first).toEqual({
      id: 'a',
      outcome: { status: 'error', error: { message: 'case a took longer than 1.5 s and was stopped' } },
    });
    expect(second).toMatchObject({ id: 'b', outcome: { status: 'ok' } });
  });

  it.each([
    ['{"id": ', /:1: not JSON: /],
    ['{"kind": "parse"}', /:1: the case has no id$/],
    ['\n{"id": "a", "kind": "parse"}', /:2: the case has no source$/],
  ])('refuses %s', async (line, message) => {
    const running = outcomes(fileOf(line));
    await expect(running).rejects.toThrow(message);
    await expect(running).rejects.toBeInstanceOf(InvalidCase);
  });
});
