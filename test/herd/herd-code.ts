import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES: Readonly<Record<string, string>> = {
  'hiera.yaml': `---
version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: role, path: "roles/%{facts.role}.yaml" }
  - { name: common, path: common.yaml }
`,
  'data/common.yaml': '---\nherd::motto: all together\n',
  'data/roles/web.yaml': '---\nherd::motto: web together\n',
  'manifests/site.pp': 'include herd\n',
  'modules/herd/manifests/init.pp': `# Each node exports one file and collects those of all nodes.
#
# @param motto from Hiera
class herd (String $motto) {
  notify { "\${motto}: \${trusted['certname']} is \${facts['role']} on \${facts['os']['family']}": }
  @@file { "/etc/herd/\${trusted['certname']}":
    content => "\${facts['networking']['ip']}\\n",
    tag     => 'herd',
  }
  File <<| tag == 'herd' |>>
}
`,
};

/** Writes a control repo in which each node exports and collects one type, and reads some facts. */
export function writeHerdCode(directory: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(directory, 'environments/production', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The facts of a node by its number. */
export function factsOf(index: number) {
  const ip = `10.0.${Math.floor(index / 256)}.${index % 256}`;
  return { role: index % 2 === 0 ? 'web' : 'db', os: { family: 'Debian' }, networking: { ip } };
}

/** What is wrong with the node's own resources in its catalog; null when nothing is. */
export function findFault(catalog: HerdCatalog, certname: string, index: number): string | null {
  const { role, networking } = factsOf(index);
  const motto = role === 'web' ? 'web together' : 'all together';
  const notice = `${motto}: ${certname} is ${role} on Debian`;
  const { resources } = catalog;
  if (!resources.some(({ type, title }) => type === 'Notify' && title === notice)) return `no Notify[${notice}]`;
  const own = resources.find(({ type, title }) => type === 'File' && title === `/etc/herd/${certname}`);
  if (own === undefined) return 'its own export is not collected';
  return own.parameters?.content === `${networking.ip}\n` ? null : 'its own export has another content';
}

/** The names of the nodes whose exports the catalog has. */
export function collectedNames(catalog: HerdCatalog): ReadonlySet<string> {
  const files = catalog.resources.filter(({ type }) => type === 'File');
  return new Set(files.map(({ title }) => title.slice(title.lastIndexOf('/') + 1)));
}

/** The part of a catalog that the herd checks. */
export interface HerdCatalog {
  readonly resources: readonly {
    readonly type: string;
    readonly title: string;
    readonly parameters?: Readonly<Record<string, unknown>>;
  }[];
}
