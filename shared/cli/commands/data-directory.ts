import type { StateLocation } from './command-stores.ts';

/** Makes the data directory that a command is given, when it is not there. */
export async function makeDataDirectory({ data }: StateLocation): Promise<void> {
  if (data === undefined) return;
  const { makeFolder } = await import('../../store/embedded/folder.ts');
  makeFolder(data);
}
