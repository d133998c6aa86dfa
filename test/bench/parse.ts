import { parseProgram } from '../../shared/puppet/language/parser.ts';
import { medianCpu } from './measure.ts';

/**
 * Returns the megabytes of manifests parsed per second of CPU time, warm. A file that does not
 * parse counts up to its error.
 */
export function benchParse(sources: readonly string[]): number {
  const bytes = sources.reduce((sum, source) => sum + Buffer.byteLength(source), 0);
  const milliseconds = medianCpu(() => sources.forEach(parseQuietly), 5, 2);
  return bytes / milliseconds / 1000;
}

function parseQuietly(source: string): void {
  try {
    parseProgram(source, { file: null });
  } catch {
    // Real Puppet refuses this file as well.
  }
}
