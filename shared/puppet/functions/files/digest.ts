import { defineDigestFunction } from '../support/digest-function.ts';

/** Uses the algorithm of the setting `digest_algorithm`, sha256 by default. */
export const digest = defineDigestFunction('digest', 'sha256');
