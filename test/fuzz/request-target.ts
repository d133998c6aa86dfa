import {
  CertificateRequestRejected,
  checkRequest,
  readCertificateRequest,
} from '../../shared/access/ca/certificate-request.ts';
import { SIGN_NOTHING } from '../../shared/access/ca/signing-policy.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import type { SeededChance } from './seeded-chance.ts';

/** Allows the names, so that all of them are read. */
const POLICY = { ...SIGN_NOTHING, allowSubjectAltNames: true };
const CERTNAME = 'node.example.com';
const LABEL = 'CERTIFICATE REQUEST';
/** Tags of DER: integers, texts, object identifiers, sequences, sets, times and contexts. */
const TAGS = [0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x13, 0x16, 0x17, 0x18, 0x30, 0x31, 0x80, 0xa0, 0xa3];
const DEEPEST = 5;

/** A certificate request in DER; it runs in PEM form, as agents send it. */
export const REQUEST_TARGET: FuzzTarget = {
  name: 'request',
  generate: (chance) => element(chance, 0),
  async run(input) {
    const lines = input.toString('base64').replaceAll(/(.{64})/g, '$1\n');
    try {
      const request = await readCertificateRequest(
        `-----BEGIN ${LABEL}-----\n${lines}\n-----END ${LABEL}-----\n`,
        CERTNAME,
      );
      checkRequest(request, POLICY);
      return 'accepted';
    } catch (error) {
      if (error instanceof CertificateRequestRejected && error.message !== '') return 'refused';
      throw error;
    }
  },
};

function element(chance: SeededChance, depth: number): Buffer {
  const tag = depth === 0 ? 0x30 : chance.of(TAGS);
  const isConstructed = depth < DEEPEST && (tag & 0x20) !== 0;
  const content = isConstructed
    ? Buffer.concat(chance.times(4, () => element(chance, depth + 1)))
    : Buffer.from(chance.times(20, () => chance.below(256)));
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
