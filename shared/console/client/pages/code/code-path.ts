import { pathOf } from '../../routing/match-route.ts';

interface CodePlace {
  readonly environment: string;
  /** Relative to the folder of the environment. */
  readonly path: string;
  /** Null: the code in force. */
  readonly codeId: string | null;
  /** The line that is marked, from 1; null: none. */
  readonly line: number | null;
  /** The line in the middle of what is read; absent: the marked one, or the first. */
  readonly middle?: number;
}

/** The path of the page that shows a place in code. */
export function codePath({ environment, path, codeId, line, middle }: CodePlace): string {
  const query = new URLSearchParams({ path });
  if (codeId !== null) query.set('code', codeId);
  if (line !== null) query.set('line', String(line));
  if (middle !== undefined) query.set('middle', String(middle));
  return `${pathOf('code', 'file', environment)}?${query}`;
}
