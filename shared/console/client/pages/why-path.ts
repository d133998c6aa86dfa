import type { Deploy } from '../data/overview-shapes.ts';
import { pathOf } from '../routing/match-route.ts';

/** The page that tells what a deploy touched. */
export function whyPath({ environment, codeId, previous }: Deploy): string {
  const path = pathOf('why', environment, codeId);
  return previous === null ? path : `${path}?from=${previous}`;
}
