import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How large the generated control repo is. 101 classes of 10 resources make a catalog of 1,114 resources. */
export interface GeneratedSize {
  readonly classes: number;
  readonly resourcesPerClass: number;
}

/** Writes a control repo: one module a class, parameters with types and defaults, a fact in a message, one Hiera layer. */
export function writeEnvironment(directory: string, size: GeneratedSize): void {
  const environment = join(directory, 'environments', 'production');
  mkdirSync(join(environment, 'manifests'), { recursive: true });
  mkdirSync(join(environment, 'data'), { recursive: true });
  const names = Array.from({ length: size.classes }, (_, index) => `part${index}`);
  writeFileSync(join(environment, 'manifests', 'site.pp'), names.map((name) => `include ${name}\n`).join(''));
  writeFileSync(
    join(environment, 'hiera.yaml'),
    'version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n    data_hash: yaml_data\n    datadir: data\n',
  );
  writeFileSync(
    join(environment, 'data', 'common.yaml'),
    names.map((name) => `${name}::greeting: hello from ${name}\n`).join(''),
  );
  for (const name of names) {
    const manifests = join(environment, 'modules', name, 'manifests');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, 'init.pp'), classText(name, size.resourcesPerClass));
  }
  writeFileSync(join(directory, 'facts.json'), JSON.stringify({ name: 'bench.example.com', values: FACTS }));
}

const FACTS = {
  os: { name: 'Debian', family: 'Debian', release: { major: '12', full: '12.5' } },
  networking: { fqdn: 'bench.example.com', hostname: 'bench', domain: 'example.com' },
  processors: { count: 4 },
};

function classText(name: string, resources: number): string {
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
