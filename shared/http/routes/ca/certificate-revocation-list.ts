import { RevocationListRefused } from '../../../access/ca/upper-lists.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import { sendTextIfModified } from '../../exchange/modified-since.ts';
import { readTextBody } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';

/** `GET certificate_revocation_list/ca`; 304 when unchanged since `If-Modified-Since`. */
export const getRevocationList = createRoute<CaServices>(
  'GET',
  '/puppet-ca/v1/certificate_revocation_list/:certname',
  async (context, { authority }) => {
    const { pem, updatedAt } = await authority.revocationLists();
    return sendTextIfModified(context, pem, updatedAt);
  },
);

/**
 * `PUT certificate_revocation_list` with newer lists (PEM) of the CAs above ours. Lists of other
 * CAs are refused (400).
 */
export const putRevocationLists = createRoute<CaServices>(
  'PUT',
  '/puppet-ca/v1/certificate_revocation_list',
  async (context, { authority }) => {
    const pem = await readTextBody(context, BODIES.revocationLists);
    try {
      await authority.updateLists(pem);
    } catch (error) {
      if (error instanceof RevocationListRefused) throw plainRefusal(400, error.message, 'text/plain');
      throw error;
    }
    return new Response('Successfully updated CRLs.', { headers: { 'Content-Type': 'text/plain' } });
  },
);
