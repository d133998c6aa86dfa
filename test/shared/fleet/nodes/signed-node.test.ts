import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { NO_TRUSTED_NAMES } from '../../../../shared/access/ca/trusted-oid-mapping.ts';
import { loadFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import {
  isWaitingForFacts,
  prepareSignedNode,
  seedFacts,
  trustedFactsOf,
} from '../../../../shared/fleet/nodes/signed-node.ts';
import { createSigningHook } from '../../../../shared/fleet/nodes/signing-hook.ts';
import { toPlainJson } from '../../../../shared/puppet/serialization/json.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { makeRequest, textExtension } from '../../../helpers/certificate-request.ts';
import { CompileWorld, checkIn, hashOf } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';

const NODE = 'web.example.com';
const PP_ROLE = '1.3.6.1.4.1.34380.1.1.13';
let world: CompileWorld;
let faults: string[];
beforeEach(async () => {
  world = new CompileWorld();
  faults = [];
  world.addScript(NODE, { facts: [['x']] });
  world.addScript('db.example.com', {});
  await world.deploy();
});
afterEach(() => world.close());

async function openAuthority(stores = world.stores, autosign = true): Promise<CertificateAuthority> {
  const onFault = (message: string, cause: unknown) =>
    faults.push(`${message}: ${cause instanceof Error ? cause.message : cause}`);
  return CertificateAuthority.open(world.stores.documents, world.stores.clock, {
    name: 'test',
    autosign,
    keyType: 'ec',
    onSigned: createSigningHook(stores, NO_TRUSTED_NAMES, onFault),
  });
}

async function submit(authority: CertificateAuthority, certname = NODE): Promise<void> {
  const extensions = [textExtension(PP_ROLE, 'web')];
  await authority.submit(certname, (await makeRequest(certname, { extensions })).request);
}

const seed = (facts: Parameters<typeof hashOf>[0], certname = NODE) =>
  seedFacts(certname, hashOf(facts), NO_TRUSTED_NAMES, world.stores);

describe('a node whose certificate is signed', () => {
  it('has a record with trusted facts, waits for its facts, and a worker opens its environment', async () => {
    await submit(await openAuthority());
    const node = await world.stores.nodes.get(NODE);
    expect(node).toMatchObject({ environment: 'production', wanted: 0, facts: null });
    expect(node && (await isWaitingForFacts(node, world.stores))).toBe(true);
    const stored = node && (await loadFacts(world.stores.blobs, node));
    expect(toPlainJson(stored?.trusted ?? null)).toMatchObject({ certname: NODE, extensions: { pp_role: 'web' } });
    expect((await world.runJobs()).map(({ outcome }) => outcome)).toEqual(['warmed']);
    expect(faults).toEqual([]);
  });

  it('is compiled when it asks before a worker opened its environment', async () => {
    await submit(await openAuthority());
    expect((await world.createService().accept(checkIn(NODE, { x: 1 }))).kind).toBe('held');
    const reports = await world.runJobs();
    expect(reports.map(({ outcome }) => outcome)).toEqual(['compiled', 'warmed']);
  });

  it('has one worker warmed for many nodes of an environment', async () => {
    const authority = await openAuthority();
    await submit(authority);
    await submit(authority, 'db.example.com');
    expect(await world.runJobs()).toHaveLength(1);
  });

  it('is opened in the environment that its classification sets', async () => {
    await world.stores.nodes.classify(NODE, { classes: [], parameters: {}, environment: 'staging' }, 'x', 1);
    await submit(await openAuthority());
    const [received] = await world.stores.queue.receive(1, 0);
    expect(received).toMatchObject({ queue: 'express', job: { certname: 'environment:staging', warm: 'staging' } });
  });

  it('is compiled at once with the facts that were seeded, and served from the store', async () => {
    expect(await seed({ x: 'seeded' })).toBe('waits for its certificate');
    expect(await world.runJobs()).toEqual([]);
    await submit(await openAuthority());
    expect((await world.runJobs()).map(({ certname, outcome }) => `${certname} ${outcome}`)).toEqual([
      `${NODE} compiled`,
    ]);
    const accepted = await world.createService().accept(checkIn(NODE, { x: 'seeded', other: 'new' }));
    expect(accepted).toMatchObject({ kind: 'answered', answer: { status: 'current' } });
  });

  it('is compiled when facts are seeded later', async () => {
    await submit(await openAuthority());
    await world.runJobs();
    expect(await seed({ x: 'seeded' })).toBe('is compiled');
    expect((await world.runJobs()).map(({ outcome }) => outcome)).toEqual(['compiled']);
    const node = await world.stores.nodes.get(NODE);
    expect(node && (await isWaitingForFacts(node, world.stores))).toBe(false);
    const stored = node && (await loadFacts(world.stores.blobs, node));
    expect(toPlainJson(stored?.trusted ?? null)).toMatchObject({ extensions: { pp_role: 'web' } });
  });

  it.each(['seeded facts', 'signature'])('keeps the facts of a check-in that comes between: %s', async (kind) => {
    await submit(await openAuthority());
    await world.run(checkIn(NODE, { x: 'before' }));
    let checkIns = 0;
    const markSeen = async (...args: Parameters<typeof world.stores.nodes.markSeen>) => {
      const node = await world.stores.nodes.markSeen(...args);
      // Another process serves a check-in when this one has read the record.
      if (checkIns++ === 0) await world.createService().accept(checkIn(NODE, { x: 'checked in' }));
      return node;
    };
    const stores = { ...world.stores, nodes: intercept(world.stores.nodes, { markSeen }) };
    if (kind === 'signature') await prepareSignedNode(NODE, hashOf({ certname: NODE }), stores);
    else await seedFacts(NODE, hashOf({ x: 'seeded' }), NO_TRUSTED_NAMES, stores);
    expect(checkIns).toBeGreaterThan(1);
    const node = await world.stores.nodes.get(NODE);
    const stored = node && (await loadFacts(world.stores.blobs, node));
    expect(toPlainJson(stored?.facts ?? null)).toEqual({ x: kind === 'signature' ? 'checked in' : 'seeded' });
    expect(toPlainJson(stored?.trusted ?? null)).toMatchObject({ certname: NODE });
  });

  it('is compiled with the facts of its earlier life', async () => {
    const authority = await openAuthority();
    await submit(authority);
    await world.run(checkIn(NODE, { x: 1 }));
    await authority.clean(NODE);
    await submit(authority);
    expect((await world.stores.nodes.get(NODE))?.reasons.at(-1)).toBe('certificate signed');
    await world.runJobs();
    const answered = await world.createService().accept(checkIn(NODE, { x: 1 }));
    expect(answered).toMatchObject({ kind: 'answered', answer: { status: 'current' } });
  });

  it('is compiled for the signature of an operator, too', async () => {
    const authority = await openAuthority(world.stores, false);
    await seed({ x: 1 });
    await submit(authority);
    expect(await world.runJobs()).toEqual([]);
    await authority.sign(NODE);
    expect((await world.runJobs()).map(({ outcome }) => outcome)).toEqual(['compiled']);
  });

  it('is signed although its catalog cannot be prepared', async () => {
    const nodes = intercept(world.stores.nodes, { markSeen: () => Promise.reject(new StoreUnavailable('down')) });
    const authority = await openAuthority({ ...world.stores, nodes });
    await submit(authority);
    expect(await authority.findCertificate(NODE)).toContain('BEGIN CERTIFICATE');
    expect(faults).toEqual([`The first catalog of ${NODE} is not prepared: down`]);
  });
});

it('reads trusted facts from a certificate', async () => {
  const authority = await openAuthority();
  await submit(authority);
  const pem = (await authority.findCertificate(NODE)) ?? '';
  expect(toPlainJson(trustedFactsOf(NODE, pem, NO_TRUSTED_NAMES))).toEqual({
    authenticated: 'remote',
    certname: NODE,
    extensions: { pp_role: 'web' },
    hostname: 'web',
    domain: 'example.com',
    external: {},
  });
});
