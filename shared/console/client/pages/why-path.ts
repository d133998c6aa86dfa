import type { Deploy } from '../data/overview-shapes.ts';
import { pathOf } from '../routing/match-route.ts';

/** Returns the path of the page that shows the nodes of a deploy and the reasons. */
export function whyPath({
  environment,
  codeId,
  previous,
}: Pick<Deploy, 'environment' | 'codeId' | 'previous'>): string {
  const path = pathOf('why', environment, codeId);
  return previous === null ? path : `${path}?from=${previous}`;
}
