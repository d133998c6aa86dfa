import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPlainTypeDefinition } from '../../shared/puppet/compiler/resource-types/plain-type-definition.ts';
import { typeDefinitionFiles } from '../../shared/puppet/compiler/resource-types/prepared-resource-types.ts';
import { readRubyType } from '../../shared/puppet/compiler/resource-types/ruby-type-reader.ts';
import { openDirectoryEnvironment } from '../../shared/puppet/environment/directory-environment.ts';
import type { Environment } from '../../shared/puppet/environment/environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import type { RubyTypeDescription } from '../../shared/puppet/evaluator/ruby-port.ts';
import { callbacksOutside } from '../../shared/puppet/ruby/callbacks.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetRegexp } from '../../shared/puppet/types/values/regexp.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { describedWithPuppet, puppetAnswers } from './puppet-answers.ts';

const answers = puppetAnswers('resource-types', import.meta.filename, 'describe-types.rb');
afterAll(() => answers.finish());

/** What real Puppet says of a type. */
interface RealType {
  readonly name: string;
  readonly properties: readonly string[];
  readonly parameters: readonly string[];
  readonly namevars: readonly string[];
  readonly patterns: readonly (readonly [string, readonly string[]])[];
  readonly isomorphic: boolean;
  readonly apply_to: string;
}

const WHOLE = '(?m-ix:(.*))';
const withoutProvider = (names: readonly string[]) => names.filter((name) => name !== 'provider');

describe.skipIf(!hasModules())('resource types of packaged modules', () => {
  const ruby = createWasmRuby();
  let repo: string;
  let environment: Environment;
  let real: readonly RealType[];
  let files: ReadonlyMap<string, string>;

  beforeAll(async () => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-types-'));
    writeControlRepo(repo, new Map());
    environment = openDirectoryEnvironment(repo, 'production', NO_RECORDER);
    files = typeDefinitionFiles(environment);
    real = await describedWithPuppet('describe-types.rb', environment.modulepath[0] ?? '', answers);
  });

  afterAll(() => {
    ruby.close();
    rmSync(repo, { recursive: true, force: true });
  });

  const source = (name: string) => {
    const path = files.get(name) ?? '';
    return { path, text: environment.readText(path) ?? '' };
  };

  it('are described by Ruby as by real Puppet', () => {
    const ours = real.map(({ name }) => {
      const type = ruby.describeType(name, source(name), callbacksOutside(environment));
      return described(name, type);
    });
    expect(real.length).toBeGreaterThanOrEqual(235);
    expect(real.length).toBe(files.size);
    expect(ours).toEqual(
      real.map((type) => ({
        ...type,
        parameters: withoutProvider(type.parameters),
        titleError: null,
        converts: false,
      })),
    );
  });

  it('are read from their text alone as real Puppet has them, where the text says all', () => {
    const library = (path: string) => {
      const found = environment.listModules().map(({ root }) => environment.readText(`${root}/lib/${path}.rb`));
      return found.find((text) => text !== null) ?? null;
    };
    const plain = real.filter(({ name }) => isPlainTypeDefinition(name, source(name).text));
    expect(plain.length).toBeGreaterThanOrEqual(200);
    const read = plain.map(({ name }) => {
      const { attributes, namevars, titlePatterns, isomorphic } = readRubyType(name, source(name).text, library);
      const patterns = titlePatterns?.map(({ pattern, groups }) => [new PuppetRegexp(pattern).source, groups]) ?? null;
      return {
        name,
        attributes: attributes.map((one) => `${one.kind} ${one.name}`).sort(),
        namevars,
        patterns,
        isomorphic,
      };
    });
    expect(read).toEqual(plain.map(readable));
  });
});

function described(name: string, type: RubyTypeDescription) {
  const { properties, parameters, namevars, titlePatterns, titleError, isomorphic, applyTo } = type;
  const patterns = titlePatterns.map(({ pattern, groups }) => [pattern, groups]);
  const converts = titlePatterns.some((pattern) => pattern.converts);
  const common = { name, properties, namevars, patterns, isomorphic, apply_to: applyTo, titleError, converts };
  return { ...common, parameters: withoutProvider(parameters) };
}

/** As `readRubyType` has it: attributes without order, a regular expression as it is written. */
function readable({ name, properties, parameters, namevars, patterns, isomorphic }: RealType) {
  const attributes = [
    ...properties.map((property) => `property ${property}`),
    ...withoutProvider(parameters).map((parameter) => `parameter ${parameter}`),
  ].sort();
  const isWhole = patterns.length === 1 && patterns[0]?.[0] === WHOLE;
  return {
    name,
    attributes,
    namevars,
    patterns: isWhole ? null : patterns.map(([pattern, groups]) => [unwrapped(pattern), groups]),
    isomorphic,
  };
}

/** `(?m-ix:x)` as `(?m:x)`, without options as `x`. */
function unwrapped(pattern: string): string {
  const [, options = '', inner = pattern] = /^\(\?(\w*)-\w+:([\s\S]*)\)$/.exec(pattern) ?? [];
  const source = inner.replaceAll('\\/', '/');
  return options === '' ? source : `(?${options}:${source})`;
}
