import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { StoredPackage } from '../../http/packages/package-store.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import { addListOptions, createListStyle, type ListColumn, type ListOptions, printList } from '../client/list-table.ts';
import { DATA_OPTION, type StateLocation, withStores } from './command-stores.ts';

type Print = (text: string) => Promise<void>;

interface UploadOptions extends StateLocation {
  readonly packageVersion: string;
  readonly platform: string;
  readonly current?: boolean;
}

/** Adds `packages upload` and `packages list`. */
export function addPackageCommands(program: Command, print: Print, variables: AwsNames): void {
  const packages = program
    .command('packages')
    .description('manage the agent packages that install.bash and install.ps1 install');
  packages
    .command('upload')
    .description('upload an agent package for a platform: openvox-agent or puppet-agent, .deb, .rpm, .dmg or .msi')
    .argument('<file>')
    .requiredOption('--package-version <version>', 'the version in the URL, such as 8.28.1')
    .requiredOption(
      '--platform <tag>',
      'debian-12-amd64, ubuntu-24.04-amd64, el-9-x86_64, sles-15-x86_64, osx-14-arm64, windows-x86_64',
    )
    .option('--current', 'also make this version the current one')
    .option(...DATA_OPTION)
    .action((file: string, options: UploadOptions) =>
      withStores(options, variables, async (stores) => {
        const { makeCurrent, storePackage } = await import('../../http/packages/package-store.ts');
        const path = `${options.platform}/${servedName(file.split('/').at(-1) ?? '')}`;
        const stored = await storePackage(stores, options.packageVersion, path, readFileSync(file));
        if (options.current) await makeCurrent(stores, options.packageVersion);
        await print(
          `${stored.sha256}  /packages/${stored.version}/${stored.path} (${countUnits(stored.size, 'byte')})\n`,
        );
      }),
    );
  const list = packages
    .command('list')
    .description('list the packages: digest, path, size')
    .option(...DATA_OPTION);
  addListOptions(list, COLUMNS).action((options: StateLocation & ListOptions) =>
    withStores(options, variables, async (stores) => {
      const { listPackages } = await import('../../http/packages/package-store.ts');
      const style = createListStyle(options, stores.clock.now(), "There is no package; 'packages upload' stores one.");
      await print(printList(await listPackages(stores), COLUMNS, style));
    }),
  );
}

/** The name without its version, under which installers ask; that of any other file stays. */
function servedName(file: string): string {
  const kind = /\.(deb|rpm|dmg|msi)$/.exec(file)?.[1];
  if (kind === undefined) return file;
  return `${file.startsWith('openvox-agent') ? 'openvox-agent' : 'puppet-agent'}.${kind}`;
}

const COLUMNS: readonly ListColumn<StoredPackage>[] = [
  { name: 'version', value: ({ version }) => version },
  { name: 'path', value: ({ version, path }) => `/packages/${version}/${path}` },
  { name: 'bytes', value: ({ size }) => size },
  { name: 'sha256', kind: 'id', value: ({ sha256 }) => sha256 },
];
