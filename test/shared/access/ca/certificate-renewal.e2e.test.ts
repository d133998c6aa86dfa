import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { RenewalRefused } from '../../../../shared/access/ca/certificate-renewal.ts';
import { serialsOf } from '../../../../shared/access/ca/serials.ts';
import type { DocumentStore } from '../../../../shared/store/ports/document-store.ts';
import { makeRequest } from '../../../helpers/certificate-request.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';
import { PausedDocuments } from '../../../helpers/paused-documents.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

const HOUR_MS = 3600_000;
const OPTIONS = { name: 'understudy.example.com', autosign: true, keyType: 'ec' } as const;

/** A CA with two processes whose calls can be held. */
async function openWorld(documents: DocumentStore) {
  const clock = new ManualClock(Date.UTC(2026, 10, 22));
  const authority = await CertificateAuthority.open(documents, clock, OPTIONS);
  const open = async () => {
    const paused = new PausedDocuments(documents);
    return { paused, authority: await CertificateAuthority.open(paused.documents, clock, OPTIONS) };
  };
  return { clock, documents, authority, renewing: await open(), revoking: await open() };
}

type World = Awaited<ReturnType<typeof openWorld>>;
type Party = World['renewing'];

interface Work {
  readonly party: Party;
  readonly run: () => Promise<unknown>;
}

interface Enrolled {
  readonly certname: string;
  /** PEM. */
  readonly request: string;
  /** The certificate, DER. */
  readonly old: Uint8Array;
}

let names = 0;

function newName(): string {
  names += 1;
  return `web${names}.example.com`;
}

function der(pem: string): Uint8Array {
  return new X509Certificate(pem).raw;
}

/** A new node with a certificate. */
async function enrollNode({ authority }: World): Promise<Enrolled> {
  const certname = newName();
  const { request } = await makeRequest(certname);
  await authority.submit(certname, request);
  return { certname, request, old: der((await authority.findCertificate(certname)) ?? '') };
}

/** A node with a certificate, DER. */
async function enroll({ authority }: World, certname: string): Promise<Uint8Array> {
  await authority.submit(certname, (await makeRequest(certname)).request);
  return der((await authority.findCertificate(certname)) ?? '');
}

/**
 * Nodes of a CA, which are made once. Each copy of their world opens the CA again, with a short
 * revocation list, which is quicker to sign.
 */
class Nodes {
  readonly #documents = new MemoryDocuments();
  readonly #nodes: Enrolled[] = [];

  /** Enrolls so many, and calls `then` for each. */
  async add(
    count: number,
    then = async (_world: World, _node: Enrolled): Promise<unknown> => undefined,
  ): Promise<void> {
    const world = await openWorld(this.#documents);
    for (let i = 0; i < count; i += 1) {
      const node = await enrollNode(world);
      await then(world, node);
      this.#nodes.push(node);
    }
  }

  openCopy(): Promise<World> {
    return openWorld(this.#documents.copy());
  }

  at(index: number): Enrolled {
    const node = this.#nodes[index];
    if (!node) throw new Error(`there are ${this.#nodes.length} nodes`);
    return node;
  }
}

/** How many calls `work` makes when nothing disturbs it. */
async function callsOf({ party, run }: Work): Promise<number> {
  await (await party.paused.runUntil(Number.POSITIVE_INFINITY, run)).ended;
  return party.paused.calls;
}

/**
 * Runs one up to a call, then the other one up to a call, then the first one to its end, then the
 * second one.
 */
async function interleave(first: Work, at: number, second: Work, until: number) {
  const one = await first.party.paused.runUntil(at, first.run);
  const two = await second.party.paused.runUntil(until, second.run);
  first.party.paused.release();
  const outcomes = [await one.ended];
  second.party.paused.release();
  return [...outcomes, await two.ended] as const;
}

/** Serial numbers of `certname` that still count. */
async function valid({ documents, authority }: World, certname: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { serial } of await serialsOf(documents, certname)) {
    if (!(await authority.revocations.isRevoked(serial))) left.push(serial);
  }
  return left;
}

function renewal({ renewing: party }: World, certname: string, old: Uint8Array): Work {
  return { party, run: () => party.authority.renew(old, certname) };
}

function isRefusal(result: PromiseSettledResult<unknown> | undefined): boolean {
  return result?.status === 'rejected' && result.reason instanceof RenewalRefused;
}

type Removal = (authority: CertificateAuthority, certname: string) => Promise<unknown>;

const REMOVALS: readonly (readonly [string, Removal])[] = [
  ['clean', (authority, certname) => authority.clean(certname)],
  ['revoke', (authority, certname) => authority.revoke(certname)],
];

describe.each(REMOVALS)('a renewal beside %s, at every pair of store calls', (_, remove) => {
  function removal({ revoking: party }: World, certname: string): Work {
    return { party, run: () => remove(party.authority, certname) };
  }

  it.each(['renewal', 'removal'])(
    'leaves no certificate that counts when the %s begins',
    async (begins) => {
      const nodes = new Nodes();
      await nodes.add(1);
      const sample = nodes.at(0);
      const sampled = await nodes.openCopy();
      const renews = await callsOf(renewal(sampled, sample.certname, sample.old));
      const removes = await callsOf(removal(sampled, sample.certname));
      expect([renews > 8, removes > 5]).toEqual([true, true]);
      await nodes.add(removes);
      const left: string[] = [];
      for (let i = 0; i <= renews; i += 1) {
        const world = await nodes.openCopy();
        for (let j = 0; j <= removes; j += 1) {
          const { certname, old } = nodes.at(j);
          const [a, b] = [renewal(world, certname, old), removal(world, certname)];
          const isFirst = begins === 'renewal';
          const results = await (isFirst ? interleave(a, i, b, j) : interleave(b, j, a, i));
          const [renewed, removed] = isFirst ? results : [results[1], results[0]];
          const place = `renewal at ${i}, removal at ${j}`;
          expect(removed, place).toEqual({ status: 'fulfilled', value: true });
          expect(renewed?.status === 'fulfilled' || isRefusal(renewed), place).toBe(true);
          left.push(...(await valid(world, certname)).map((serial) => `${place}: ${serial}`));
        }
      }
      expect(left).toEqual([]);
    },
    120_000,
  );
});

describe('a renewal of a node that the CA forgot, beside a new certificate that is cleaned', () => {
  it('leaves no certificate that counts, at every store call', async () => {
    const again = ({ revoking: party }: World, { certname, request }: Enrolled): Work => ({
      party,
      run: async () => {
        await party.authority.submit(certname, request).catch(() => {});
        return party.authority.clean(certname);
      },
    });
    const nodes = new Nodes();
    const add = (count: number) => nodes.add(count, ({ authority }, { certname }) => authority.forget(certname));
    await add(2);
    const [sample, other] = [nodes.at(0), nodes.at(1)];
    const sampled = await nodes.openCopy();
    const renews = await callsOf(renewal(sampled, sample.certname, sample.old));
    const cleans = await callsOf(again(sampled, other));
    await add(cleans - 1);
    for (let i = 0; i <= renews; i += 1) {
      const world = await nodes.openCopy();
      for (let j = 0; j <= cleans; j += 1) {
        const { certname, old, request } = nodes.at(j);
        const results = await interleave(renewal(world, certname, old), i, again(world, { certname, old, request }), j);
        const place = `renewal at ${i}, cleaning at ${j}`;
        expect(results[1], place).toEqual({ status: 'fulfilled', value: true });
        expect(await valid(world, certname), place).toEqual([]);
      }
    }
  });
});

describeStores('a renewal beside clean', (open) => {
  it('leaves no certificate that counts when clean runs before any call of the renewal', async () => {
    const world = await openWorld((await open()).documents);
    const { revoking: party } = world;
    const sample = newName();
    const calls = await callsOf(renewal(world, sample, await enroll(world, sample)));
    for (let i = 0; i <= calls; i += 1) {
      const certname = newName();
      const cleaning = { party, run: () => party.authority.clean(certname) };
      const renewing = renewal(world, certname, await enroll(world, certname));
      const [renewed, cleaned] = await interleave(renewing, i, cleaning, Number.POSITIVE_INFINITY);
      expect(cleaned, `at ${i}`).toEqual({ status: 'fulfilled', value: true });
      expect([i, isRefusal(renewed)]).toEqual([i, i < calls]);
      expect(await valid(world, certname), `at ${i}`).toEqual([]);
      expect(await world.authority.findCertificate(certname), `at ${i}`).toBeNull();
    }
  });
});

describe('renewals of one node', () => {
  it('are granted once an interval, a fresh certificate at once', async () => {
    const world = await openWorld(new MemoryDocuments());
    const certname = newName();
    const old = await enroll(world, certname);
    const { authority, clock } = world;
    const renewed = (await authority.renew(old, certname)) ?? '';
    const refusal = `The certificate of ${certname} may not be renewed before 2026-11-23T00:00:00.000Z`;
    await expect(authority.renew(der(renewed), certname)).rejects.toThrow(new RenewalRefused(refusal));
    clock.time += 24 * HOUR_MS - 1;
    await expect(authority.renew(der(renewed), certname)).rejects.toThrow(new RenewalRefused(refusal));
    clock.time += 1;
    expect(await authority.renew(der(renewed), certname)).toContain('BEGIN CERTIFICATE');
    expect(await valid(world, certname)).toHaveLength(3);
  });

  it('give the same certificate again to a node that lost the answer, until it is revoked', async () => {
    const { authority, documents, ...world } = await openWorld(new MemoryDocuments());
    const certname = newName();
    const old = await enroll({ authority, documents, ...world }, certname);
    const renewed = await authority.renew(old, certname);
    for (let times = 0; times < 25; times += 1) expect(await authority.renew(old, certname)).toBe(renewed);
    expect(await serialsOf(documents, certname)).toHaveLength(2);
    await authority.revoke(certname);
    await expect(authority.renew(old, certname)).rejects.toThrow(
      new RenewalRefused(`The certificate of ${certname} is revoked`),
    );
  });

  it('give no certificate with another key', async () => {
    const world = await openWorld(new MemoryDocuments());
    const certname = newName();
    const forgotten = await enroll(world, certname);
    await world.authority.forget(certname);
    await world.authority.renew(await enroll(world, certname), certname);
    await expect(world.authority.renew(forgotten, certname)).rejects.toThrow(
      new RenewalRefused(`The certificate of ${certname} may not be renewed before 2026-11-23T00:00:00.000Z`),
    );
  });

  it('wait no longer than a quarter of the life of the certificate', async () => {
    const { clock, documents } = await openWorld(new MemoryDocuments());
    const authority = await CertificateAuthority.open(documents, clock, { ...OPTIONS, autosign: false });
    const certname = newName();
    await authority.submit(certname, (await makeRequest(certname)).request);
    const old = der((await authority.sign(certname, 2 * HOUR_MS)) ?? '');
    const renewed = der((await authority.renew(old, certname)) ?? '');
    await expect(authority.renew(renewed, certname)).rejects.toThrow(
      new RenewalRefused(`The certificate of ${certname} may not be renewed before 2026-11-22T00:30:00.000Z`),
    );
    clock.time += HOUR_MS / 2;
    expect(await authority.renew(renewed, certname)).toContain('BEGIN CERTIFICATE');
  });

  it('have no bound when that is 0 hours', async () => {
    const world = await openWorld(new MemoryDocuments());
    const certname = newName();
    const old = await enroll(world, certname);
    const authority = await CertificateAuthority.open(world.documents, world.clock, { ...OPTIONS, renewalHours: 0 });
    for (let times = 0; times < 3; times += 1) await authority.renew(old, certname);
    expect(await valid(world, certname)).toHaveLength(4);
  });

  it('take no serial number when several begin at once: one is granted', async () => {
    const world = await openWorld(new MemoryDocuments());
    const certname = newName();
    const old = await enroll(world, certname);
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => world.authority.renew(old, certname)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results.filter(isRefusal)).toHaveLength(3);
    expect(await serialsOf(world.documents, certname)).toHaveLength(2);
  });

  it('go on for a node that the CA forgot, and make it known again', async () => {
    const world = await openWorld(new MemoryDocuments());
    const certname = newName();
    const old = await enroll(world, certname);
    await world.authority.forget(certname);
    const renewed = await world.authority.renew(old, certname);
    expect(await world.authority.findCertificate(certname)).toBe(renewed);
    expect(await world.authority.clean(certname)).toBe(true);
    expect(await valid(world, certname)).toEqual([]);
    await expect(world.authority.renew(old, certname)).rejects.toThrow(
      new RenewalRefused(`The certificate of ${certname} is revoked`),
    );
    expect(await world.authority.findCertificate(certname)).toBeNull();
  });
});
