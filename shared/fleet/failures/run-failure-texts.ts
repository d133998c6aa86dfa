import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { countUnits } from '../../util/count-units.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { collectionOf, type FailingRecord, readFailingRecord } from './failing-node.ts';
import { findFailing } from './note-failures.ts';

const READS_AT_ONCE = 16;
/** Notes of more nodes are read page by page. */
const MOST_SINGLE_READS = 100;
const MOST_NAMES = 3;

/**
 * Describes how the last runs of these nodes failed, in a line each; nodes without a note are left
 * out. `hasNames`: whether resources and messages are shown.
 */
export async function describeRunFailures(
  documents: Pick<DocumentStore, 'get' | 'list'>,
  certnames: readonly string[],
  hasNames: boolean,
): Promise<ReadonlyMap<string, string>> {
  const notes =
    certnames.length > MOST_SINGLE_READS
      ? await listNotes(documents, new Set(certnames))
      : await inParallel(READS_AT_ONCE, certnames, (certname) => findFailing(documents, 'run', certname));
  return new Map(notes.flatMap((note) => (note === null ? [] : [[note.certname, describeRun(note, hasNames)]])));
}

async function listNotes(
  documents: Pick<DocumentStore, 'list'>,
  wanted: ReadonlySet<string>,
): Promise<readonly FailingRecord[]> {
  const found: FailingRecord[] = [];
  for await (const { key, document } of allDocuments(documents, collectionOf('run'))) {
    if (wanted.has(key)) found.push(readFailingRecord(document));
  }
  return found;
}

/** `2 resources failed: File[/etc/motd], Service[ntp]`. */
function describeRun({ failures, failed }: FailingRecord, hasNames: boolean): string {
  const [first] = failures;
  if (failed === 0) return hasNames && first !== undefined ? first.message : 'the run failed as a whole';
  const counted = `${countUnits(failed, 'resource')} failed`;
  if (!hasNames) return counted;
  const names = failures.slice(0, MOST_NAMES).map(({ resource }) => resource);
  return `${counted}: ${names.join(', ')}${failed > names.length ? ', …' : ''}`;
}
