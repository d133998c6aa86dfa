import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A group that nodes are classified into; each has a file of Hiera data and its own exports. */
export type Group = `g${number}`;

/** A file whose content shows its version. */
export type VersionedFile =
  | 'common'
  | 'manifest'
  | 'template'
  | 'function'
  | `group ${Group}`
  /** The data file of a node; not every node has one. */
  | `node ${string}`;

/** What a version of a data file says besides its number. */
export interface Version {
  /** Whether it defines the key `layered`, which hides that of the layers below. */
  readonly hasLayered: boolean;
}

export type Versions = ReadonlyMap<VersionedFile, number>;

const STATIC_FILES: Readonly<Record<string, string>> = {
  'hiera.yaml': `---
version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: group, path: "groups/%{group}.yaml" }
  - { name: common, path: common.yaml }
`,
  'manifests/site.pp': 'include chaos\n',
  'modules/chaos/manifests/export.pp': `# @param value a fact of the exporting node
define chaos::export (String $value) {
  notify { "export \${title}": message => $value }
}
`,
};

/**
 * A control repo of the chaos test. Each edit gives one file its next version, in one atomic step.
 * A catalog shows the version of each file that it was compiled from.
 */
export class VersionedRepo {
  readonly directory: string;
  readonly groups: readonly Group[];
  readonly #root: string;
  readonly #versions = new Map<VersionedFile, Version[]>();

  /** Creates the repo in `directory` with a first version of each file, and with so many groups. */
  constructor(directory: string, nodesWithData: readonly string[], groups: number) {
    this.directory = directory;
    this.groups = Array.from({ length: groups }, (_, index): Group => `g${index}`);
    this.#root = join(directory, 'environments/production');
    for (const [path, text] of Object.entries(STATIC_FILES)) this.#write(path, text);
    for (const file of ['common', 'manifest', 'template', 'function'] as const) this.edit(file, file === 'common');
    for (const group of this.groups) this.edit(`group ${group}`, group !== 'g0');
    for (const certname of nodesWithData) this.edit(`node ${certname}`, false);
  }

  get files(): readonly VersionedFile[] {
    return [...this.#versions.keys()];
  }

  /** The number of each file's newest version. */
  get newest(): Versions {
    return new Map([...this.#versions].map(([file, versions]) => [file, versions.length]));
  }

  /** Writes the next version. The common data always defines `layered`. Returns its number. */
  edit(file: VersionedFile, hasLayered: boolean): number {
    const versions = this.#versions.get(file) ?? [];
    this.#versions.set(file, versions);
    const version: Version = { hasLayered: hasLayered || file === 'common' };
    versions.push(version);
    this.#write(pathOf(file), textOf(file, versions.length, version));
    return versions.length;
  }

  /** A version that was written; undefined when it never was. */
  getVersion(file: VersionedFile, number: number): Version | undefined {
    return this.#versions.get(file)?.[number - 1];
  }

  /** Changes a file that no catalog depends on. */
  editUnused(text: string): void {
    this.#write('data/unused.yaml', text);
  }

  #write(path: string, text: string): void {
    const target = join(this.#root, path);
    const beside = `${this.directory}.next`;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(beside, text);
    renameSync(beside, target);
  }
}

function pathOf(file: VersionedFile): string {
  const [kind, name] = file.split(' ');
  switch (kind) {
    case 'group':
      return `data/groups/${name}.yaml`;
    case 'node':
      return `data/nodes/${name}.yaml`;
    case 'manifest':
      return 'modules/chaos/manifests/init.pp';
    case 'template':
      return 'modules/chaos/templates/motd.erb';
    case 'function':
      return 'modules/chaos/lib/puppet/functions/chaos/mark.rb';
    default:
      return 'data/common.yaml';
  }
}

function textOf(file: VersionedFile, number: number, { hasLayered }: Version): string {
  const [kind = file] = file.split(' ');
  if (kind === 'manifest') return manifestText(number);
  if (kind === 'template') return `${number} <%= @facts['chaos_a'] %> <%= @group %>`;
  if (kind === 'function') {
    return `Puppet::Functions.create_function(:'chaos::mark') do\n  def mark(text)\n    "${number} #{text}"\n  end\nend\n`;
  }
  return `---\nchaos_${kind}: "${number}"\n${hasLayered ? `layered: "${kind} ${number}"\n` : ''}`;
}

function manifestText(number: number): string {
  return `# What a catalog shows.
class chaos {
  $own = $trusted['certname']
  notify { 'manifest': message => '${number}' }
  notify { 'facts': message => "\${facts['chaos_a']} \${facts['chaos_b']}" }
  notify { 'group': message => $group }
  notify { 'data common': message => lookup('chaos_common') }
  notify { 'data group': message => lookup('chaos_group') }
  notify { 'data node': message => lookup('chaos_node', { default_value => 'none' }) }
  notify { 'layered': message => lookup('layered') }
  notify { 'template': message => template('chaos/motd.erb') }
  notify { 'function': message => chaos::mark($facts['chaos_a']) }
  @@chaos::export { $own: value => $facts['chaos_b'], tag => "of_\${group}" }
  Chaos::Export <<| tag == "of_\${group}" |>>
}
`;
}
