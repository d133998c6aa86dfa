import { digestSha256 } from '../../../util/digest.ts';
import type { Endpoint } from '../../endpoint.ts';
import { negotiateFormat } from '../../exchange/accepted-format.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { demandContentEnvironment, readFileRequest } from '../../files/file-request.ts';
import { sendFile } from '../../files/send-file.ts';

const PREFIX = '/puppet/v3/file_content/';

/** Puppet's content of a folder. */
const NOTHING = { sha256: digestSha256(''), size: 0 };

/** `GET file_content/<mount>/<path>`: a file's bytes; empty for a folder. */
export const getFileContent: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  async handle(context, services) {
    demandContentEnvironment(context);
    const asked = await readFileRequest(context, services, PREFIX);
    const served = asked.files.find(asked, 'follow');
    if (served === null) throw resourceNotFoundError('file_content', asked.key);
    negotiateFormat(context, ['application/octet-stream']);
    const file = served.kind === 'file' ? served.file : NOTHING;
    return sendFile(context, { ...file, open: (range) => services.files.openContent(file.sha256, range) });
  },
};
