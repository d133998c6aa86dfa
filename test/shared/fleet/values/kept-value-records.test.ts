import { beforeEach, expect, it } from 'vitest';
import { type KeptValueEntry, listKeptValues } from '../../../../shared/fleet/values/kept-value-list.ts';
import { KeptValueRecords } from '../../../../shared/fleet/values/kept-value-records.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

const NAME = 'app/db_password';

let number = 0;

describeStores('KeptValueRecords', (open) => {
  let stores: Stores;
  let values: KeptValueRecords;
  /** Another one for each test. */
  let environment: string;
  beforeEach(async () => {
    stores = await open();
    values = new KeptValueRecords(stores);
    number += 1;
    environment = `e${number}`;
  });

  const create = (text: string, by = 'a.example.com') =>
    values.store(environment, [{ name: NAME, from: null, text }], by);
  const textNow = async () => (await values.fetch(environment, [NAME])).get(NAME)?.text;

  it('gives back what was stored, by environment and name', async () => {
    await create('s3cret é');
    expect(await textNow()).toBe('s3cret é');
    expect(await values.fetch(environment, ['app/other'])).toEqual(new Map());
    expect(await values.fetch(`${environment}x`, [NAME])).toEqual(new Map());
  });

  it('creates one value of several at once', async () => {
    await Promise.all(['1', '2', '3', '4'].map((text) => create(text)));
    const text = await textNow();
    expect(['1', '2', '3', '4']).toContain(text);
    await create('5');
    expect(await textNow()).toBe(text);
  });

  it('replaces and removes only the state that was read', async () => {
    await create('first');
    const [from = ''] = (await values.versions(environment, [NAME])).values();
    await values.store(environment, [{ name: NAME, from, text: 'second' }], 'b.example.com');
    await values.store(environment, [{ name: NAME, from, text: 'third' }], 'c.example.com');
    await values.store(environment, [{ name: NAME, from, text: null }], 'c.example.com');
    expect(await textNow()).toBe('second');
    const [now = ''] = (await values.versions(environment, [NAME])).values();
    expect(now).not.toBe(from);
    await values.store(environment, [{ name: NAME, from: now, text: null }], 'c.example.com');
    expect(await textNow()).toBeUndefined();
  });

  it('has another version for the same text that was stored again', async () => {
    await create('same');
    const before = await values.versions(environment, [NAME]);
    expect(await values.rotate(environment, NAME, 'same', 'an operator')).toBe(true);
    expect(await values.versions(environment, [NAME])).not.toEqual(before);
  });

  it('rotates only what is there', async () => {
    expect(await values.rotate(environment, NAME, null, 'an operator')).toBe(false);
    await create('x');
    expect(await values.rotate(environment, NAME, null, 'an operator')).toBe(true);
    expect(await textNow()).toBeUndefined();
  });

  it('stores nothing for a compile whose catalog is not stored', async () => {
    const isStored = await values.readOnly().store(environment, [{ name: NAME, from: null, text: 'x' }], 'a');
    expect([isStored, await textNow()]).toEqual([false, undefined]);
  });

  it('lists names, and who changed them when, without their texts', async () => {
    await create('s3cret');
    await values.store(environment, [{ name: 'app/a', from: null, text: 'x' }], 'b.example.com');
    const listed: KeptValueEntry[] = [];
    for await (const entry of listKeptValues(stores.documents, environment)) listed.push(entry);
    expect(listed.map(({ name, by }) => [name, by])).toEqual([
      ['app/a', 'b.example.com'],
      [NAME, 'a.example.com'],
    ]);
    expect(JSON.stringify(listed)).not.toContain('s3cret');
  });
});
