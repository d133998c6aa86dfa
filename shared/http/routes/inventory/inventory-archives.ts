import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { findProfile, PROFILE_NAMES } from '../../../inventory/archive/anonymization-profiles.ts';
import { exportArchive } from '../../../inventory/archive/export-archive.ts';
import { importArchive } from '../../../inventory/archive/import-archive.ts';
import type { CommandQueue } from '../../../inventory/commands/command-queue.ts';
import type { InventoryReader } from '../../../inventory/query/inventory-reader.ts';
import type { Clock } from '../../../store/ports/clock.ts';
import { systemSecrets } from '../../../store/system-secrets.ts';
import { DamagedArchive } from '../../../util/tar-stream.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { readBoundary, readPart } from '../../body/read-part.ts';
import {
  type InventoryAnswer,
  type InventoryHttpRequest,
  jsonAnswer,
  textAnswer,
} from '../../exchange/inventory-exchange.ts';

export interface ArchiveServices {
  readonly reader: InventoryReader;
  /** Null: commands are taken elsewhere. */
  readonly queue: CommandQueue | null;
  readonly clock: Clock;
}

const BUSY = { kind: 'conflict', msg: 'Another export or import is already in progress', details: null };
/** A command of an archive is in memory as a whole. */
const BOUNDS = { ...BODIES.inventoryCommand };

/** Exports and imports, one at a time: each takes as much of the database as it gets. */
export class InventoryArchives {
  #isBusy = false;

  /** A compressed tar archive in PuppetDB's layout, as it is made. */
  export({ parameters }: InventoryHttpRequest, { reader, clock }: ArchiveServices): InventoryAnswer {
    const name = parameters.get('anonymization_profile') ?? 'none';
    const profile = findProfile(name);
    if (profile === null)
      return textAnswer(400, `The anonymization profile must be one of ${PROFILE_NAMES.join(', ')}`);
    if (this.#isBusy) return jsonAnswer(409, JSON.stringify(BUSY));
    this.#isBusy = true;
    const time = new Date(clock.now()).toISOString();
    const zip = createGzip();
    // The reader of the answer gets its errors.
    const anonymization = name === 'none' ? null : { profile, key: systemSecrets.bytes(32) };
    pipeline(Readable.from(exportArchive({ reader, now: () => clock.now(), anonymization })), zip, () => {
      this.#isBusy = false;
    });
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename=puppetdb-export-${time}.tgz`,
    };
    return { status: 200, headers, body: zip };
  }

  /** Takes the commands of an archive that a form brings as `archive`. */
  async import(request: InventoryHttpRequest, { queue, clock }: ArchiveServices): Promise<InventoryAnswer> {
    const boundary = readBoundary(request.headers.get('content-type') ?? null);
    const body = request.openBody?.(BODIES.archive) ?? null;
    if (queue === null || boundary === null || body === null) {
      return textAnswer(400, "The body must be a form (multipart/form-data) with the file 'archive'");
    }
    if (this.#isBusy) return jsonAnswer(409, JSON.stringify(BUSY));
    this.#isBusy = true;
    try {
      const part = readPart(body, boundary, 'archive');
      await importArchive(unzip(part), { queue, clock, bounds: BOUNDS });
      return jsonAnswer(200, '{"ok":true}');
    } finally {
      this.#isBusy = false;
    }
  }
}

/** Decompressed pieces. Rejects with DamagedArchive, and as their source does. */
async function* unzip(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(pieces);
  const unzipped = createGunzip();
  pipeline(source, unzipped, () => {});
  try {
    yield* unzipped;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    throw new DamagedArchive('The body is no tar archive, compressed with gzip');
  }
}
