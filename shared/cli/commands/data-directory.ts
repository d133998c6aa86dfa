import type { Where } from './command-stores.ts';

/** Makes the data directory that a command is given, when it is not there. */
export async function makeDataDirectory({ data }: Where): Promise<void> {
  if (data === undefined) return;
  const { makeFolder } = await import('../../store/embedded/folder.ts');
  makeFolder(data);
}
