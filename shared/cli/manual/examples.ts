import type { Command } from 'commander';

/** A call of a command, and what it does. */
export interface CommandExample {
  readonly call: string;
  readonly meaning: string;
}

/** By the words of the command: pairs of what the words are followed by, and what that does. */
const EXAMPLES: Readonly<Record<string, readonly (readonly [rest: string, meaning: string])[]>> = {
  server: [
    [
      '--control-repo /srv/code --data /var/lib/understudy',
      'serve the code of a folder, and deploy what changes in it',
    ],
    ['--config /etc/understudy/server.yaml', 'read the options from a file'],
    [
      '--database postgresql://understudy@db/fleet --server-name puppet.example.com --key-file F --ca-key-file G',
      'serve a fleet beside other servers',
    ],
  ],
  'data copy': [
    [
      '--from /var/lib/understudy/data --to postgresql://understudy@db.example.com/fleet',
      'move a fleet of one server to a database that several share',
    ],
  ],
  'database check': [
    ['postgresql://understudy@db.example.com/fleet --servers 3', 'check a database that three servers are to share'],
  ],
  'database prepare': [
    ['postgresql://understudy@db.example.com/fleet', 'make the tables before the first server starts'],
  ],
  parse: [['manifests/site.pp', 'print the syntax tree in Puppet Notation']],
  parity: [['cases.jsonl --workers 2', 'run cases in two threads']],
  'ca sign': [
    ['web01.example.com', 'sign a request after comparing its fingerprint with the agent'],
    ['--all', 'sign all requests that wait'],
  ],
  'ca clean': [['web01.example.com', 'revoke the certificate of a node, and delete it']],
  'ca revoke': [['web01.example.com', 'revoke a certificate, and keep it']],
  'ca revoke-server': [['puppet', 'revoke the certificate of a server of this CA']],
  'ca setup': [['--name "Example CA"', 'make a CA before the first start']],
  'ca list': [
    ['--state requested --wide', 'list the requests that wait for a signature, with fingerprints'],
    ['--sort expires --limit 20', 'list the certificates that expire first'],
  ],
  'ca generate': [['ci.example.com --into ./ci', 'make a key and a certificate for a client']],
  'ca import': [['/etc/puppetlabs/puppetserver/ca', 'take over the CA of a Puppet Server']],
  'ca delete': [['--expired', 'delete the certificates that expired']],
  'ca prune': [['', 'remove expired certificates from the revocation list']],
  'ca update-lists': [['crls.pem', 'take newer revocation lists of the CAs above ours']],
  'ca export': [['./ca', 'write the CA as the files of a Puppet Server']],
  'packages upload': [
    [
      'openvox-agent.deb --package-version 8.28.1 --platform debian-12-amd64 --current',
      'serve a package to install.bash',
    ],
  ],
  'packages list': [['', 'list the packages']],
  compile: [
    ['web01.example.com --control-repo . --facts facts.json', 'print the catalog of a node'],
    ['web01.example.com --control-repo . --facts facts.json --explain', 'print what the compile read'],
  ],
  lookup: [
    [
      'ntp::servers --node web01.example.com --control-repo . --facts facts.json --explain',
      'say where a value is from',
    ],
  ],
  doctor: [['--control-repo . --verbose', 'say what of a control repo does not run here, and why']],
  preflight: [['', 'say what this account in AWS lacks for a deployment']],
  diff: [['web01.example.com --control-repo . --facts facts.json', 'compare with the catalog of the installed Puppet']],
  'code deploy': [
    ['. --dry-run', 'print what a deploy would change in catalogs'],
    ['. --environment production --check', 'deploy, unless a node of a role fails that compiles now'],
    ['. --environment production --canary 5%', 'deploy to a few nodes, and to all when these run well'],
  ],
  'code dry-run': [
    ['production --code-of feature_x', 'print what the code of a branch would change in catalogs'],
    ['production --code 1f2e3d', 'print what an earlier state would change'],
  ],
  'code remove': [['feature_x', 'remove an environment']],
  'code list': [
    ['', 'list the environments'],
    ['production', 'list what was deployed to an environment'],
  ],
  'code diff': [['production', 'list the files that the last deploy changed, and the nodes that use them']],
  'code rollback': [
    ['production', 'go back to the state before'],
    ['production --to 1f2e3d', 'go back to the state whose code id begins so'],
  ],
  'code stage show': [
    ['', 'list the staged deploys'],
    ['production', 'list the canaries of an environment, and how they do'],
  ],
  'code stage promote': [['production', 'put staged code in force for all nodes']],
  'code stage abort': [['production', 'take staged code back']],
  'code prune': [['--dry-run', 'print what would be deleted']],
  'code token create': [['--by pipeline --days 365', 'make a token for a pipeline']],
  'code token list': [['', 'list the tokens']],
  'code token revoke': [['1f2e3d', 'revoke the token whose id begins so']],
  'code sources add': [['main --git https://git.example.com/control-repo.git', 'have branches be environments']],
  'code sources list': [['', 'list the sources of code']],
  'code sources remove': [['main', 'forget a source; its environments stay']],
  'code sources sync': [['main --branch production', 'fetch and deploy one branch']],
  'code values list': [['production', 'list the values that modules keep on the server']],
  'code values show': [['production simplib::passgen/web', 'show a value without its secret']],
  'code values rotate': [['production simplib::passgen/web', 'have a new value made']],
  'node list': [
    ['--state failing', 'list the nodes that do not compile'],
    ['--sort catalog:desc --limit 20 --watch 5', 'follow the newest catalogs, every five seconds'],
  ],
  'node show': [['web01.example.com', 'print what is known of a node']],
  'node explain': [['web01.example.com', 'print what a catalog follows from, and who reads it']],
  'node compare': [['web01.example.com', 'print what differs from the catalog of an existing Puppet Server']],
  'node classify': [['web01.example.com --file classes.yaml', 'set the classes of a node']],
  'node unclassify': [['web01.example.com', 'leave the classes of a node to groups']],
  'node facts': [['web01.example.com --file facts.json', 'have a catalog ready before the first run']],
  'node purge': [['web01.example.com', 'delete all that is known of a node']],
  why: [['web01.example.com', 'say for what the last compiles of a node were']],
  status: [['--watch', 'print the state of the server again and again']],
  watch: [
    ['', 'watch the server of the orchestrator in this terminal'],
    ['--service-url https://puppet.example.com:8443 --interval 10', 'watch another one, every ten seconds'],
    ['--once', 'print the overview once'],
  ],
  'group list': [['--wide', 'list the groups with whole rules']],
  'group show': [['Web', 'print a group with its nodes']],
  'group create': [['Web --rule \'["=", ["fact", "role"], "web"]\' --class nginx', 'make a group']],
  'group edit': [['Web --variable tier=front', 'set a variable of a group']],
  'group preview': [['Web --class nginx', 'print which nodes would change']],
  'group delete': [['Web', 'delete a group']],
  'group import': [['groups.json', 'replace all groups']],
  'group pin': [['Web web01.example.com', 'put a node into a group']],
  'group unpin': [['Web web01.example.com', 'take it out again']],
  'group explain': [['web01.example.com', 'print which groups classify a node, and why']],
  'policy list': [['', 'list the policies']],
  'policy set': [
    ['--deploy-check on', 'have each deploy compile a node of each role first'],
    ['--environment production --freshness stale', 'answer with the last good catalog at once'],
  ],
  'policy delete': [['--environment production', 'leave an environment to the default']],
  'notify show': [['', 'print rollouts, and the nodes that wait']],
  'notify resume': [['17', 'let the rollout go on that job 17 paused']],
  'failures list': [['--kind run', 'list what fails in runs, that of most nodes first']],
  'failures show': [['3f7a9c2e', 'print a failure: its nodes, places in the code, and its deploy']],
  'report list': [['--status failed --since 2h', 'list the failed runs of the last two hours']],
  'report show': [['web01.example.com', 'print the last report of a node']],
  'dead-letters list': [['--queue compile', 'list the compile jobs that were given up, and why']],
  'dead-letters redrive': [
    ['', 'have all of them tried again'],
    ['--queue report-url --certname web01.example.com', 'send the reports of a node again'],
  ],
  broker: [['--certificate broker.pem --key broker.key --ca ca.pem --policy policy.conf', 'run a broker by itself']],
  backup: [['/backup/understudy.tar', 'write a backup while the server runs']],
  restore: [['/backup/understudy.tar --data /var/lib/understudy', 'write a data directory from a backup']],
  verify: [
    ['', 'check the database, and each blob'],
    ['--repair', 'and fetch or compile again what is damaged'],
  ],
  completion: [
    ['bash > /usr/share/bash-completion/completions/understudy', 'complete commands in bash'],
    ['fish > ~/.config/fish/completions/understudy.fish', 'complete commands in fish'],
  ],
  'copy-tables': [['--from understudy-old-', 'copy the tables of another deployment in AWS']],
  'access login': [['alice --lifetime 8h', 'get a token for the commands of this user']],
  'access show': [['', 'print the token']],
  'access delete-token-file': [['', 'forget the token']],
  'access user create': [['alice --role Operators', 'make a user']],
  'access user password': [['alice', 'set a new password']],
  'access user revoke': [['alice', 'keep a user out']],
  'access user reinstate': [['alice', 'let a user in again']],
  'access user revoke-tokens': [['alice', 'revoke all tokens of a user']],
  'access user list': [['--sort last_login', 'list the users, those who never logged in last']],
  'access directory set': [['ldap.json --password-file FILE', 'let the users of a directory log in']],
  'access directory list': [['', 'list the directories']],
  'access directory test': [['0e1a11bd-658f-4c8e-9a1b-0800200c9a66', 'see whether a directory answers']],
  'access directory delete': [['0e1a11bd-658f-4c8e-9a1b-0800200c9a66', 'keep the users of a directory out']],
  'access group import': [['operators --role 2', 'give roles to a group of a directory']],
  'access role list': [['', 'list the roles with their permissions']],
  'access token create': [['ci --lifetime 1y --label pipeline', 'make a token without a password']],
  'job run': [
    ['--nodes web01.example.com,web02.example.com', 'run Puppet on two nodes'],
    ['--query \'nodes { catalog_environment = "production" }\' --noop', 'report what would change'],
  ],
  'job plan': [['--node-group 00000000-0000-4000-8000-000000000000', 'print the order of a run']],
  'job list': [['--state running --watch', 'follow the jobs that run']],
  'job show': [['42', 'print a job with its nodes']],
  'job stop': [['42', 'let running nodes finish, and start no other']],
  'task run': [['package name=openssl action=status --nodes web01.example.com', 'run a task on a node']],
  'task show': [
    ['', 'list the tasks'],
    ['package', 'print how to run a task'],
  ],
  'plan show': [['', 'list the plans']],
  'plan run': [['demo nodes=web01.example.com', 'run a plan']],
  'plan stop': [['12', 'stop the plan of plan job 12']],
  'app show': [['', 'list the applications of an environment']],
  'agents list': [
    ['--disconnected', 'list the nodes whose agents are not connected'],
    ['--outdated --names', "print the nodes whose runner is not this release's"],
  ],
  'agents ping': [['', 'ask all agents whether they are there']],
  'agents status': [['web01.example.com', 'print what is known of an agent']],
  query: [['\'inventory[certname] { facts.os.family = "Debian" }\'', 'ask the inventory']],
  'import puppetdb': [['https://puppetdb.example.com:8081', 'take over the data of a PuppetDB']],
  'import puppet-conf': [
    ['/etc/puppetlabs/puppet/puppet.conf', 'say what the settings of a Puppet Server are here'],
    [
      '/etc/puppetlabs/puppet/puppet.conf --puppet 7 --format yaml > server.yaml',
      'write a file for `understudy server --config`',
    ],
  ],
  'import server-conf': [
    [
      '/etc/puppetlabs/puppetserver/conf.d',
      'say what the other settings of a Puppet Server or an OpenVox Server are here',
    ],
  ],
  compare: [['--puppetdb https://puppetdb.example.com:8081 --control-repo .', 'compare all catalogs with ours']],
};

/** The examples of a command by its words. */
export function examplesOf(path: readonly string[]): readonly CommandExample[] {
  const words = path.join(' ');
  return (EXAMPLES[words] ?? []).map(([rest, meaning]) => ({
    call: `understudy ${words}${rest === '' ? '' : ` ${rest}`}`,
    meaning,
  }));
}

/** The words of all commands that have examples. */
export function listExamples(): readonly string[] {
  return Object.keys(EXAMPLES);
}

/** Has the help of each command of a program end with its examples. */
export function addExamples(program: Command, path: readonly string[] = []): void {
  for (const command of program.commands) {
    const words = [...path, command.name()];
    const examples = examplesOf(words).map(({ call, meaning }) => `  ${call}\n      ${meaning}\n`);
    if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.join('')}`);
    addExamples(command, words);
  }
}
