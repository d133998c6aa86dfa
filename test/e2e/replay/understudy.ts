import { join } from 'node:path';
import { Authorization } from '../../../shared/access/authorization/authorization.ts';
import { defaultRules } from '../../../shared/access/authorization/default-rules.ts';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { CONNECTIONS } from '../../../shared/config/connections.ts';
import { environmentsOf } from '../../../shared/fleet/code/scan-environment.ts';
import { openFrontDoor } from '../../../shared/http/front-door.ts';
import { type EdgeServer, startEdgeServer } from '../../../shared/http/listener/edge-server.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { deployFolder } from '../../helpers/deploy-folder.ts';
import { Asking } from './asking.ts';
import { CompileWorker, type Strictness } from './compile-worker.ts';
import { ADMINISTRATIVE } from './requests.ts';

/**
 * Our front door over TLS on a control repo, all of it in this process. `admin.example.com` may do
 * everything.
 */
export class Understudy {
  readonly asking: Asking;
  /** What it logged. */
  readonly errors: unknown[];
  readonly #edge: EdgeServer;
  readonly #stores: EmbeddedStores;
  readonly #worker: CompileWorker;

  private constructor(edge: EdgeServer, stores: EmbeddedStores, errors: unknown[], strictness?: Strictness) {
    this.asking = new Asking(edge.port);
    this.errors = errors;
    this.#edge = edge;
    this.#stores = stores;
    this.#worker = new CompileWorker(stores, (error) => errors.push(error), strictness);
  }

  static async start(folder: string, controlRepo: string, strictness?: Strictness): Promise<Understudy> {
    const stores = openEmbeddedStores(join(folder, 'data'));
    // Its modules are links to those of the machine.
    const scan = { followLinks: true };
    for (const name of environmentsOf(controlRepo)) await deployFolder(stores, controlRepo, name, 'test', {}, scan);
    const authorityOptions = { name: 'replay', autosign: true, keyBits: 2048 };
    await CertificateAuthority.open(stores.documents, stores.clock, authorityOptions);
    const errors: unknown[] = [];
    const { app, trusted, serverCredentials } = await openFrontDoor(stores, {
      authorityName: 'replay',
      autosign: true,
      authorization: authorization(),
      log: { logError: (message, cause) => errors.push(message, cause) },
    });
    const edge = await startEdgeServer({
      app,
      credentials: await serverCredentials('localhost', ['localhost']),
      trusted,
      host: '127.0.0.1',
      port: 0,
      clock: stores.clock,
      connections: CONNECTIONS.frontDoor,
      reportFailure: (error) => errors.push(error),
    });
    return new Understudy(edge, stores, errors, strictness);
  }

  async stop(): Promise<void> {
    await this.#edge.close(0);
    await this.#worker.stop();
    this.#stores.close();
  }
}

/** What only an administrator may do, before the rules that are there anyway. */
function authorization(): Authorization {
  const rules = ADMINISTRATIVE.map((path) => ({
    name: path,
    'sort-order': 400,
    'match-request': { path, type: 'path' },
    allow: 'admin.example.com',
  }));
  return Authorization.read(
    JSON.stringify({ authorization: { version: 1, rules: [...rules, ...defaultRules('puppet-8')] } }),
    'auth.conf',
  );
}
