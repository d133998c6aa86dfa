import { CertificateStatuses } from '../../../access/ca/certificate-status.ts';
import type { AnswerOf } from '../../../api/described-answers.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, cursorParameter, printCursor, wordParameter } from '../../exchange/list-parameters.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const USUAL_PAGE = 50;
const LARGEST_PAGE = 200;
const KINDS = ['requested', 'issued'] as const;

/**
 * `GET certificates?state=&prefix=&limit=&cursor=`: the waiting requests (`requested`), or the
 * certificates (`issued`: signed and revoked), by name, with fingerprints.
 */
export const getCertificates = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/certificates',
  async (context, { authority, documents, upstream }) => {
    const state = wordParameter(context, 'state', KINDS) ?? 'requested';
    const { prefix = '' } = context.req.query();
    if (!/^[\w.-]{0,255}$/.test(prefix)) throw badRequestError(`No certname begins with '${prefix.slice(0, 100)}'`);
    const limit = countParameter(context, 'limit', USUAL_PAGE, LARGEST_PAGE);
    const after = cursorParameter(context, (value) => typeof value === 'string') ?? undefined;
    const elsewhere: AnswerOf<'listCertificates'> = { isElsewhere: true, certificates: [], next: null };
    if (upstream !== undefined) return sendJson(context, elsewhere);
    const statuses = new CertificateStatuses(documents, authority.revocations);
    const certificates = await statuses.listPage(state, prefix, limit, after);
    const next = certificates.length < limit ? null : printCursor(certificates.at(-1)?.name);
    return sendJson(context, { isElsewhere: false, certificates, next } satisfies AnswerOf<'listCertificates'>);
  },
);
