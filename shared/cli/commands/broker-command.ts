import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { systemClock } from '../../store/system-clock.ts';
import { parseWholeNumber } from '../client/option-values.ts';

/** Parts of the process for the command. */
interface BrokerCommandContext {
  readonly print: (text: string) => Promise<void>;
  readonly warn: (line: string) => void;
}

interface BrokerOptions {
  readonly host: string;
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
  readonly crl?: string;
  readonly policy: string;
  readonly maxConnections: number;
  readonly maxMessageBytes: number;
  readonly idleTimeout: number;
  readonly handshakesPerSecond: number;
  readonly maxIncompleteBytes: number;
  readonly drainTime: number;
  readonly data?: string;
  readonly instance?: string;
}

/** Adds `understudy broker`. */
export function addBrokerCommand(program: Command, context: BrokerCommandContext): void {
  program
    .command('broker')
    .description('run a PCP broker alone, for PXP agents')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port to listen on; 0 for a free one', parseWholeNumber(0, 65_535), 8142)
    .requiredOption('--certificate <file>', "the broker's certificate, PEM")
    .requiredOption('--key <file>', 'its key, PEM')
    .requiredOption('--ca <file>', 'the certificates of the CA whose clients may connect, PEM')
    .option('--crl <file>', 'the revocation lists of that CA, PEM; a change of the file counts at once')
    .requiredOption('--policy <file>', 'who may send which messages, in the form of auth.conf')
    .option('--max-connections <number>', 'refuse further connections; 0: no limit', parseWholeNumber(0, 10_000_000), 0)
    .option(
      '--max-message-bytes <bytes>',
      'close the connection of a longer message',
      parseWholeNumber(1024, 64 * 1024 * 1024),
      64 * 1024 * 1024,
    )
    .option(
      '--max-incomplete-bytes <bytes>',
      'close the connection with the longest incomplete message when those of all connections take more memory',
      parseWholeNumber(1024 * 1024, 64 * 1024 ** 3),
      256 * 1024 * 1024,
    )
    .option(
      '--idle-timeout <seconds>',
      'close a connection that sent no frame for this time',
      parseWholeNumber(1, 86_400),
      360,
    )
    .option(
      '--handshakes-per-second <number>',
      'close further connections before TLS, so that agents back off; up to four times as many begin while there is time to spare',
      parseWholeNumber(1, 100_000),
      150,
    )
    .option(
      '--drain-time <seconds>',
      'on SIGTERM, close the connections one after another within this time',
      parseWholeNumber(0, 3600),
      10,
    )
    .option('--data <dir>', 'a data directory that several brokers share: a message finds a client at any of them')
    .option('--instance <name>', 'the name of this broker among those of the directory (default: its address)')
    .action((options: BrokerOptions) => run(options, context));
}

/** Runs until a signal ends the process. */
async function run(options: BrokerOptions, { print, warn }: BrokerCommandContext): Promise<void> {
  const { Authorization } = await import('../../access/authorization/authorization.ts');
  const { acceptRateOf } = await import('../../orchestrator/broker/accept-gate.ts');
  const { startBrokerServer } = await import('../../orchestrator/broker/broker-server.ts');
  const { MessagePolicy } = await import('../../orchestrator/broker/message-policy.ts');
  const { host, port, crl, policy, handshakesPerSecond: perSecond } = options;
  const stores = options.data === undefined ? null : await openStores(options.data);
  const server = await startBrokerServer({
    host,
    port,
    credentials: {
      certificate: readFileSync(options.certificate, 'utf8'),
      key: readFileSync(options.key, 'utf8'),
      trusted: readFileSync(options.ca, 'utf8'),
    },
    readRevocations: async () => (crl === undefined ? null : readFile(crl, 'utf8')),
    policy: new MessagePolicy(Authorization.read(readFileSync(policy, 'utf8'), policy)),
    clock: systemClock,
    limits: {
      maxConnections: options.maxConnections,
      maxMessageBytes: options.maxMessageBytes,
      mostIncompleteBytes: options.maxIncompleteBytes,
      idleTimeoutMs: options.idleTimeout * 1000,
    },
    ...(stores && { site: { stores, instance: options.instance ?? `${host}:${port}` } }),
    acceptRate: acceptRateOf(perSecond),
    reportFailure: (message, cause) => warn(`${message}: ${cause instanceof Error ? cause.message : String(cause)}`),
  });
  await print(`The PCP broker listens on wss://${host}:${server.port}/pcp2/ and /pcp/.\n`);
  await Promise.race([waitForSignal(), server.ended]);
  await server.stop(options.drainTime * 1000);
  stores?.close();
}

/** A signal may arrive twice, from the terminal and from npm: the second one changes nothing. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => resolve());
  });
}

async function openStores(directory: string) {
  const { openEmbeddedStores } = await import('../../store/embedded/stores.ts');
  return openEmbeddedStores(directory);
}
