import type { StateLocation } from './command-stores.ts';

/** Creates the data directory of `--data` if it does not exist. */
export async function makeDataDirectory({ data }: StateLocation): Promise<void> {
  if (data === undefined) return;
  const { makeFolder } = await import('../../store/embedded/folder.ts');
  makeFolder(data);
}
