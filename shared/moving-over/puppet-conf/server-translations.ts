import type { Value } from '../../puppet/types/values/values.ts';
import {
  because,
  IN_DATA_DIRECTORY,
  InvalidConfValue,
  ignored,
  OF_LOG,
  operatorStep,
  setting,
  type Translation,
} from './translation.ts';

type Translate = (value: Value) => Translation;

const TLS = 'TLS 1.2 and 1.3 with the ciphers of Node';
const LIFE = 'certificates are valid for five years';
const NO_JRUBY = 'no JRuby runs here';
const NO_GEMS = 'Ruby code of modules uses the gems that docs/ruby-hosts.md names';

const AUTHORITY: Readonly<Record<string, Translate>> = {
  'allow-subject-alt-names': (value) => setting({ 'allow-subject-alt-names': readBoolean(value) }),
  'allow-authorization-extensions': (value) => setting({ 'allow-authorization-extensions': readBoolean(value) }),
  'enable-infra-crl': because('all agents get the whole list; `understudy ca import` takes infra_crl.pem'),
  'allow-auto-renewal': (value) =>
    ignored(
      readBoolean(value)
        ? 'as here: a node may renew its certificate, see renewal-hours'
        : 'a node may renew its certificate, see renewal-hours; agents before 8 never ask',
    ),
  'auto-renewal-cert-ttl': because(LIFE),
  'ca-ttl': because(LIFE),
};

const JRUBY: Readonly<Record<string, Translate>> = {
  'server-code-dir': (value) => setting({ 'control-repo': readText(value) }),
  'server-conf-dir': (value) => operatorStep(`understudy import puppet-conf ${readText(value)}/puppet.conf`),
  ...Object.fromEntries(['var', 'run'].map((name) => [`server-${name}-dir`, because(IN_DATA_DIRECTORY)])),
  'server-log-dir': because(OF_LOG),
  'max-active-instances': (value) => setting({ workers: readNumber(value) }),
  'ruby-load-path': because(NO_JRUBY),
  'gem-home': because(NO_GEMS),
  'gem-path': because(NO_GEMS),
  'environment-vars': () =>
    operatorStep('code of modules sees no variable of the server: move what it reads of them to Hiera or to facts'),
  'max-queued-requests': because('agents wait for no compile: jobs wait in a queue'),
  'max-retry-delay': because('agents wait for no compile: jobs wait in a queue'),
  'environment-class-cache-enabled': because('classes of an environment are read from deployed code'),
  'track-lookups': because('what a catalog looked up is always kept: understudy node explain'),
};

const WEB_SERVER: Readonly<Record<string, Translate>> = {
  'ssl-host': (value) => setting({ host: readText(value) }),
  host: (value) => setting({ host: readText(value) }),
  'ssl-port': (value) => setting({ port: readPort(value) }),
  port: because('every port here has TLS'),
  'access-log-config': () => operatorStep('give access-log: FILE, one line of JSON a request'),
  'client-auth': (value) =>
    /^(want|none)$/.test(readText(value))
      ? ignored('as here: a client may have a certificate')
      : operatorStep(
          'new nodes have no certificate yet: a certificate is demanded by the rules of auth-conf, not by TLS',
        ),
  'ssl-cert': (value) => operatorStep(`with a CA elsewhere (ca-upstream), give tls-certificate: ${readText(value)}`),
  'ssl-key': (value) => operatorStep(`with a CA elsewhere (ca-upstream), give tls-key: ${readText(value)}`),
  'ssl-ca-cert': (value) => operatorStep(`with a CA elsewhere (ca-upstream), give tls-ca: ${readText(value)}`),
  'ssl-cert-chain': because('the chain is that of the CA'),
  'ssl-crl-path': because('the list is that of the CA'),
  'ssl-protocols': because(TLS),
  'cipher-suites': because(TLS),
  'static-content': () => operatorStep('serve these files from another server'),
};

const VERSIONED = 'a deploy gives code its id and keeps the content of each version';

/** By the longest path that matches; a last `*` is any name. */
const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map([
  ...below('certificate-authority', AUTHORITY),
  ...below('jruby-puppet', JRUBY),
  ...below('webserver', WEB_SERVER),
  // A server with several of them names each.
  ...below('webserver.*', WEB_SERVER),
  ...below('global.certs', WEB_SERVER),
  ['jruby-puppet.*', because(NO_JRUBY)],
  ['webserver.*', because('the HTTP server of Node has its own threads and bounds')],
  ['http-client.*', because(TLS)],
  ['profiler.*', because('`understudy node explain` and /metrics have the times of compiles')],
  ['global.logging-config', because(OF_LOG)],
  ['global.hostname', because('the certificate has the name of the host')],
  ['metrics.*.host', () => operatorStep('Graphite gets nothing: read /metrics, in the form of Prometheus')],
  ['metrics.*', because('/metrics has the measures in the form of Prometheus, for clients with a certificate')],
  ['web-router-service.*', because('paths are those that agents request')],
  ['status.*', because('/status/v1 is always there')],
  ['product.*', because('nothing asks for updates')],
  ['dropsonde.*', because('nothing is sent to anybody')],
  ['versioned-code.*', because(VERSIONED)],
  ['file-sync.*', because(VERSIONED)],
  ['puppet-admin.*', because('there is no cache to flush')],
  ['authorization.version', because('as here')],
  [
    'authorization.allow-header-cert-info',
    (value) =>
      readBoolean(value)
        ? operatorStep(
            'take it out of the file of auth-conf: only a certificate identifies a client, so that TLS ends here',
          )
        : ignored('as here: only a certificate identifies a client'),
  ],
]);

/** The translation of the setting with this path, such as `webserver.ssl-port`. */
export function findServerTranslation(path: string, value: Value): Translation {
  const names = path.split('.');
  const formerly = path.replace(/^(jruby-puppet\.)master-/, '$1server-');
  const last = names.length > 2 ? `${names[0]}.*.${names.at(-1)}` : formerly;
  const found = [formerly, last, `${names[0]}.*`].flatMap((one) => TRANSLATIONS.get(one) ?? [])[0];
  return found === undefined ? ignored('nothing here has this name') : found(value);
}

function below(path: string, translations: Readonly<Record<string, Translate>>): (readonly [string, Translate])[] {
  return Object.entries(translations).map(([name, translate]) => [`${path}.${name}`, translate] as const);
}

function readBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  throw new InvalidConfValue(`it must be true or false, not '${String(value)}'`);
}

function readText(value: Value): string {
  if (typeof value === 'string') return value;
  throw new InvalidConfValue(`it must be a text, not '${String(value)}'`);
}

function readNumber(value: Value): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidConfValue(`it must be a number above 0, not '${String(value)}'`);
}

function readPort(value: Value): number {
  const port = readNumber(value);
  if (port <= 65_535) return port;
  throw new InvalidConfValue(`'${port}' is no port`);
}
