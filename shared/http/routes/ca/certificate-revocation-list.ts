import type { Endpoint } from '../../endpoint.ts';

/** `GET certificate_revocation_list/ca`; 304 when unchanged since `If-Modified-Since`. */
export const getRevocationList: Endpoint = {
  methods: ['GET'],
  path: '/puppet-ca/v1/certificate_revocation_list/:certname',
  async handle(context, { authority }) {
    const { pem, updatedAt } = await authority.revocationLists();
    const headers = { 'Content-Type': 'text/plain' };
    const since = Date.parse(context.req.header('If-Modified-Since') ?? '');
    // HTTP dates have whole seconds.
    if (Math.floor(updatedAt / 1000) * 1000 <= since) return new Response(null, { status: 304, headers });
    return new Response(pem, { headers: { ...headers, 'Last-Modified': new Date(updatedAt).toUTCString() } });
  },
};
