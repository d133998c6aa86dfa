import { X509Certificate } from 'node:crypto';
import type { ChaosWorld } from '../chaos/chaos-world.ts';
import { type ClientCredentials, sendRequest } from '../chaos/tls-client.ts';
import { makeRequest } from '../helpers/certificate-request.ts';

/** Revocation lists are read at each request, but not by connections that are open. */
const REVOKED_WITHIN_MS = 10_000;
const RETRY_MS = 500;

interface Issued extends ClientCredentials {
  /** When the revocation was acknowledged; null before. */
  revokedAt: number | null;
}

/** The certificates that the servers issued and revoked, as far as they have said so. */
export class CertificateModel {
  readonly #world: ChaosWorld;
  readonly #port: number;
  readonly #administrator: ClientCredentials;
  readonly #issued: Issued[] = [];
  readonly #serials = new Set<string>();
  revoked = 0;

  constructor(world: ChaosWorld, port: number, administrator: ClientCredentials) {
    [this.#world, this.#port, this.#administrator] = [world, port, administrator];
  }

  get issued(): number {
    return this.#issued.length;
  }

  /** A new agent asks for a certificate until it has one; now and then another one is revoked. */
  async step(number: number): Promise<void> {
    await this.#issue(`c${number}.example.com`);
    if (number % 3 === 2) await this.#revoke(this.#issued[number - 2]);
  }

  /** Every certificate must be there, and be accepted unless it was revoked. */
  async check(): Promise<void> {
    for (const one of this.#issued) await this.#checkOne(one);
  }

  async #issue(certname: string): Promise<void> {
    const { request, key } = await makeRequest(certname);
    const path = `/puppet-ca/v1/certificate_request/${certname}`;
    const headers = { 'Content-Type': 'text/plain' };
    const asked = await sendRequest(this.#administrator, this.#port, { method: 'PUT', path, headers, body: request });
    if (asked.status !== 200 && asked.status !== 0) return;
    const got = await this.#ask(`/puppet-ca/v1/certificate/${certname}`);
    if (got.status !== 200) return;
    const certificate = got.body.toString('utf8');
    const { serialNumber } = new X509Certificate(certificate);
    if (this.#serials.has(serialNumber)) this.#world.report(`${certname}: serial ${serialNumber} was issued before`);
    this.#serials.add(serialNumber);
    this.#issued.push({ certname, certificate, key, revokedAt: null });
  }

  async #revoke(issued: Issued | undefined): Promise<void> {
    if (issued === undefined || issued.revokedAt !== null) return;
    const path = `/puppet-ca/v1/certificate_status/${issued.certname}`;
    const headers = { 'Content-Type': 'application/json' };
    const body = '{"desired_state":"revoked"}';
    const answer = await sendRequest(this.#administrator, this.#port, { method: 'PUT', path, headers, body });
    if (answer.status !== 204 && answer.status !== 200) return;
    issued.revokedAt = performance.now();
    this.revoked += 1;
  }

  async #checkOne(issued: Issued): Promise<void> {
    const path = `/puppet/v3/node/${issued.certname}?environment=production`;
    for (let attempt = 0; ; attempt += 1) {
      const { status } = await sendRequest(issued, this.#port, { method: 'GET', path });
      const isRefused = status === 401 || status === 403 || status === 0;
      if (isRefused === (issued.revokedAt !== null)) return;
      const isLate =
        issued.revokedAt === null ? attempt > 20 : performance.now() > issued.revokedAt + REVOKED_WITHIN_MS;
      if (isLate) {
        const state = issued.revokedAt === null ? 'was issued' : 'is revoked';
        return this.#world.report(`${issued.certname}: its certificate ${state}, and the answer is ${status}`);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  #ask(path: string) {
    return sendRequest(this.#administrator, this.#port, { method: 'GET', path });
  }
}
