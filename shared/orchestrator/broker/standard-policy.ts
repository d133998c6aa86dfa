import { Authorization } from '../../access/authorization/authorization.ts';
import { readRule } from '../../access/authorization/rule.ts';
import { MessagePolicy } from './message-policy.ts';

const SEND = { path: '/pcp-broker/send', type: 'path', method: 'post' } as const;
/** Message types that make an agent act, or that list agents. */
const ADMINISTRATIVE = ['inventory_request', 'rpc_blocking_request', 'rpc_non_blocking_request'];

const RULES = [
  {
    name: 'pcp requests',
    'sort-order': 400,
    'match-request': {
      ...SEND,
      'query-params': { message_type: ADMINISTRATIVE.map((type) => `http://puppetlabs.com/${type}`) },
    },
    allow: { extensions: { pp_cli_auth: 'true' } },
  },
  { name: 'pcp messages', 'sort-order': 420, 'match-request': SEND, allow: '*' },
];

/**
 * The policy without a file: every certificate may connect and answer. Requests to agents, and for
 * the inventory, need a certificate with the extension `pp_cli_auth`, which also grants the
 * administration of certificates.
 */
export const STANDARD_POLICY = new MessagePolicy(new Authorization(RULES.map((rule) => readRule(rule))));
