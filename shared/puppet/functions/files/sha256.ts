import { defineDigestFunction } from '../support/digest-function.ts';

export const sha256 = defineDigestFunction('sha256', 'sha256');
