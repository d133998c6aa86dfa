import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { typeDefinitionFiles } from '../../shared/puppet/compiler/resource-types/prepared-resource-types.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../shared/puppet/environment/memory-environment.ts';
import { environmentCallbacks } from '../../shared/puppet/ruby/environment-callbacks.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { comparable, renderHere, renderWithPuppet } from './both-renderings.ts';
import { hasModules } from './installed-modules.ts';

const run = promisify(execFile);
const MODULES = join(import.meta.dirname, '..', 'fixtures', 'forge-modules');

/**
 * Modules written in the manner of those on the Forge, where real Puppet judges what their Ruby
 * code does.
 */
describe.skipIf(!hasModules())('Ruby code as modules of the Forge have it', () => {
  const ruby = createWasmRuby();
  afterAll(() => ruby.close());

  const open = () =>
    createMemoryEnvironment({
      name: 'production',
      codeDirectory: '/code',
      files: {},
      modulepath: [MODULES],
      manifest: null,
      hostFolders: [MODULES],
      inputs: NO_RECORDER,
    });

  it('gives what real Puppet gives, or its errors', async () => {
    const lines = readFileSync(join(MODULES, 'codes.txt'), 'utf8').trim().split('\n');
    const renderings = lines.map((line) => ({ name: line, code: line.replaceAll('\\n', '\n') }));
    const real = await renderWithPuppet(MODULES, renderings, ['anew']);
    const ours = renderings.map((rendering, index) => {
      ruby.beginCompile(String(index));
      return renderHere(rendering, open(), ruby);
    });
    expect(real.length).toBeGreaterThanOrEqual(50);
    expect(ours.map((one, index) => comparable(one, real[index] ?? one))).toEqual(
      real.map((one) => comparable(one, one)),
    );
  });

  it('defines the resource types that real Puppet sees', async () => {
    const { stdout } = await run('ruby', [join(import.meta.dirname, 'describe-types.rb'), MODULES]);
    const real = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const environment = open();
    const ours = [...typeDefinitionFiles(environment)].sort().map(([name, path]) => {
      const source = { path, text: environment.readText(path) ?? '' };
      const type = ruby.describeType(name, source, environmentCallbacks(environment));
      const { properties, parameters, namevars, isomorphic, applyTo } = type;
      return { name, properties, parameters, namevars, isomorphic, apply_to: applyTo };
    });
    expect(ours).toEqual(
      real.map(({ patterns: _, parameters, ...more }) => ({
        ...more,
        parameters: parameters.filter((parameter: string) => parameter !== 'provider'),
      })),
    );
    expect(ours.length).toBe(4);
  });
});
