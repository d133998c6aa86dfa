import type { CompileSuccess } from '../../puppet/compiler/compile.ts';
import type { Inputs } from '../../puppet/environment/inputs.ts';
import { openSnapshotEnvironment } from '../../puppet/environment/snapshot-environment.ts';
import type { Language } from '../../puppet/levels/language.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { ContentMissing, type OpenSnapshot, type SnapshotCache } from '../snapshots/snapshot-cache.ts';
import { readContent } from '../snapshots/stored-content.ts';
import { inlineMetadata } from './inline-metadata.ts';

/** Static catalogs (with inlined file metadata) by checksum type. */
export type StaticForms = Readonly<Record<string, string>>;

interface StaticSources {
  readonly snapshots: SnapshotCache;
  readonly blobs: BlobStore;
  /** The language of the compile. */
  readonly language: Language;
}

const MOST_STARTS = 1000;

/**
 * Makes the static forms of a compiled catalog. The files they use are recorded in `inputs`, so
 * that a changed file makes the catalog out of date like a changed manifest. A catalog without
 * module files is its own static form. Empty when environment.conf has `static_catalogs = false`.
 */
export async function staticForms(
  { catalog }: CompileSuccess,
  open: OpenSnapshot,
  inputs: Inputs,
  checksumTypes: readonly string[],
  { snapshots, blobs, language }: StaticSources,
): Promise<StaticForms> {
  if (!catalog.includes('"puppet:')) return {};
  const resources = fileResources(catalog);
  const content = (sha256: string) => readContent(blobs, sha256);
  for (let start = 0; start < MOST_STARTS; start += 1) {
    try {
      const environment = openSnapshotEnvironment(open.snapshot, open.codeId, open.tree, inputs);
      if (environment.configuration.staticCatalogs === false) return {};
      const forms: Record<string, string> = {};
      for (const type of checksumTypes) {
        const inlined = await inlineMetadata(resources, type, {
          environment,
          snapshot: open.snapshot,
          language,
          readContent: content,
        });
        const added = Object.entries(inlined).filter(([, some]) => Object.keys(some).length > 0);
        const more = added.map(([name, some]) => `,${JSON.stringify(name)}:${JSON.stringify(some)}`).join('');
        if (more !== '') forms[type] = `${catalog.slice(0, -1)}${more}}`;
      }
      return forms;
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      await snapshots.fetch(open, error.sha256);
    }
  }
  throw new Error('static forms need one more file each time');
}

interface ShownResource {
  readonly type: string;
  readonly title: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

function fileResources(catalog: string) {
  const { resources }: { readonly resources: readonly ShownResource[] } = JSON.parse(catalog);
  return resources.filter(({ type }) => type === 'File').map(({ title, parameters = {} }) => ({ title, parameters }));
}
