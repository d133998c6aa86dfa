import type { Command } from 'commander';
import type { CertificateAuthority } from '../../access/ca/authority.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import { NamedError } from '../../util/named-error.ts';
import { type AuthorityLocation, withPlace, withStoresAndVault } from './authority-stores.ts';
import { readTrustedNames, TRUSTED_NAMES_OPTION } from './trusted-names-option.ts';

type Print = (text: string) => Promise<void>;

/** There is no request or certificate of that name; the message names it. */
export class NoCertificate extends NamedError {}

interface SignOptions extends AuthorityLocation {
  readonly all?: boolean;
  readonly allowSubjectAltNames?: boolean;
  readonly allowAuthorizationExtensions?: boolean;
  readonly allowWeakKeys?: boolean;
  readonly trustedOidMapping?: string;
}

const MOST_LISTED = 10_000;

/**
 * Adds `ca sign`, `ca revoke`, `ca revoke-server`, `ca clean`, `ca delete` and `ca prune`. They
 * work on the CA of a data directory, whether a server runs on it or not, or on the CA of the
 * deployment that `variables` name.
 */
export function addCertificateCommands(ca: Command, print: Print, variables: AwsNames): void {
  const open = (options: SignOptions, work: (authority: CertificateAuthority) => Promise<void>) =>
    withAuthority(options, variables, print, work);
  withPlace(ca.command('sign'))
    .description('sign certificate requests; `ca list --state requested --wide` lists them with fingerprints')
    .argument('[certname...]')
    .option('--all', 'sign all pending requests')
    .option('--allow-subject-alt-names', 'sign requests with alternative names')
    .option(
      '--allow-authorization-extensions',
      'sign requests with extensions that grant permissions, such as pp_auth_role',
    )
    .option('--allow-weak-keys', 'sign requests with RSA keys below 2048 bits, curves below 256 bits, or SHA-1')
    .option(...TRUSTED_NAMES_OPTION)
    .action((certnames: string[], options: SignOptions) =>
      open(options, async (authority) => {
        if (!options.all && certnames.length === 0) {
          throw new NoCertificate("give certnames, or --all; 'ca list --state requested' lists the requests");
        }
        const all = options.all ? await authority.listRequests(MOST_LISTED) : certnames;
        if (all.length === 0) return print('There is no request that waits for a signature.\n');
        await sign(authority, all, print);
      }),
    );
  withPlace(ca.command('clean'))
    .description('revoke the certificates of nodes; the nodes may request new ones')
    .argument('<certname...>')
    .action((certnames: string[], options: SignOptions) =>
      open(options, (authority) => clean(authority, certnames, print)),
    );
  withPlace(ca.command('revoke'))
    .description(
      'revoke all current and former certificates of nodes; the nodes may not request new ones until `clean`',
    )
    .argument('<certname...>')
    .action((certnames: string[], options: SignOptions) =>
      open(options, (authority) => revoke(authority, certnames, print)),
    );
  withPlace(ca.command('revoke-server'))
    .description('revoke the certificates of a server by its first name; it gets another one when it starts again')
    .argument('<name>')
    .action((name: string, options: SignOptions) =>
      open(options, async (authority) => {
        if (!(await authority.revokeServer(name))) throw new NoCertificate(`${name} is not the name of a server`);
        await print(`Revoked the certificates of the server ${name}. Start it again.\n`);
      }),
    );
  addEndedCertificateCommands(ca, print, variables);
}

interface DeleteOptions extends AuthorityLocation {
  readonly expired?: boolean;
  readonly revoked?: boolean;
}

/** Adds `ca delete` and `ca prune`, which remove what counts no more. */
function addEndedCertificateCommands(ca: Command, print: Print, variables: AwsNames): void {
  withPlace(ca.command('delete'))
    .description('delete stored certificates that expired or are revoked; the nodes may request new ones')
    .argument('[certname...]')
    .option('--expired', 'delete all that expired')
    .option('--revoked', 'delete all that are revoked')
    .action((certnames: string[], options: DeleteOptions) => deleteEnded(certnames, options, variables, print));
  withPlace(ca.command('prune'))
    .description('sign the revocation list without the entries of certificates that expired')
    .action((options: AuthorityLocation) =>
      withAuthority(options, variables, print, async ({ revocations }) => {
        await print(`Removed ${countUnits(await revocations.prune(), 'certificate')} from the revocation list.\n`);
      }),
    );
}

async function deleteEnded(
  certnames: readonly string[],
  options: DeleteOptions,
  variables: AwsNames,
  print: Print,
): Promise<void> {
  const { expired = false, revoked = false } = options;
  if (certnames.length === 0 && !expired && !revoked) throw new NoCertificate('give certnames, --expired or --revoked');
  const { CertificateAuthority } = await import('../../access/ca/authority.ts');
  const { deleteCertificates } = await import('../../access/ca/delete-certificates.ts');
  await withStoresAndVault(options, variables, async ({ documents, clock }, vault) => {
    const { revocations } = await CertificateAuthority.openExisting(documents, clock, vault);
    const which = { certnames, expired, revoked };
    const { deleted, valid, missing } = await deleteCertificates(documents, revocations, which, clock.now());
    for (const certname of deleted) await print(`Deleted the certificate of ${certname}.\n`);
    if (deleted.length === 0 && certnames.length === 0) await print('There is no such certificate.\n');
    const faults = [
      ...missing.map((one) => `${one} has no certificate`),
      ...valid.map((one) => `the certificate of ${one} is valid; 'ca clean' revokes and deletes it`),
    ];
    if (faults.length > 0) throw new NoCertificate(faults.join('\n'));
  });
}

async function printLines(lines: readonly string[], print: Print): Promise<void> {
  for (const line of lines) await print(`${line}\n`);
}

async function sign(authority: CertificateAuthority, certnames: readonly string[], print: Print): Promise<void> {
  for (const certname of certnames) {
    if ((await authority.sign(certname)) === null) throw new NoCertificate(`${certname} has no pending request`);
    await print(`Signed the certificate of ${certname}.\n`);
  }
}

async function revoke(authority: CertificateAuthority, certnames: readonly string[], print: Print): Promise<void> {
  await printRevoked(certnames, await authority.revokeAll(certnames), print);
}

/** Prints the revoked certnames, then throws for those that had no certificate. */
async function printRevoked(certnames: readonly string[], missing: readonly string[], print: Print): Promise<void> {
  for (const certname of certnames) {
    if (!missing.includes(certname)) await print(`Revoked the certificate of ${certname}.\n`);
  }
  if (missing.length > 0) throw new NoCertificate(missing.map((one) => `${one} has no certificate`).join('\n'));
}

async function clean(authority: CertificateAuthority, certnames: readonly string[], print: Print): Promise<void> {
  const missing = await authority.cleanAll(certnames);
  for (const certname of missing) await authority.refuse(certname);
  await printRevoked(certnames, missing, print);
}

// Loaded when a command runs, so that other commands start faster.
async function withAuthority(
  options: SignOptions,
  variables: AwsNames,
  print: Print,
  work: (authority: CertificateAuthority) => Promise<void>,
): Promise<void> {
  const { CertificateAuthority } = await import('../../access/ca/authority.ts');
  const { createSigningHook } = await import('../../fleet/nodes/signing-hook.ts');
  await withStoresAndVault(options, variables, async (stores, vault) => {
    const { documents, clock } = stores;
    const faults: string[] = [];
    const onSigned = createSigningHook(stores, await readTrustedNames(options.trustedOidMapping), (message, cause) =>
      faults.push(`${message}: ${cause instanceof Error ? cause.message : String(cause)}`),
    );
    const policy = {
      autosign: async () => false,
      allowSubjectAltNames: options.allowSubjectAltNames ?? false,
      allowAuthorizationExtensions: options.allowAuthorizationExtensions ?? false,
      allowWeakKeys: options.allowWeakKeys ?? false,
    };
    await work(await CertificateAuthority.openExisting(documents, clock, vault, policy, onSigned));
    await printLines(faults, print);
  });
}
