import { defineDigestFunction } from '../support/digest-function.ts';

/** By the algorithm of the setting `digest_algorithm`, which is sha256 by default. */
export const digest = defineDigestFunction('digest', 'sha256');
