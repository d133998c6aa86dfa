import {
  type CertificateState,
  type CertificateStatus,
  CertificateStatuses,
} from '../../../access/ca/certificate-status.ts';
import type { Endpoint } from '../../endpoint.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';

const STATES: readonly string[] = ['requested', 'signed', 'revoked'] satisfies readonly CertificateState[];

/** `GET certificate_statuses/<anything>[?state=…]`: streams all certificates and requests. */
export const certificateStatusListEndpoints: readonly Endpoint<CaServices>[] = [
  createRoute('GET', '/puppet-ca/v1/certificate_statuses/:ignored', async (context, { authority, documents }) => {
    const state = context.req.query('state') ?? '';
    const wanted = isState(state) ? state : null;
    const all = new CertificateStatuses(documents, authority.revocations).listStatuses(wanted);
    return new Response(jsonList(all), { headers: { 'Content-Type': 'application/json' } });
  }),
  createRoute('GET', '/puppet-ca/v1/certificate_statuses/', async () => {
    throw plainRefusal(400, 'Missing URL Segment');
  }),
];

function isState(text: string): text is CertificateState {
  return STATES.includes(text);
}

function jsonList(all: AsyncGenerator<CertificateStatus>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let before = '[';
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await all.next();
      controller.enqueue(encoder.encode(done ? `${before === '[' ? '[' : ''}]` : before + JSON.stringify(value)));
      before = ',';
      if (done) controller.close();
    },
    async cancel() {
      await all.return(undefined);
    },
  });
}
