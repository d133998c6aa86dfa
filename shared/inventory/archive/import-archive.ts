import type { Clock } from '../../store/ports/clock.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { InvalidJson, type JsonBounds, scanJson } from '../../util/json-scan.ts';
import { messageOf } from '../../util/message-of.ts';
import { DamagedArchive, readTar, type TarEntry } from '../../util/tar-stream.ts';
import { COMMAND_VERSIONS } from '../commands/apply-command.ts';
import type { CommandQueue } from '../commands/command-queue.ts';
import { QueueFull } from '../commands/queue-room.ts';
import type { SentCommand } from '../commands/store-command.ts';
import { METADATA_NAME, readEntryName } from './export-archive.ts';

interface ImportOptions {
  readonly queue: Pick<CommandQueue, 'enqueue'>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** The bounds of a command in the archive. */
  readonly bounds: JsonBounds & { readonly bytes: number };
}

const PAUSE_MS = 500;

/**
 * Stores the commands of an archive, which is a tar in PuppetDB's layout, one after another; while
 * the queue is full, it waits. Returns their number. Rejects with DamagedArchive, also when some
 * commands were stored before, and as the queue does.
 */
export async function importArchive(chunks: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<number> {
  let versions: Readonly<Record<string, unknown>> | null = null;
  let count = 0;
  for await (const entry of readTar(chunks, options.bounds.bytes)) {
    if (entry.name === METADATA_NAME) {
      versions = readVersions(entry, options.bounds);
      continue;
    }
    const found = readEntryName(entry.name);
    if (found === null) continue;
    if (versions === null) throw noMetadata();
    checkJson(entry, options.bounds);
    const version = versions[found.command.replaceAll(' ', '_')];
    const oldest = COMMAND_VERSIONS.get(found.command)?.oldest ?? 0;
    if (typeof version !== 'number' || !Number.isInteger(version) || version < oldest) {
      throw new DamagedArchive(`The archive's version of '${found.command}' must be a number from ${oldest} on`);
    }
    await send({ ...found, version, payload: entry.bytes }, options);
    count += 1;
  }
  if (versions === null) throw noMetadata();
  return count;
}

// Puppet: puppetlabs/puppetdb/import.clj
function noMetadata(): DamagedArchive {
  return new DamagedArchive(`Unable to find export metadata file '${METADATA_NAME}' in archive`);
}

async function send(command: SentCommand, { queue, clock }: ImportOptions): Promise<void> {
  for (;;) {
    try {
      await queue.enqueue(command);
      return;
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}

function checkJson({ name, bytes }: TarEntry, bounds: JsonBounds): void {
  try {
    scanJson(bytes, bounds);
  } catch (error) {
    if (error instanceof InvalidJson) throw new DamagedArchive(`The entry '${name}' is no JSON: ${messageOf(error)}`);
    throw error;
  }
}

function readVersions(entry: TarEntry, bounds: JsonBounds): Readonly<Record<string, unknown>> {
  checkJson(entry, bounds);
  const parsed: unknown = JSON.parse(entry.bytes.toString('utf8'));
  const versions = isJsonObject(parsed) ? parsed.command_versions : null;
  if (isJsonObject(versions)) return versions;
  throw new DamagedArchive(`The entry '${METADATA_NAME}' has no command_versions`);
}
