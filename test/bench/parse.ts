import { parseProgram } from '../../shared/puppet/language/parser.ts';
import { medianCpu } from './measure.ts';

/**
 * Megabytes of manifests parsed in a second of CPU time, warm. Files that do not parse count as far
 * as they go.
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
    // A file that real Puppet refuses as well.
  }
}
