import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The size of the generated control repo. 101 classes of 10 resources make a catalog of 1,114
 * resources.
 */
export interface GeneratedSize {
  readonly classes: number;
  readonly resourcesPerClass: number;
  /** Edges in one chain of `->` in the site manifest. */
  readonly edges?: number;
  /** Resources that one resource requires. */
  readonly fanOut?: number;
  /** Keys of the data file that are looked up, in addition to those of the classes. */
  readonly keys?: number;
}

/**
 * Writes a control repo: one module per class, parameters with types and defaults, a fact in a
 * message, and one Hiera layer.
 */
export function writeEnvironment(directory: string, size: GeneratedSize): void {
  const environment = join(directory, 'environments', 'production');
  mkdirSync(join(environment, 'manifests'), { recursive: true });
  mkdirSync(join(environment, 'data'), { recursive: true });
  const names = Array.from({ length: size.classes }, (_, index) => `part${index}`);
  writeFileSync(join(environment, 'manifests', 'site.pp'), siteText(names, size));
  writeFileSync(
    join(environment, 'hiera.yaml'),
    'version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n    data_hash: yaml_data\n    datadir: data\n',
  );
  writeFileSync(
    join(environment, 'data', 'common.yaml'),
    [
      ...names.map((name) => `${name}::greeting: hello from ${name}\n`),
      ...numbers(size.keys).map((number) => `key${number}: value of %{facts.os.name} ${number}\n`),
    ].join(''),
  );
  for (const name of names) {
    const manifests = join(environment, 'modules', name, 'manifests');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, 'init.pp'), classText(name, size.resourcesPerClass));
  }
  writeFileSync(join(directory, 'facts.json'), JSON.stringify({ name: 'bench.example.com', values: FACTS }));
}

function siteText(classes: readonly string[], { edges, fanOut, keys }: GeneratedSize): string {
  const chained = numbers(edges && edges + 1).map((number) => `link${number}`);
  const required = numbers(fanOut).map((number) => `base${number}`);
  const declare = (name: string) => `notify { '${name}': }\n`;
  const references = required.map((name) => `Notify['${name}']`).join(', ');
  return [
    ...classes.map((name) => `include ${name}\n`),
    ...chained.map(declare),
    ...chained.slice(1).map((name, index) => `Notify['${chained[index]}'] -> Notify['${name}']\n`),
    ...required.map(declare),
    required.length > 0 ? `notify { 'top': require => [${references}] }\n` : '',
    ...numbers(keys).map((number) => `$key${number} = lookup('key${number}')\n`),
  ].join('');
}

function numbers(count = 0): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

const FACTS = {
  os: { name: 'Debian', family: 'Debian', release: { major: '12', full: '12.5' } },
  networking: { fqdn: 'bench.example.com', hostname: 'bench', domain: 'example.com' },
  processors: { count: 4 },
};

/** Returns a class of notify resources. */
export function classText(name: string, resources: number): string {
  const bodies = Array.from(
    { length: resources },
    (_, index) => `  notify { "${name} ${index}":
    message  => "\${greeting} on \${facts['os']['name']} ${index}",
    loglevel => $level,
    withpath => $settings['path'] and $facts['os']['family'] == 'Debian',
  }
`,
  );
  return `# A generated class.
class ${name} (
  String $greeting,
  Enum['notice', 'info', 'debug'] $level = 'notice',
  Hash[String, Boolean] $settings = { 'path' => true },
) {
${bodies.join('')}}
`;
}
