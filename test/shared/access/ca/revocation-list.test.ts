import { beforeAll, describe, expect, it } from 'vitest';
import { type Issuer, LIFETIME_MS, makeCaCertificate } from '../../../../shared/access/ca/certificates.ts';
import { crlsInPem } from '../../../../shared/access/ca/crl.ts';
import { generateServerKeys, signingKeyOf } from '../../../../shared/access/ca/keys.ts';
import { importRevocations, RevocationList } from '../../../../shared/access/ca/revocation-list.ts';
import { pruneRevocations } from '../../../../shared/access/ca/revocation-store.ts';
import type { DocumentStore } from '../../../../shared/store/ports/document-store.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);
let issuer: Issuer;

beforeAll(async () => {
  const keys = await generateServerKeys();
  const certificate = await makeCaCertificate('Puppet CA: test', '01', keys, NOW);
  issuer = { certificate, ...signingKeyOf(keys) };
});

/** Serial numbers as a fleet of some age has them: of four bytes. */
function serialsFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => (0x1000_0000 + (first + index) * 7919).toString(16));
}

/** The serial numbers in what agents fetch. */
async function listed(list: RevocationList): Promise<string[]> {
  return crlsInPem((await list.getCurrent()).pem).flatMap(({ entries }) => entries.map(({ serial }) => serial));
}

async function revocationKeys(documents: DocumentStore): Promise<string[]> {
  return (await documents.list('ca', 'revocation-list', 100)).map(({ key }) => key);
}

describeStores('RevocationList', (open) => {
  it('may be used for a while without a look at its id, but not by the process that revokes', async () => {
    const [documents, clock] = [new MemoryDocuments(), new ManualClock(NOW)];
    const [front, other] = [
      await RevocationList.open(documents, clock, issuer),
      await RevocationList.open(documents, clock, issuer),
    ];
    await other.add({ serial: '0A' });
    expect(await front.isRevoked('0A', 1000)).toBe(false);
    clock.time += 1000;
    expect(await front.isRevoked('0A', 1000)).toBe(true);
    await front.add({ serial: '0B' });
    expect(await front.isRevoked('0B', 1000)).toBe(true);
    await other.add({ serial: '0C' });
    expect(await front.isRevoked('0C')).toBe(true);
  });

  it('is pruned of what expired, whatever other processes revoke meanwhile', async () => {
    const { documents } = await open();
    const clock = new ManualClock(NOW);
    const [here, there] = [
      await RevocationList.open(documents, clock, issuer),
      await RevocationList.open(documents, clock, issuer),
    ];
    await here.add(
      { serial: '0A', endsAt: NOW + DAY_MS },
      { serial: '0B', endsAt: NOW + 3 * DAY_MS },
      { serial: '0C' },
    );
    expect(await here.prune()).toBe(0);
    clock.time += 2 * DAY_MS;
    await there.add({ serial: '0D' });
    expect(await here.prune()).toBe(1);
    expect((await listed(there)).map((serial) => serial.toUpperCase())).toEqual(['0B', '0C', '0D']);
    expect([await there.isRevoked('0A'), await there.isRevoked('0D')]).toEqual([false, true]);
  });

  it('holds 20,000 certificates, and asks for one small document at each request', async () => {
    const { documents } = await open();
    const clock = new ManualClock(NOW);
    const [here, there] = [
      await RevocationList.open(documents, clock, issuer),
      await RevocationList.open(documents, clock, issuer),
    ];
    const serials = serialsFrom(0, 20_000);
    await here.add(...serials.map((serial) => ({ serial, endsAt: NOW + DAY_MS })));
    expect(await there.isRevoked(serials[19_999] ?? '')).toBe(true);
    expect(await there.isRevoked('10000001')).toBe(false);
    expect(await listed(there)).toEqual(serials);
    const head = await documents.get('ca', 'revocation-list');
    expect(JSON.stringify(head).length).toBeLessThan(200);
    const parts = (await documents.list('ca', 'revocation-list/', 100)).map(({ document }) => JSON.stringify(document));
    expect(parts.length).toBe(head?.parts);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(300_000);
    // After a restart too.
    expect(await (await RevocationList.open(documents, clock, issuer)).isRevoked(serials[0] ?? '')).toBe(true);
  });

  it('loses nothing of what several processes revoke at a time, and leaves no parts behind', async () => {
    const { documents } = await open();
    const clock = new ManualClock(NOW);
    const lists = await Promise.all([1, 2, 3, 4].map(() => RevocationList.open(documents, clock, issuer)));
    const serials = serialsFrom(0, 12);
    await Promise.all(serials.map((serial, index) => lists[index % 4]?.add({ serial })));
    for (const list of lists) expect((await listed(list)).sort()).toEqual(serials);
    const head = await documents.get('ca', 'revocation-list');
    expect(head?.number).toBe(12);
    expect(await revocationKeys(documents)).toEqual(['revocation-list', `revocation-list/${head?.id}/0`]);
  });

  it('takes parts away that belong to no list, but not those of one that may follow', async () => {
    const { documents } = await open();
    const list = await RevocationList.open(documents, new ManualClock(NOW), issuer);
    await list.add({ serial: '1a' });
    const { id, number } = (await documents.get('ca', 'revocation-list')) ?? {};
    expect(number).toBe(1);
    for (const orphan of ['0-aa', '1-bb', '2-cc'])
      await documents.put('ca', `revocation-list/${orphan}/0`, { text: '' });
    expect(await pruneRevocations(documents)).toBe(2);
    expect(await revocationKeys(documents)).toEqual(
      ['revocation-list', `revocation-list/${id}/0`, 'revocation-list/2-cc/0'].sort(),
    );
    expect(await listed(list)).toEqual(['1a']);
  });
});

describe('RevocationList', () => {
  it('drops certificates that have ended, after a list that was signed since has had them', async () => {
    const clock = new ManualClock(NOW);
    const list = await RevocationList.open(new MemoryDocuments(), clock, issuer);
    await list.add(
      { serial: '0a', endsAt: NOW + DAY_MS },
      { serial: '0b', endsAt: NOW + 9 * DAY_MS },
      { serial: '0c' },
    );
    clock.time = NOW + 2 * DAY_MS;
    await list.add({ serial: '0d', endsAt: NOW + LIFETIME_MS });
    expect(await listed(list)).toEqual(['0a', '0b', '0c', '0d']);
    clock.time = NOW + 3 * DAY_MS;
    await list.add({ serial: '0e' });
    expect(await listed(list)).toEqual(['0b', '0c', '0d', '0e']);
    // Of these nobody knows the end: they stay for as long as certificates live by default.
    clock.time = NOW + LIFETIME_MS + 2 * DAY_MS;
    await list.add({ serial: '0f' });
    clock.time += DAY_MS;
    await list.add({ serial: '10' });
    expect(await listed(list)).toEqual(['0e', '0f', '10']);
  });

  it('signs no new list for what it has already', async () => {
    const list = await RevocationList.open(new MemoryDocuments(), new ManualClock(NOW), issuer);
    await list.add({ serial: '00AB' });
    const before = await list.getCurrent();
    await list.add({ serial: 'ab' }, { serial: 'AB' });
    expect(await list.getCurrent()).toEqual(before);
  });

  it('is signed anew when it is half a year old, with all that it had', async () => {
    const [documents, clock] = [new MemoryDocuments(), new ManualClock(NOW)];
    await importRevocations(documents, issuer, 7, [{ serial: '0a', at: NOW }], NOW);
    clock.time = NOW + 181 * DAY_MS;
    const list = await RevocationList.open(documents, clock, issuer);
    expect(await listed(list)).toEqual(['0a']);
    expect(await list.getCurrent()).toMatchObject({ number: 9, updatedAt: clock.time });
  });

  it('says that it is damaged when a part is lost, and revokes nothing on top of that', async () => {
    const documents = new MemoryDocuments();
    const list = await RevocationList.open(documents, new ManualClock(NOW), issuer);
    const { id } = (await documents.get('ca', 'revocation-list')) ?? {};
    await documents.delete('ca', `revocation-list/${id}/0`);
    await expect(list.add({ serial: '0a' })).rejects.toThrow('The stored revocation list is damaged');
    expect((await documents.get('ca', 'revocation-list'))?.id).toBe(id);
  });

  it('takes a list that it stored for stored, though the store tried twice', async () => {
    const documents = new MemoryDocuments();
    const list = await RevocationList.open(documents, new ManualClock(NOW), issuer);
    const { replace } = MemoryDocuments.prototype;
    documents.replace = async (...args) => {
      await replace.apply(documents, args);
      return replace.apply(documents, args);
    };
    await list.add({ serial: '0a' });
    expect(await listed(list)).toEqual(['0a']);
    expect((await documents.get('ca', 'revocation-list'))?.number).toBe(1);
  });
});
