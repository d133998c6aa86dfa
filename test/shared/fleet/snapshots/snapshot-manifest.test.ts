import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { planPacks } from '../../../../shared/fleet/snapshots/pack-plan.ts';
import { snapshotBlob } from '../../../../shared/fleet/snapshots/snapshot-blobs.ts';
import {
  codeIdOf,
  findManifest,
  loadManifest,
  printManifest,
  readManifest,
} from '../../../../shared/fleet/snapshots/snapshot-manifest.ts';
import type { Snapshot } from '../../../../shared/puppet/environment/snapshot.ts';
import { canonicalJson, digestSha256 } from '../../../../shared/util/digest.ts';
import { MemoryBlobs } from '../../../helpers/memory-stores.ts';

const PATHS = [
  'hiera.yaml',
  'environments/a/manifests/site.pp',
  'environments/a/modules/m/files/1',
  'modules/n/lib/n.rb',
];
const snapshot: Snapshot = {
  environment: 'a',
  files: Object.fromEntries(PATHS.map((path) => [path, { sha256: digestSha256(path), size: 3, mode: 0o644 }])),
  links: { 'modules/l': '../n' },
};
const codeId = codeIdOf(snapshot);
const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
afterAll(() => warn.mockRestore());
afterEach(() => warn.mockClear());

async function stored(bytes: Uint8Array): Promise<MemoryBlobs> {
  const blobs = new MemoryBlobs();
  await blobs.put(snapshotBlob(codeId), bytes);
  return blobs;
}

it('counts as absent, or is what it was, with any bit of it flipped', async () => {
  const sound = await printManifest({ ...snapshot, times: { 'hiera.yaml': 7 } }, planPacks(snapshot));
  const outcomes = { absent: 0, equal: 0 };
  const expected = await readManifest(sound, codeId);
  for (let bit = 0; bit < sound.length * 8; bit += 1) {
    const bytes = Uint8Array.from(sound);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const found = await readManifest(bytes, codeId);
    if (found !== null) expect(found).toEqual(expected);
    outcomes[found === null ? 'absent' : 'equal'] += 1;
  }
  expect(outcomes.absent).toBeGreaterThan(sound.length * 7);
});

it('reads a snapshot with its packs', async () => {
  const plan = planPacks(snapshot);
  const manifest = await loadManifest(await stored(await printManifest(snapshot, plan)), codeId);
  expect(manifest.snapshot).toEqual(snapshot);
  expect(manifest.packs).toEqual(plan.map(({ id, isUsual, paths }) => ({ id, isUsual, paths })));
});

it('keeps the times of files, which are no part of the code id', async () => {
  const times = { 'hiera.yaml': 1_577_923_200, 'modules/n/lib/n.rb': 0 };
  expect(codeIdOf({ ...snapshot, times })).toBe(codeId);
  const bytes = await printManifest({ ...snapshot, times }, planPacks(snapshot));
  expect((await loadManifest(await stored(bytes), codeId)).snapshot).toEqual({ ...snapshot, times });
});

it('is smaller than its JSON', async () => {
  const files = Object.entries(snapshot.files).flatMap(([path, file]) =>
    Array.from({ length: 100 }, (_, index) => [`${path}${index}`, file] as const),
  );
  const large = { ...snapshot, files: Object.fromEntries(files) };
  const bytes = await printManifest(large, planPacks(large));
  expect(bytes.length).toBeLessThan(canonicalJson(large).length / 10);
});

it('never takes a damaged blob for code', async () => {
  const whole = Buffer.from(await printManifest(snapshot, planPacks(snapshot)));
  const json = canonicalJson(snapshot);
  const fewer = { ...snapshot, files: {} };
  const damaged = [
    ...Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length)),
    Buffer.from(json.slice(0, -10)),
    Buffer.from(canonicalJson(fewer)),
    await printManifest(fewer, []),
  ];
  for (const bytes of damaged) expect(await findManifest(await stored(bytes), codeId)).toBeNull();
  await expect(loadManifest(await stored(whole.subarray(0, 60)), codeId)).rejects.toThrow(
    `blob snapshots/${codeId} is damaged: its content is not a snapshot with that digest`,
  );
  expect(warn.mock.calls).toEqual([
    [`Blob snapshots/${codeId} is damaged and counts as missing: its content does not have the digest in its name`],
  ]);
  await expect(loadManifest(new MemoryBlobs(), codeId)).rejects.toThrow(`blob snapshots/${codeId} is missing`);
});
