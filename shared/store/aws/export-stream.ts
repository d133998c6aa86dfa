import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { canonicalJson } from '../../util/digest.ts';
import type { ExportChange } from '../ports/export-store.ts';
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
