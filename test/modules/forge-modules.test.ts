import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { typeDefinitionFiles } from '../../shared/puppet/compiler/resource-types/prepared-resource-types.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../shared/puppet/environment/memory-environment.ts';
import { callbacksOutside } from '../../shared/puppet/ruby/callbacks.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { treeDigest } from '../helpers/reference-sources.ts';
import { comparable, renderHere } from './both-renderings.ts';
import { hasModules } from './installed-modules.ts';
import { describedWithPuppet, puppetAnswers, renderedWithPuppet } from './puppet-answers.ts';

const MODULES = join(import.meta.dirname, '..', 'fixtures', 'forge-modules');

const code = () => ({ modules: treeDigest(MODULES) });
const ofCodes = puppetAnswers('forge-codes', import.meta.filename, 'compile-codes.rb', code);
const ofTypes = puppetAnswers('forge-types', import.meta.filename, 'describe-types.rb', code);
afterAll(() => {
  for (const answers of [ofCodes, ofTypes]) answers.finish();
});

/** What real Puppet says of a type. */
interface RealType {
  readonly parameters: readonly string[];
  readonly patterns: unknown;
}

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
    const real = await renderedWithPuppet(MODULES, renderings, ofCodes, ['anew']);
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
    const real = await describedWithPuppet<RealType>('describe-types.rb', MODULES, ofTypes);
    const environment = open();
    const ours = [...typeDefinitionFiles(environment)].sort().map(([name, path]) => {
      const source = { path, text: environment.readText(path) ?? '' };
      const type = ruby.describeType(name, source, callbacksOutside(environment));
      const { properties, parameters, namevars, isomorphic, applyTo } = type;
      return { name, properties, parameters, namevars, isomorphic, apply_to: applyTo };
    });
    expect(ours).toEqual(
      real.map(({ patterns: _, parameters, ...more }) => ({
        ...more,
        parameters: parameters.filter((parameter) => parameter !== 'provider'),
      })),
    );
    expect(ours.length).toBe(4);
  });
});
