import { Refusal } from '../../shared/http/exchange/answers.ts';
import { factValues } from '../../shared/http/exchange/posted-facts.ts';
import { PuppetError } from '../../shared/puppet/errors/puppet-error.ts';
import { Fallback } from '../../shared/puppet/ruby/native/fallback.ts';
import { compileTemplate } from '../../shared/puppet/ruby/native/native-templates.ts';
import { FairQueue } from '../../shared/util/fair-queue.ts';
import { compileSource, type SourceOptions } from '../helpers/compile-source.ts';
import { generateData, generateHocon, generateYaml } from './data-grammar.ts';
import type { FuzzOutcome, FuzzTarget } from './fuzz-target.ts';
import { generateExpression, generateManifest } from './manifest-grammar.ts';
import type { SeededChance } from './seeded-chance.ts';

const CERTNAME = 'node.example.com';
const MANIFEST = 'manifests/site.pp';
/** Every error of a compile ends with the place, or at least the node. */
const HAS_PLACE = /\((?:file: [^)]*, )?line: \d+|\(file: |on node /;

/**
 * Texts of Puppet and Ruby that name no place, which are the same here: lookup_options without a
 * hash, an invalid interpolation, an unknown alias (Psych::BadAlias), and an alias within what it
 * names (SystemStackError).
 */
const PLACELESS =
  /value of lookup_options must be a hash|Syntax error in string: |Unknown alias: |^stack level too deep$/;

/** Compiles; an error must say where it is. `named` must be in the error of a data file. */
function compileInput(code: string, options: SourceOptions, named: RegExp = HAS_PLACE): FuzzOutcome {
  let message: string;
  try {
    const result = compileSource(code, options);
    if (result.status !== 'failed') return 'accepted';
    message = result.error.message;
  } catch (error) {
    // As a worker stores the error of an environment that cannot be opened.
    if (!(error instanceof PuppetError)) throw error;
    message = error.message;
  }
  if (/^invariant|undefined is not|is not a function|Cannot read propert|\[object /.test(message)) {
    return { fault: `an error of ours: ${message}` };
  }
  return named.test(message) || PLACELESS.test(message) ? 'refused' : { fault: `no place in: ${message}` };
}

const MANIFESTS: FuzzTarget = {
  name: 'manifest',
  generate: (chance) => Buffer.from(generateManifest(chance)),
  run: (input) => compileInput(input.toString('utf8'), {}),
};

const EPP: FuzzTarget = {
  name: 'epp',
  generate: (chance) => Buffer.from(generateTemplate(chance, () => generateExpression(chance))),
  run: (input) =>
    compileInput("notice(epp('m/t.epp', { 'a' => 1 }))", {
      files: { [MANIFEST]: '', 'modules/m/templates/t.epp': Uint8Array.from(input) },
    }),
};

const RUBY_PIECES = [
  ...['@a', '@b.each do |x|', 'end', 'if @a == 1', 'else', 'x', "'text'", '"a #{@a}"', '[1, 2].map { |y| y * 2 }.join'],
  ...[
    'scope["a"]',
    "scope.lookupvar('::a')",
    '@a.nil? ? 1 : 2',
    '%w[a b]',
    '{ a: 1 }',
    '1 + ',
    'unless',
    '# note',
    '}',
  ],
  ...[
    '@b.sort.uniq - [nil]',
    '@a.to_s.upcase',
    'x[0..-2]',
    ':symbol',
    '"%s" % @a',
    '-> (z) { z }',
    '@a =~ /a+/',
    '<<-X',
  ],
];

/** Common Ruby is compiled here; all else is left to Ruby by a `Fallback`. */
const ERB: FuzzTarget = {
  name: 'erb',
  generate: (chance) => Buffer.from(generateTemplate(chance, () => chance.of(RUBY_PIECES))),
  run(input) {
    try {
      compileTemplate(input.toString('utf8'));
      return 'accepted';
    } catch (error) {
      if (error instanceof Fallback || error instanceof PuppetError) return 'refused';
      throw error;
    }
  },
};

const FACTS: FuzzTarget = {
  name: 'facts',
  generate: (chance) =>
    Buffer.from(
      JSON.stringify({
        name: chance.often(0.9) ? CERTNAME : generateData(chance),
        values: chance.often(0.9) ? { a: generateData(chance), b: generateData(chance) } : generateData(chance),
      }),
    ),
  async run(input) {
    try {
      await factValues(input.toString('utf8'), CERTNAME, new FairQueue({ places: 1 }));
      return 'accepted';
    } catch (error) {
      if (error instanceof Refusal && error.message !== '') return 'refused';
      throw error;
    }
  },
};

/** A file of Hiera data with the extension of `name`, read by a lookup. */
function createDataTarget(name: 'yaml' | 'json' | 'hocon', generate: (chance: SeededChance) => string): FuzzTarget {
  const file = `data/common.${name}`;
  const config = `---\nversion: 5\nhierarchy:\n  - { name: common, ${name}_data_path }\n`;
  const hierarchy = config.replace(`${name}_data_path`, `data_hash: ${name}_data, path: common.${name}`);
  return {
    name,
    generate: (chance) => Buffer.from(generate(chance)),
    run: (input) =>
      compileInput(
        "notice(lookup('a', { default_value => 'none' }), lookup('b::c', { merge => deep, default_value => {} }))",
        { files: { [MANIFEST]: '', 'hiera.yaml': hierarchy, [file]: Uint8Array.from(input) } },
        new RegExp(`${file}|line: \\d+`),
      ),
  };
}

/** hiera.yaml itself. */
const HIERA: FuzzTarget = {
  name: 'hiera',
  generate: (chance) =>
    Buffer.from(
      `---\nversion: ${chance.of(['5', '3', '4', 'x'])}\ndefaults: ${JSON.stringify(generateData(chance, 2))}\nhierarchy:\n${chance
        .times(
          3,
          () =>
            `  - { name: ${chance.of(['a', 'b', "''"])}, ${chance.of(['path', 'paths', 'glob', 'mapped_paths', 'uri'])}: ${JSON.stringify(generateData(chance, 2))} }\n`,
        )
        .join('')}`,
    ),
  run: (input) =>
    compileInput("notice(lookup('a', { default_value => 'none' }))", {
      files: { [MANIFEST]: '', 'hiera.yaml': Uint8Array.from(input), 'data/common.yaml': 'a: 1\n' },
    }),
};

export const TEXT_TARGETS: readonly FuzzTarget[] = [
  MANIFESTS,
  EPP,
  ERB,
  createDataTarget('yaml', generateYaml),
  createDataTarget('hocon', generateHocon),
  createDataTarget('json', (chance) => JSON.stringify(generateData(chance))),
  HIERA,
  FACTS,
];

function generateTemplate(chance: SeededChance, makeCode: () => string): string {
  return chance
    .times(8, () => {
      const [open, close] = [chance.of(['<%', '<%=', '<%-', '<%#', '<%%']), chance.of(['%>', '-%>', '%%>'])];
      return chance.often(0.4) ? chance.of(['text\n', '  ', 'a % b', '\n\n']) : `${open} ${makeCode()} ${close}`;
    })
    .join('');
}
