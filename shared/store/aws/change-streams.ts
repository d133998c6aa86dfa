import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { canonicalJson } from '../../util/digest.ts';
import { compareNodeParts, type NodeParts, reportChange } from '../node-changes.ts';
import type { StoredDocument } from '../ports/document-store.ts';
import type { ExportChange } from '../ports/export-store.ts';
import type { NodeChange } from '../ports/node-changes.ts';
import { isRow } from './owned-rows.ts';

type Image = Readonly<Record<string, { readonly S?: string | undefined }>>;

/** The fields this module reads from a record of the exports table's stream. */
interface ExportStreamRecord {
  readonly dynamodb?: { readonly OldImage?: Image | undefined; readonly NewImage?: Image | undefined } | undefined;
}

/**
 * Extracts the changed exports from stream records; rows rewritten with the same content are
 * skipped.
 */
export function exportChanges(records: readonly ExportStreamRecord[]): readonly ExportChange[] {
  return records.flatMap(({ dynamodb }): ExportChange[] => {
    const before = resourceOf(dynamodb?.OldImage);
    const after = resourceOf(dynamodb?.NewImage);
    return canonicalJson(before) === canonicalJson(after) ? [] : [{ before, after }];
  });
}

function resourceOf(image: Image | undefined): ExportedResource | null {
  const body = image?.resource?.S;
  if (body === undefined || !isRow(image?.type?.S ?? '#')) return null;
  return JSON.parse(body) as ExportedResource;
}

type StreamImage = Readonly<Record<string, { readonly S?: string | undefined }>>;

/** The fields that this module reads of a record of the streams of the tables. */
interface NodeStreamRecord {
  readonly dynamodb?:
    | {
        readonly ApproximateCreationDateTime?: number | undefined;
        readonly OldImage?: StreamImage | undefined;
        readonly NewImage?: StreamImage | undefined;
      }
    | undefined;
}

/**
 * The changes of a record of the nodes table's or the documents table's stream (new and old
 * images). Most records are none: leases, marks, other documents.
 */
export function readNodeChanges({ dynamodb }: NodeStreamRecord): readonly NodeChange[] {
  const { OldImage: before, NewImage: after, ApproximateCreationDateTime: seconds = 0 } = dynamodb ?? {};
  const at = seconds * 1000;
  const certname = (after ?? before)?.certname?.S;
  if (certname !== undefined) return compareNodeParts(certname, partsOf(before), partsOf(after), at);
  const [collection, document] = [after?.collection?.S, after?.document?.S];
  if (collection === undefined || document === undefined) return [];
  const change = reportChange(collection, JSON.parse(document) as StoredDocument, at);
  return change === null ? [] : [change];
}

function partsOf(image: StreamImage | undefined): NodeParts | null {
  if (image === undefined) return null;
  return { facts: image.facts?.S ?? null, catalog: image.catalog?.S ?? null, failure: image.failure?.S ?? null };
}
