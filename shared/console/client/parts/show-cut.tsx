import type { ComponentChildren } from 'preact';

/** A text that may be cut off; all of it on hover. An empty one stays so. */
export function showCut(text: string | null): ComponentChildren {
  return text === null || text === '' ? '' : <span title={text}>{text}</span>;
}
