import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { CertificateAuthority } from '../../access/ca/authority.ts';
import type { CertificateStatus } from '../../access/ca/certificate-status.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { countUnits } from '../../util/count-units.ts';
import type { WorkObserver } from '../../util/work-observer.ts';
import { addListOptions, createListStyle, type ListColumn, type ListOptions, printList } from '../client/list-table.ts';
import { Progress } from '../client/progress.ts';
import { type AuthorityLocation, withPlace, withStoresAndVault } from './authority-stores.ts';
import { dataDirectory } from './command-stores.ts';
import { makeDataDirectory } from './data-directory.ts';
import { CommandError } from './node-files.ts';

type Print = (text: string) => Promise<void>;

interface SetupOptions extends AuthorityLocation {
  readonly name: string;
  readonly keyType: 'rsa' | 'ec';
}

interface ImportOptions extends AuthorityLocation {
  readonly replace?: boolean;
}

interface GenerateOptions extends AuthorityLocation {
  readonly into: string;
  readonly subjectAltNames?: string;
  readonly administrator?: boolean;
  readonly keyType: 'rsa' | 'ec';
}

/** Adds `ca setup`, `ca list`, `ca generate`, `ca import`, `ca update-lists` and `ca export`. */
export function addAuthorityCommands(ca: Command, print: Print, variables: AwsNames): void {
  withPlace(ca.command('setup'))
    .description('create the certificate authority; otherwise the first start of a server does it')
    .requiredOption('--name <name>', 'the name of the CA; its subject is `Puppet CA: NAME`')
    .addOption(new Option('--key-type <type>', 'the type of its keys').choices(['rsa', 'ec']).default('rsa'))
    .action((options: SetupOptions) => setUpAuthority(options, variables, print));
  const listCommand = withPlace(ca.command('list'))
    .description('list requests and certificates: name, state, expiry, alternative names; with --wide, fingerprints')
    .addOption(new Option('--state <state>', 'only those in this state').choices(['requested', 'signed', 'revoked']));
  addListOptions(listCommand, COLUMNS).action((options: CertificateListOptions) => list(options, variables, print));
  withPlace(ca.command('generate'))
    .description('create a key and a certificate, and write them to NAME.key.pem and NAME.pem')
    .argument('<certname>')
    .requiredOption('--into <dir>', 'the folder for both files')
    .option('--subject-alt-names <names>', 'alternative names (DNS names, addresses), separated by commas')
    .addOption(
      new Option(
        '--key-type <type>',
        'the type of its key; some Ruby clients, such as the module node_manager, need rsa',
      )
        .choices(['rsa', 'ec'])
        .default('ec'),
    )
    .option('--administrator', 'let the certificate use the APIs of the CA and of Understudy')
    .action((certname: string, options: GenerateOptions) => generate(certname, options, variables, print));
  withPlace(ca.command('import'))
    .description(
      'import the CA of a Puppet Server: the folder with ca_crt.pem, ca_key.pem, ca_crl.pem, infra_crl.pem, serial, inventory.txt, signed/',
    )
    .argument(
      '<dir>',
      "Debian's is /etc/puppet/puppetserver/ca, that of other packages /etc/puppetlabs/puppetserver/ca",
    )
    .option(
      '--replace',
      'take the place of a CA that no node has a certificate of, as of a first start; no server may run',
    )
    .action((directory: string, options: ImportOptions) => importFrom(directory, options, variables, print));
  withPlace(ca.command('update-lists'))
    .description('replace revocation lists of the CAs above ours by newer ones, before the old ones end')
    .argument('<file>', 'the lists of these CAs, PEM')
    .action((file: string, options: AuthorityLocation) => updateLists(file, options, variables, print));
  withPlace(ca.command('export'))
    .description(
      'write the CA, with its key in clear, into a new folder: the files of a Puppet Server, which `ca import` takes, too',
    )
    .argument('<dir>')
    .action((directory: string, options: AuthorityLocation) => exportTo(directory, options, variables, print));
}

async function exportTo(
  directory: string,
  options: AuthorityLocation,
  variables: AwsNames,
  print: Print,
): Promise<void> {
  const { exportAuthority } = await import('../../access/ca/export-authority.ts');
  const { NO_VAULT } = await import('../../access/ca/authority-record.ts');
  if (existsSync(directory)) throw new StoreRefused(`'${directory}' already exists`);
  await withStoresAndVault(options, variables, async ({ documents, clock }, vault) => {
    const { name, files, certificates } = await exportAuthority(documents, clock, vault ?? NO_VAULT);
    mkdirSync(join(directory, 'signed'), { recursive: true, mode: 0o700 });
    for (const [path, text] of Object.entries(files)) {
      writeFileSync(join(directory, path), text, { mode: 0o600, flag: 'wx' });
    }
    await print(
      `Exported ${name} with ${countUnits(certificates, 'certificate')}. Its key is not encrypted: keep it safe.\n`,
    );
  });
}

async function setUpAuthority(options: SetupOptions, variables: AwsNames, print: Print): Promise<void> {
  const { CertificateAuthority } = await import('../../access/ca/authority.ts');
  const { demandNoAuthority } = await import('../../access/ca/remove-authority.ts');
  await makeDataDirectory(options);
  await withStoresAndVault(options, variables, async ({ documents, clock }, vault) => {
    await demandNoAuthority(documents);
    const { name, keyType } = options;
    const made = { name, keyType, autosign: false, ...(vault === undefined ? {} : { vault }) };
    const authority = await CertificateAuthority.open(documents, clock, made);
    await print(`Created the certificate authority ${authority.issuerName}.\n`);
  });
}

interface CertificateListOptions extends AuthorityLocation, ListOptions {
  readonly state?: 'requested' | 'signed' | 'revoked';
}

async function list(options: CertificateListOptions, variables: AwsNames, print: Print): Promise<void> {
  const { CertificateAuthority } = await import('../../access/ca/authority.ts');
  const { CertificateStatuses } = await import('../../access/ca/certificate-status.ts');
  await withStoresAndVault(options, variables, async ({ documents, clock }, vault) => {
    const { revocations } = await CertificateAuthority.openExisting(documents, clock, vault);
    const rows: CertificateStatus[] = [];
    for await (const status of new CertificateStatuses(documents, revocations).listStatuses(options.state ?? null)) {
      rows.push(status);
    }
    const style = createListStyle(options, clock.now(), 'There is no such request or certificate.');
    await print(printList(rows, COLUMNS, style, (status) => status));
  });
}

/** The time that the certificate API writes as `2031-11-23T10:00:00UTC`; null without one. */
function readDateTime(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text.replace('UTC', 'Z'));
}

const COLUMNS: readonly ListColumn<CertificateStatus>[] = [
  { name: 'certname', value: ({ name }) => name },
  { name: 'state', kind: 'state', value: ({ state }) => state },
  { name: 'expires', kind: 'time', value: ({ not_after }) => readDateTime(not_after) },
  {
    name: 'alternative_names',
    value: ({ name, subject_alt_names }) => subject_alt_names.filter((one) => one !== `DNS:${name}`),
  },
  // Whoever signs a request compares it with that of the agent.
  { name: 'sha256_fingerprint', value: ({ fingerprint }) => fingerprint, isWide: true },
];

async function generate(certname: string, options: GenerateOptions, variables: AwsNames, print: Print): Promise<void> {
  const { CertificateAuthority } = await import('../../access/ca/authority.ts');
  const paths = [join(options.into, `${certname}.key.pem`), join(options.into, `${certname}.pem`)] as const;
  for (const path of paths) if (existsSync(path)) throw new StoreRefused(`'${path}' already exists`);
  // Before the certificate is made: its key would be lost.
  mkdirSync(options.into, { recursive: true, mode: 0o700 });
  await withStoresAndVault(options, variables, async ({ documents, clock }, vault) => {
    const authority = await CertificateAuthority.openExisting(documents, clock, vault);
    const names = options.subjectAltNames?.split(',') ?? [];
    const { administrator = false, keyType } = options;
    const { key, certificate } = await authority.generate(certname, names, administrator, keyType);
    writeFileSync(paths[0], key, { mode: 0o600, flag: 'wx' });
    writeFileSync(paths[1], certificate, { flag: 'wx' });
    await print(`${paths.join('\n')}\n`);
  });
}

async function importFrom(directory: string, options: ImportOptions, variables: AwsNames, print: Print): Promise<void> {
  const { replace = false } = options;
  const { CertificateAuthority } = await import('../../access/ca/authority.ts');
  const { importAuthority } = await import('../../access/ca/import-authority.ts');
  const { NO_VAULT } = await import('../../access/ca/authority-record.ts');
  const files = readAuthorityFiles(directory);
  await makeDataDirectory(options);
  const lock = replace ? await lockForReplacement(options, variables) : null;
  await withStoresAndVault(options, variables, async ({ documents, clock }, vault) => {
    const progress = new Progress();
    const observe: WorkObserver = (what, done, of) => progress.show(what, done, of);
    const importing = importAuthority(documents, vault ?? NO_VAULT, files, clock.now(), replace, observe);
    const imported = await importing.finally(() => progress.end());
    const { name, certificates, revoked } = imported;
    await print(`Imported ${name}: ${countUnits(certificates, 'certificate')}, ${revoked} revoked.\n`);
    const authority = await CertificateAuthority.openExisting(documents, clock, vault);
    await print(await describeUpperLists(authority));
  }).finally(() => lock?.release());
}

/** A server keeps the CA in memory: it must not run while another one takes its place. */
async function lockForReplacement(options: ImportOptions, variables: AwsNames) {
  const directory = dataDirectory(options, variables, 'documentsTable');
  if (directory === null)
    throw new CommandError('--replace is for a data directory, not for a database or a deployment in AWS');
  const { ServerLock } = await import('../../store/embedded/server-lock.ts');
  return new ServerLock(directory);
}

/** Reads the folder of a Puppet Server's CA. Throws CommandError, which says what to do. */
function readAuthorityFiles(directory: string) {
  const text = (name: string) => {
    try {
      return readFileSync(join(directory, name), 'utf8');
    } catch (error) {
      throw new CommandError(describeUnreadable(directory, name, error));
    }
  };
  const optional = (name: string) => (existsSync(join(directory, name)) ? text(name) : '');
  return {
    certificates: text('ca_crt.pem'),
    key: text('ca_key.pem'),
    revocationLists: text('ca_crl.pem'),
    infraLists: optional('infra_crl.pem'),
    serial: text('serial'),
    inventory: optional('inventory.txt'),
    signed: listSigned(join(directory, 'signed')),
  };
}

function describeUnreadable(directory: string, name: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EACCES') {
    return `'${join(directory, name)}' may not be read by this user: run the command as root; what it makes then belongs to the owner of the folder that --data is in`;
  }
  const places = 'on Debian /etc/puppet/puppetserver/ca, else /etc/puppetlabs/puppetserver/ca or ca in the ssldir';
  return `'${directory}' is no CA folder of a Puppet Server: it has no file ${name} (the folder is ${places})`;
}

async function updateLists(file: string, options: AuthorityLocation, variables: AwsNames, print: Print): Promise<void> {
  const { CertificateAuthority } = await import('../../access/ca/authority.ts');
  const pem = readFileSync(file, 'utf8');
  await withStoresAndVault(options, variables, async ({ documents, clock }, vault) => {
    const authority = await CertificateAuthority.openExisting(documents, clock, vault);
    const replaced = await authority.updateLists(pem);
    await print(
      replaced.length === 0
        ? 'No list is newer than ours.\n'
        : replaced.map((one) => `Replaced the list of ${one}.\n`).join(''),
    );
    await print(await describeUpperLists(authority));
  });
}

/** When the lists end that others must renew: agents then refuse every certificate of the chain. */
async function describeUpperLists(authority: CertificateAuthority): Promise<string> {
  const { lists } = await authority.listExpirations();
  return lists
    .filter(({ name }) => name !== authority.issuerName)
    .map(({ name, at }) => `The list of ${name} ends on ${at.toISOString().slice(0, 10)}.\n`)
    .join('');
}

function* listSigned(directory: string): Generator<string> {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    if (name.endsWith('.pem')) yield readFileSync(join(directory, name), 'utf8');
  }
}
