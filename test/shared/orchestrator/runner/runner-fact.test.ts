import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRunnerProgram } from '../../../../shared/orchestrator/runner/runner-program.ts';
import { hasRuby } from './runner-process.ts';

const FACT = new URL(
  '../../../../examples/control-repo/environments/production/modules/understudy_runner/lib/facter/understudy_runner_version.rb',
  import.meta.url,
);
/** Facter's own words, as far as the fact uses them. */
const FACTER = `module Facter
  def self.add(_name, &block)
    instance_eval(&block)
  end

  def self.setcode
    print yield.inspect
  end
end
`;

it.skipIf(!hasRuby())('the fact has the version of the runner that is installed, and nothing without one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-fact-'));
  const text = readFileSync(FACT, 'utf8').replace('/opt/understudy-runner', folder);
  const print = () => spawnSync('ruby', ['-'], { input: `${FACTER}${text}` }).stdout.toString();
  expect(print()).toBe('nil');
  writeFileSync(join(folder, 'understudy-runner.rb'), readRunnerProgram().bytes);
  expect(print()).toBe(`"${readRunnerProgram().version}"`);
  rmSync(folder, { recursive: true });
});
