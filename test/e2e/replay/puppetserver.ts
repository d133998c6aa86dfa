import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../helpers/free-port.ts';
import { Asking } from './asking.ts';
import { ADMINISTRATIVE } from './requests.ts';

const JAR = '/usr/share/puppetserver/puppetserver.jar';
const START_MS = 1_800_000;
const LOG = 'log/puppetserver.log';

/**
 * Whether Debian's puppetserver is installed. Nobody demands it: it is heavy, and what it says is
 * recorded.
 */
export function hasPuppetServer(): boolean {
  return existsSync(JAR);
}

/**
 * Whether it is to be started: only when that is asked for by name, since it takes a gigabyte and a
 * minute.
 */
export function startsPuppetServer(): boolean {
  return process.env.UPDATE_FIXTURES === 'puppetserver' && hasPuppetServer();
}

export interface PuppetServerOptions {
  readonly fileserver?: string;
  /** An autosign.conf; everything is signed without it. */
  readonly autosign?: string;
  /**
   * It has the CA for proxies: it believes what the headers `X-Client-…` say, and signs other
   * names.
   */
  readonly believesProxies?: boolean;
  /** A PuppetDB with TLS: it gets facts and catalogs, and has the exported resources. */
  readonly puppetdb?: string;
  /** Further lines of its puppet.conf. */
  readonly settings?: string;
  /** Further rules of its auth.conf, each with a comma behind it. */
  readonly rules?: string;
}

export function puppetServerVersion(): string {
  return execFileSync('puppetserver', ['--version'], { encoding: 'utf8' }).replace(/^.*: /, '').trim();
}

/** A real Puppet Server on a control repo, with all of its files in one folder. */
export class PuppetServer {
  readonly asking: Asking;
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.asking = new Asking(port);
  }

  /**
   * Starts it on `codeDirectory`, and waits until it says that it runs. `admin.example.com` may do
   * everything.
   */
  static async start(folder: string, codeDirectory: string, options: PuppetServerOptions = {}): Promise<PuppetServer> {
    const { fileserver = '', autosign = '' } = options;
    const port = await findFreePort();
    const conf = join(folder, 'conf');
    for (const name of ['conf/conf.d', 'conf/services.d', 'var', 'run', 'log', 'gems']) {
      mkdirSync(join(folder, name), { recursive: true });
    }
    for (const [name, text] of Object.entries(configuration(folder, codeDirectory, port, options))) {
      writeFileSync(join(folder, 'conf', name), text);
    }
    writeFileSync(join(conf, 'fileserver.conf'), fileserver);
    writeFileSync(join(conf, 'autosign.conf'), autosign);
    if (options.puppetdb !== undefined) {
      writeFileSync(join(conf, 'puppetdb.conf'), `[main]\nserver_urls = ${options.puppetdb}\n`);
      const termini = { facts: { terminus: 'puppetdb', cache: 'json' } };
      writeFileSync(join(conf, 'routes.yaml'), JSON.stringify({ master: termini, server: termini }));
    }
    const log = openSync(join(folder, LOG), 'a');
    const child = spawn(
      'java',
      [
        ...['-Xms512m', '-Xmx1g', '-Djruby.lib=/usr/share/jruby/lib', '-Dlogappender=STDOUT'],
        '-Djruby.logger.class=com.puppetlabs.jruby_utils.jruby.Slf4jLogger',
        ...['-jar', JAR, '--config', join(conf, 'conf.d'), '--bootstrap-config', join(conf, 'services.d')],
      ],
      { stdio: ['ignore', log, log], cwd: folder },
    );
    closeSync(log);
    const server = new PuppetServer(child, port);
    await server.#untilRunning(() => readFileSync(join(folder, LOG), 'utf8'));
    return server;
  }

  async #untilRunning(output: () => string): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline && this.#child.exitCode === null) {
      const status = await this.asking
        .ask({ method: 'GET', url: '/status/v1/simple', who: null })
        .catch((error: unknown) => ({ body: String(error) }));
      if (status.body === 'running') return;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await this.stop();
    throw new Error(`puppetserver did not start:\n${output()}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

function configuration(
  folder: string,
  codeDirectory: string,
  port: number,
  { autosign, believesProxies = false, puppetdb, settings = '', rules = '' }: PuppetServerOptions,
): Readonly<Record<string, string>> {
  return {
    'puppet.conf': `[main]
certname = localhost
environmentpath = ${codeDirectory}/environments
basemodulepath = ${codeDirectory}/modules
environment_timeout = unlimited
cadir = ${folder}/ca
ssldir = ${folder}/ssl
[server]
autosign = ${autosign === undefined ? 'true' : `${folder}/conf/autosign.conf`}
user = root
group = root
${puppetdb === undefined ? '' : 'storeconfigs = true\nstoreconfigs_backend = puppetdb\n'}${settings}`,
    'hiera.yaml': '---\nversion: 5\n',
    'services.d/bootstrap.cfg': `${SERVICES.join('\n')}\n`,
    'conf.d/global.conf': `global: { logging-config: ${folder}/conf/logback.xml }\n`,
    'logback.xml': LOGBACK,
    'conf.d/web-routes.conf': `web-router-service: {
  "puppetlabs.services.ca.certificate-authority-service/certificate-authority-service": "/puppet-ca"
  "puppetlabs.services.master.master-service/master-service": "/puppet"
  "puppetlabs.services.puppet-admin.puppet-admin-service/puppet-admin-service": "/puppet-admin-api"
  "puppetlabs.trapperkeeper.services.status.status-service/status-service": "/status"
  "puppetlabs.trapperkeeper.services.metrics.metrics-service/metrics-webservice": "/metrics"
}
`,
    'conf.d/webserver.conf': `webserver: { client-auth: want, ssl-host: 127.0.0.1, ssl-port: ${port} }\n`,
    'conf.d/metrics.conf': 'metrics: { server-id: localhost }\n',
    'conf.d/ca.conf': `certificate-authority: { allow-subject-alt-names: ${believesProxies} }\n`,
    'conf.d/auth.conf': authorization(believesProxies, rules),
    'conf.d/puppetserver.conf': `jruby-puppet: {
  ruby-load-path: [/usr/lib/puppetserver/ruby/vendor_ruby]
  gem-home: ${folder}/gems
  gem-path: ["${folder}/gems", "/usr/lib/puppetserver/vendored-jruby-gems"]
  server-conf-dir: ${folder}/conf
  server-code-dir: ${codeDirectory}
  server-var-dir: ${folder}/var
  server-run-dir: ${folder}/run
  server-log-dir: ${folder}/log
  max-active-instances: 1
  environment-class-cache-enabled: true
}
http-client: { }
profiler: { }
`,
  };
}

const SERVICES = [
  'puppetlabs.services.request-handler.request-handler-service/request-handler-service',
  'puppetlabs.services.jruby.jruby-puppet-service/jruby-puppet-pooled-service',
  'puppetlabs.services.jruby-pool-manager.jruby-pool-manager-service/jruby-pool-manager-service',
  'puppetlabs.services.puppet-profiler.puppet-profiler-service/puppet-profiler-service',
  'puppetlabs.trapperkeeper.services.webserver.jetty9-service/jetty9-service',
  'puppetlabs.trapperkeeper.services.webrouting.webrouting-service/webrouting-service',
  'puppetlabs.services.config.puppet-server-config-service/puppet-server-config-service',
  'puppetlabs.services.master.master-service/master-service',
  'puppetlabs.services.puppet-admin.puppet-admin-service/puppet-admin-service',
  'puppetlabs.trapperkeeper.services.authorization.authorization-service/authorization-service',
  'puppetlabs.services.versioned-code-service.versioned-code-service/versioned-code-service',
  'puppetlabs.trapperkeeper.services.scheduler.scheduler-service/scheduler-service',
  'puppetlabs.trapperkeeper.services.status.status-service/status-service',
  'puppetlabs.trapperkeeper.services.metrics.metrics-service/metrics-service',
  'puppetlabs.trapperkeeper.services.metrics.metrics-service/metrics-webservice',
  'puppetlabs.services.jruby.jruby-metrics-service/jruby-metrics-service',
  'puppetlabs.services.ca.certificate-authority-service/certificate-authority-service',
  'puppetlabs.trapperkeeper.services.watcher.filesystem-watch-service/filesystem-watch-service',
];

const LOGBACK = `<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%-5p [%c{2}] %m%n</pattern></encoder></appender>
  <root level="info"><appender-ref ref="STDOUT"/></root>
</configuration>
`;

/**
 * The rules that the package installs, and the administrator; behind proxies also who has the role
 * `ca-operator`.
 */
function authorization(believesProxies: boolean, more: string): string {
  const administrators = believesProxies
    ? '["admin.example.com", { extensions: { pp_role: "ca-operator" } }]'
    : '"admin.example.com"';
  const rules = ADMINISTRATIVE.map(
    (path) =>
      `{ match-request: { path: "${path}", type: path }, allow: ${administrators}, sort-order: 400, name: "${path}" }`,
  );
  const installed = readFileSync('/etc/puppet/puppetserver/conf.d/auth.conf', 'utf8');
  const version = `allow-header-cert-info: ${believesProxies}\n    rules: [`;
  return installed.replace('rules: [', `${version}${more}${rules.join(',\n')},`);
}
