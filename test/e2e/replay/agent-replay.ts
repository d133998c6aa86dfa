import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import type { LanguageLevel } from '../../../shared/config/language-level.ts';
import type { Peer } from '../../../shared/http/endpoint.ts';
import { type FrontDoor, openFrontDoor } from '../../../shared/http/front-door.ts';
import { peerOfCertificate } from '../../../shared/http/listener/peer.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { deployFolder } from '../../helpers/deploy-folder.ts';
import { createPeer } from '../../helpers/http-services.ts';
import { type Compared, compared } from './comparison.ts';
import { CompileWorker } from './compile-worker.ts';
import { type AgentExchange, headerOf } from './recorded-exchanges.ts';

/** Our front door, without a port, that is asked what agents asked a Puppet Server. */
export class AgentReplay {
  readonly faults: unknown[] = [];
  readonly #stores: EmbeddedStores;
  readonly #door: FrontDoor;
  readonly #worker: CompileWorker;

  private constructor(stores: EmbeddedStores, door: FrontDoor, faults: unknown[], language: LanguageLevel) {
    this.#stores = stores;
    this.#door = door;
    this.faults = faults;
    this.#worker = new CompileWorker(stores, (error) => faults.push(error), {
      language,
      strict: 'error',
      strictVariables: true,
    });
  }

  static async open(
    folder: string,
    controlRepo: string,
    environments: readonly string[],
    autosign: boolean,
    language: LanguageLevel = 'puppet-8',
  ): Promise<AgentReplay> {
    const stores = openEmbeddedStores(join(folder, 'data'));
    for (const name of environments) await deployFolder(stores, controlRepo, name, 'test');
    const options = { name: 'replay', autosign, keyBits: 2048 };
    await CertificateAuthority.open(stores.documents, stores.clock, options);
    const faults: unknown[] = [];
    const log = { logError: (message: string, cause: unknown) => faults.push([message, cause]) };
    const door = await openFrontDoor(stores, { authorityName: 'replay', autosign, log, settings: { language } });
    return new AgentReplay(stores, door, faults, language);
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    this.#stores.close();
  }

  async sign(certname: string): Promise<void> {
    await this.#door.authority.sign(certname);
  }

  /** Our answer to a recorded request. */
  async ask({ method, url, status, peer_cn, request_headers, request_body }: AgentExchange): Promise<Compared> {
    const headers = new Headers();
    for (const name of ['accept', 'content-type', 'x-puppet-version', 'user-agent']) {
      const value = headerOf(request_headers, name);
      if (value !== undefined) headers.set(name, value);
    }
    // What we have is younger than the recording.
    const since = headerOf(request_headers, 'if-modified-since');
    if (since !== undefined) headers.set('If-Modified-Since', status === 304 ? new Date().toUTCString() : since);
    const hasBody = method === 'PUT' || method === 'POST';
    const staging = await this.#stores.environments.get('staging');
    const address = `https://localhost${url.replace(/code_id=[^&]*/, `code_id=${staging?.codeId}`)}`;
    const request = new Request(address, { method, headers, body: hasBody ? String(request_body) : null });
    const response = await this.#door.app.fetch(request, { peer: await this.#peer(peer_cn) });
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
    return withoutNames(compared(answer, '/etc/puppetlabs/code'));
  }

  /** With the certificate of the node, if it got one here. */
  async #peer(certname: string | null): Promise<Peer | null> {
    if (certname === null) return null;
    const { authority } = this.#door;
    const pem = await authority.findCertificate(certname);
    const known = pem === null ? null : peerOfCertificate(new X509Certificate(pem).raw);
    return known ?? { ...createPeer(certname), issuer: authority.issuerName };
  }
}

/** The recorded answer of a server whose code was in this directory. */
export function recordedAnswer(exchange: AgentExchange, codeDirectory: string): Compared {
  const { status, response_headers, response_body } = exchange;
  const names = response_headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const headers = Object.fromEntries(names.map((name) => [name, headerOf(response_headers, name) ?? '']));
  const body = typeof response_body === 'string' ? response_body : (response_body.text_start ?? '');
  return withoutNames(compared({ status, headers, body }, codeDirectory));
}

/**
 * Certificates are other ones, and as many as the authority has; and what belonged to the user
 * `puppet` there belongs to root here.
 */
function withoutNames({ status, headers, body }: Compared): Compared {
  const text = JSON.stringify(body ?? null)
    .replaceAll(/"(owner|group)":\d+/g, '"$1":"someone"')
    .replaceAll(/(?:-----BEGIN ([\w ]+)-----.*?-----END \1-----(?:\\n)*)+/g, '$1 ');
  return { status, headers, body: JSON.parse(text) };
}

interface StaticCatalog {
  readonly metadata?: object;
  readonly recursive_metadata?: object;
}

/**
 * A catalog without the metadata of a static one, if theirs had none: that server had no code ids.
 */
export function withoutMetadata(ours: Compared, theirs: Compared): Compared {
  if (!isCatalog(ours.body) || !isCatalog(theirs.body) || theirs.body.metadata !== undefined) return ours;
  const { metadata = {}, recursive_metadata: _, ...plain } = ours.body;
  if (Object.keys(metadata).length === 0) throw new Error('our catalog is not a static one');
  return { ...ours, body: plain };
}

function isCatalog(body: unknown): body is StaticCatalog {
  return typeof body === 'object' && body !== null && 'catalog_uuid' in body;
}
