import { defineDigestFunction } from '../support/digest-function.ts';

export const md5 = defineDigestFunction('md5', 'md5');
