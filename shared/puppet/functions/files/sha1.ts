import { defineDigestFunction } from '../support/digest-function.ts';

export const sha1 = defineDigestFunction('sha1', 'sha1');
