import { statSync } from 'node:fs';
import type { Command } from 'commander';
import type { CertificateAuthority } from '../ca/authority.ts';
import { StoreRefused } from '../store/ports.ts';

type Print = (text: string) => Promise<void>;

/** No request or certificate of that name; the message names it. */
export class NoCertificate extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoCertificate';
  }
}

const MOST_LISTED = 10_000;

/** Adds `sign` and `clean`, which work on the certificate authority of a data directory, while a server runs on it or not. */
export function addCertificateCommands(program: Command, print: Print): void {
  const data = ['--data <dir>', 'the data directory of npm start', '.understudy'] as const;
  program
    .command('sign')
    .description('sign the certificate requests of nodes; without a name, list the requests that wait')
    .argument('[certname...]')
    .option(...data)
    .action((certnames: string[], options: { data: string }) =>
      withAuthority(options.data, (authority) => sign(authority, certnames, print)),
    );
  program
    .command('clean')
    .description('revoke the certificates of nodes, so that they may ask for new ones')
    .argument('<certname...>')
    .option(...data)
    .action((certnames: string[], options: { data: string }) =>
      withAuthority(options.data, (authority) => clean(authority, certnames, print)),
    );
}

async function sign(authority: CertificateAuthority, certnames: readonly string[], print: Print): Promise<void> {
  if (certnames.length === 0) {
    for (const certname of await authority.waiting(MOST_LISTED)) await print(`${certname}\n`);
  }
  for (const certname of certnames) {
    if ((await authority.sign(certname)) === null) throw new NoCertificate(`${certname} has no request that waits`);
    await print(`Signed the certificate of ${certname}.\n`);
  }
}

async function clean(authority: CertificateAuthority, certnames: readonly string[], print: Print): Promise<void> {
  for (const certname of certnames) {
    if (!(await authority.clean(certname))) throw new NoCertificate(`${certname} has no certificate`);
    await print(`Revoked the certificate of ${certname}.\n`);
  }
}

// What the commands work with is loaded when one of them runs: other commands start sooner.
async function withAuthority(data: string, work: (authority: CertificateAuthority) => Promise<void>): Promise<void> {
  if (statSync(data, { throwIfNoEntry: false }) === undefined) {
    throw new StoreRefused(`data directory '${data}' does not exist; npm start makes it`);
  }
  const { CertificateAuthority } = await import('../ca/authority.ts');
  const { openEmbeddedStores } = await import('../store/embedded/stores.ts');
  const stores = openEmbeddedStores(data);
  try {
    await work(await CertificateAuthority.openExisting(stores.documents, stores.clock));
  } finally {
    stores.close();
  }
}
