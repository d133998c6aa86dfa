import { type LevelName, languageOf } from '../../puppet/levels/language.ts';
import { CLI_AUTHORIZATION } from '../ca/oids.ts';
import { extensionsEntry, type Identity } from './access-entry.ts';
import type { RuleData } from './rule.ts';

type Methods = string | readonly string[];

/**
 * Administrators: clients whose certificate has this extension, which the CA itself issues for
 * `puppetserver ca`.
 */
const ADMINISTRATORS = { extensions: { pp_cli_auth: 'true' } } as const;

function ruleForPrefix(name: string, path: string, allow: unknown, method?: Methods): RuleData {
  const match = { path, type: 'path', ...(method === undefined ? {} : { method }) } as const;
  return { name, 'sort-order': 500, 'match-request': match, ...access(allow) };
}

function ruleForPath(name: string, path: string, allow: unknown, method: Methods): RuleData {
  return { name, 'sort-order': 500, 'match-request': { path, type: 'regex', method }, ...access(allow) };
}

function access(allow: unknown): Pick<RuleData, 'allow' | 'deny' | 'allow-unauthenticated'> {
  if (allow === 'anyone') return { 'allow-unauthenticated': true };
  return allow === 'nobody' ? { deny: '*' } : { allow };
}

const administratorEntry = extensionsEntry([{ keys: ['pp_cli_auth', CLI_AUTHORIZATION], values: ['true'] }]);

export function isAdministrator(identity: Identity): boolean {
  return administratorEntry(identity, []);
}

/**
 * The rules of the auth.conf that a server of the level has, then rules for Understudy's own
 * endpoints.
 */
export function defaultRules(level: LevelName): readonly RuleData[] {
  return [...SERVER_RULES, ...bucketRules(level), ...OWN_RULES];
}

function bucketRules(level: LevelName): readonly RuleData[] {
  const rule = (name: string, allow: unknown, methods: Methods) =>
    ruleForPrefix(name, '/puppet/v3/file_bucket_file', allow, methods);
  const name = 'puppetlabs file bucket file';
  if (!languageOf(level).administratorsReadBucket) return [rule(name, '*', ['get', 'head', 'post', 'put'])];
  return [rule(name, '*', ['head', 'put']), rule(`${name} read`, ADMINISTRATORS, ['get', 'post'])];
}

const SERVER_RULES: readonly RuleData[] = [
  ruleForPath('puppetlabs v3 catalog from agents', '^/puppet/v3/catalog/([^/]+)$', '$1', ['get', 'post']),
  ruleForPath('puppetlabs v4 catalog for services', '^/puppet/v4/catalog/?$', 'nobody', 'post'),
  ruleForPrefix('puppetlabs certificate', '/puppet-ca/v1/certificate/', 'anyone', 'get'),
  ruleForPrefix('puppetlabs crl', '/puppet-ca/v1/certificate_revocation_list/ca', 'anyone', 'get'),
  ruleForPrefix('puppetlabs csr', '/puppet-ca/v1/certificate_request', 'anyone', ['get', 'put']),
  ruleForPrefix('puppetlabs certificate renewal', '/puppet-ca/v1/certificate_renewal', '*', 'post'),
  ruleForPrefix('puppetlabs cert status', '/puppet-ca/v1/certificate_status', ADMINISTRATORS, ['get', 'put', 'delete']),
  ruleForPath('puppetlabs CRL update', '^/puppet-ca/v1/certificate_revocation_list$', ADMINISTRATORS, 'put'),
  ruleForPrefix('puppetlabs cert statuses', '/puppet-ca/v1/certificate_statuses', ADMINISTRATORS, 'get'),
  ruleForPrefix('puppetlabs CA cert and CRL expirations', '/puppet-ca/v1/expirations', '*', 'get'),
  ruleForPrefix('puppetlabs cert clean', '/puppet-ca/v1/clean', ADMINISTRATORS, 'put'),
  ruleForPrefix('puppetlabs cert sign', '/puppet-ca/v1/sign', ADMINISTRATORS, 'post'),
  ruleForPrefix('puppetlabs status service - full', '/status/v1/services', 'anyone', 'get'),
  ruleForPrefix('puppetlabs status service - simple', '/status/v1/simple', 'anyone', 'get'),
  ruleForPrefix('puppetlabs environments', '/puppet/v3/environments', '*', 'get'),
  ruleForPrefix('puppetlabs file content', '/puppet/v3/file_content', '*', ['get', 'post']),
  ruleForPrefix('puppetlabs file metadata', '/puppet/v3/file_metadata', '*', ['get', 'post']),
  ruleForPath('puppetlabs node', '^/puppet/v3/node/([^/]+)$', '$1', 'get'),
  ruleForPath('puppetlabs report', '^/puppet/v3/report/([^/]+)$', '$1', 'put'),
  ruleForPath('puppetlabs facts', '^/puppet/v3/facts/([^/]+)$', '$1', 'put'),
  ruleForPrefix('puppetlabs static file content', '/puppet/v3/static_file_content', '*', 'get'),
  ruleForPrefix('puppet tasks information', '/puppet/v3/tasks', '*'),
  ruleForPrefix('metrics', '/metrics', '*', 'get'),
];

const OWN_RULES: readonly RuleData[] = [
  // The endpoints themselves demand a deploy token.
  ruleForPrefix('code manager', '/code-manager/v1/', 'anyone'),
  ruleForPrefix('file sync', '/file-sync/v1/', 'anyone'),
  ruleForPrefix('understudy code', '/understudy/v1/code/', 'anyone', 'put'),
  // The endpoint itself demands a signature.
  ruleForPrefix('understudy webhooks', '/understudy/v1/code-sources/', 'anyone', 'post'),
  ruleForPrefix('understudy deploy preview', '/understudy/v1/deploys/preview', 'anyone', 'post'),
  ruleForPrefix('understudy staged deploys', '/understudy/v1/deploys/stage', 'anyone', 'post'),
  ruleForPrefix('understudy job files', '/job-files/', '*', 'get'),
  ruleForPrefix('understudy packages', '/packages/', 'anyone', 'get'),
  { ...ruleForPrefix('understudy administration', '/understudy/', ADMINISTRATORS), 'sort-order': 600 },
  {
    name: 'puppetlabs deny all',
    'sort-order': 999,
    'match-request': { path: '/', type: 'path' },
    deny: '*',
  },
];
