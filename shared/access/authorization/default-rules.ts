import type { RuleData } from './rule.ts';

type Methods = string | readonly string[];

/** Who administers: certificates that the CA itself gave this extension, as `puppetserver ca` uses them. */
const ADMINISTRATORS = { extensions: { pp_cli_auth: 'true' } } as const;

function below(name: string, path: string, allow: unknown, method?: Methods): RuleData {
  const match = { path, type: 'path', ...(method === undefined ? {} : { method }) } as const;
  return { name, 'sort-order': 500, 'match-request': match, ...access(allow) };
}

function exactly(name: string, path: string, allow: unknown, method: Methods): RuleData {
  return { name, 'sort-order': 500, 'match-request': { path, type: 'regex', method }, ...access(allow) };
}

function access(allow: unknown): Pick<RuleData, 'allow' | 'deny' | 'allow-unauthenticated'> {
  if (allow === 'anyone') return { 'allow-unauthenticated': true };
  return allow === 'nobody' ? { deny: '*' } : { allow };
}

/** The rules of Puppet Server 8's own auth.conf, then those of what only Understudy has. */
export const DEFAULT_RULES: readonly RuleData[] = [
  exactly('puppetlabs v3 catalog from agents', '^/puppet/v3/catalog/([^/]+)$', '$1', ['get', 'post']),
  exactly('puppetlabs v4 catalog for services', '^/puppet/v4/catalog/?$', 'nobody', 'post'),
  below('puppetlabs certificate', '/puppet-ca/v1/certificate/', 'anyone', 'get'),
  below('puppetlabs crl', '/puppet-ca/v1/certificate_revocation_list/ca', 'anyone', 'get'),
  below('puppetlabs csr', '/puppet-ca/v1/certificate_request', 'anyone', ['get', 'put']),
  below('puppetlabs certificate renewal', '/puppet-ca/v1/certificate_renewal', '*', 'post'),
  below('puppetlabs cert status', '/puppet-ca/v1/certificate_status', ADMINISTRATORS, ['get', 'put', 'delete']),
  exactly('puppetlabs CRL update', '^/puppet-ca/v1/certificate_revocation_list$', ADMINISTRATORS, 'put'),
  below('puppetlabs cert statuses', '/puppet-ca/v1/certificate_statuses', ADMINISTRATORS, 'get'),
  below('puppetlabs CA cert and CRL expirations', '/puppet-ca/v1/expirations', '*', 'get'),
  below('puppetlabs cert clean', '/puppet-ca/v1/clean', ADMINISTRATORS, 'put'),
  below('puppetlabs cert sign', '/puppet-ca/v1/sign', ADMINISTRATORS, 'post'),
  below('puppetlabs status service - full', '/status/v1/services', 'anyone', 'get'),
  below('puppetlabs status service - simple', '/status/v1/simple', 'anyone', 'get'),
  below('puppetlabs environments', '/puppet/v3/environments', '*', 'get'),
  below('puppetlabs file bucket file', '/puppet/v3/file_bucket_file', '*', ['get', 'head', 'post', 'put']),
  below('puppetlabs file content', '/puppet/v3/file_content', '*', ['get', 'post']),
  below('puppetlabs file metadata', '/puppet/v3/file_metadata', '*', ['get', 'post']),
  exactly('puppetlabs node', '^/puppet/v3/node/([^/]+)$', '$1', 'get'),
  exactly('puppetlabs report', '^/puppet/v3/report/([^/]+)$', '$1', 'put'),
  exactly('puppetlabs facts', '^/puppet/v3/facts/([^/]+)$', '$1', 'put'),
  below('puppetlabs static file content', '/puppet/v3/static_file_content', '*', 'get'),
  below('puppet tasks information', '/puppet/v3/tasks', '*'),
  below('metrics', '/metrics', '*', 'get'),
  // These want a token of the deployment, which the endpoints themselves ask for.
  below('code manager', '/code-manager/v1/', 'anyone'),
  below('file sync', '/file-sync/v1/', 'anyone'),
  below('understudy code', '/understudy/v1/code/', 'anyone', 'put'),
  below('understudy packages', '/packages/', 'anyone', 'get'),
  { ...below('understudy administration', '/understudy/', ADMINISTRATORS), 'sort-order': 600 },
  {
    name: 'puppetlabs deny all',
    'sort-order': 999,
    'match-request': { path: '/', type: 'path' },
    deny: '*',
  },
];
