import type { LocalOptions } from './options.ts';

interface GreetingFacts {
  readonly options: LocalOptions;
  readonly port: number;
  /** The port of the PCP broker; null without one. */
  readonly pcpPort: number | null;
  /** The port of the orchestrator; null without one. */
  readonly orchestratorPort: number | null;
  /** The port of the inventory's API; null without an inventory. */
  readonly puppetdbPort?: number | null;
  /** The port of the inventory's API with TLS; null without it. */
  readonly puppetdbTlsPort?: number | null;
  /** The port of the console; null without it. */
  readonly consolePort?: number | null;
  /** Absolute path of the data directory. */
  readonly data: string;
  readonly certname: string;
}

/** Renders the text that a fresh start prints: addresses, and an agent command to try. */
export function renderGreeting(facts: GreetingFacts): string {
  const { options, port, puppetdbPort = null, puppetdbTlsPort = null, consolePort = null, data } = facts;
  return [
    `Understudy listens on https://${hostOf(options)}:${port} (data in ${data}).`,
    ...(consolePort === null ? [] : [`The console is on https://${hostOf(options)}:${consolePort}/console/.`]),
    ...(puppetdbPort === null ? [] : [`PuppetDB's API is on http://127.0.0.1:${puppetdbPort}.`]),
    ...(puppetdbTlsPort === null
      ? []
      : [`PuppetDB's API with TLS is on https://${hostOf(options)}:${puppetdbTlsPort}.`]),
    '',
    'Run an agent on this machine, as any user:',
    '',
    agentCommand(facts),
    '',
    ...describeSigning(facts),
    ...describePxpAgent(facts),
    ...describeOrchestrator(facts),
  ].join('\n');
}

/** Returns the agent command, with all of the agent's files in one folder of the data directory. */
function agentCommand({ options, port, data, certname }: GreetingFacts): string {
  const folder = quoteForShell(`${data}/agents/${certname}`);
  const flags = [
    `--server ${hostOf(options)} --serverport ${port} --certname ${certname} --waitforcert 5`,
    `--confdir ${folder}/etc --vardir ${folder}/var --ssldir ${folder}/ssl`,
    `--rundir ${folder}/run --logdir ${folder}/log --publicdir ${folder}/public`,
  ];
  return `  puppet agent --test \\\n    ${flags.join(' \\\n    ')}`;
}

function describeSigning({ options, data, certname }: GreetingFacts): string[] {
  if (options.autosign === true) return ['Certificate requests are signed automatically.'];
  return [
    'The agent waits until its certificate is signed:',
    '',
    `  npx understudy ca sign ${certname} --data ${quoteForShell(data)}`,
  ];
}

/** Returns a configuration for the node's PXP agent, with the certificate of its Puppet agent. */
function describePxpAgent({ options, port, pcpPort, data, certname }: GreetingFacts): string[] {
  if (pcpPort === null) return [];
  const ssl = `${data}/agents/${certname}/ssl`;
  const configuration = {
    'broker-ws-uris': [`wss://${hostOf(options)}:${pcpPort}/pcp2/`],
    'pcp-version': '2',
    'primary-uris': [`https://${hostOf(options)}:${port}`],
    'ssl-key': `${ssl}/private_keys/${certname}.pem`,
    'ssl-cert': `${ssl}/certs/${certname}.pem`,
    'ssl-ca-cert': `${ssl}/certs/ca.pem`,
  };
  return [
    '',
    'Its pxp-agent.conf:',
    '',
    ...JSON.stringify(configuration, null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

/** Returns where to run Puppet and tasks on connected nodes. */
function describeOrchestrator({ options, orchestratorPort }: GreetingFacts): string[] {
  if (orchestratorPort === null) return [];
  const url = `https://${hostOf(options)}:${orchestratorPort}/orchestrator/v1`;
  return ['', `Run Puppet and tasks on its nodes through ${url}, with a token of a user: see docs/orchestrator.md.`];
}

function hostOf({ host }: LocalOptions): string {
  return host === '127.0.0.1' || host === '::1' || host === '0.0.0.0' ? 'localhost' : host;
}

/** Quotes a text as one word for a POSIX shell. */
function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
