import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerCheckIn } from '../../../shared/fleet/catalogs/catalog-service.ts';
import { processCompileJob } from '../../../shared/fleet/compiles/process-compile-job.ts';
import { LocalLog } from '../../../shared/local/local-log.ts';
import { compile } from '../../../shared/puppet/compiler/compile.ts';
import { EnvironmentRuby } from '../../../shared/puppet/ruby/environment-ruby.ts';
import { createWasmRuby } from '../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { CompileWorld, catalogOf, checkIn } from '../../helpers/compile-world.ts';

/** What may be in catalogs, and in nothing else that a compile leaves. */
const SECRET = 'm4rker-s3cret';
const REDACTED = 'Sensitive [value redacted]';
const NODE = 'web.example.com';
const SITE = '/etc/puppetlabs/code/environments/production/manifests/site.pp';

const FILES = {
  'hiera.yaml': 'version: 5\nhierarchy: [{ name: common, path: common.yaml }]\n',
  'data/common.yaml': `lookup_options: { '^m::': { convert_to: Sensitive } }
m::password: ${SECRET}
m::reference: Notify[${SECRET}]
m::map: { key: ${SECRET} }
`,
  'modules/m/manifests/init.pp': `class m(Sensitive[String] $password, Sensitive[Hash] $map, Sensitive $reference) {
  $list = [$password]
  notice($password, $map, "\${password} \${list}", $list)
  warning(String($map), type($password, 'detailed'), inline_epp('<%= $x %>', { x => $password }))
  debug(inline_template('<%= @password %> <%= @password.inspect %> <%= @list %>'))
}`,
  'modules/m/manifests/port.pp': 'define m::port(Integer $port) { }',
  'modules/m/lib/puppet/functions/m/refuse.rb': `Puppet::Functions.create_function(:'m::refuse') do
  def refuse(secret)
    raise ArgumentError, "refused #{secret} #{secret.inspect} #{[secret]}"
  end
end
`,
};

const ruby = createWasmRuby();
afterAll(() => ruby.close());
let world: CompileWorld;
let told: string[];
beforeEach(() => {
  world = new CompileWorld(undefined, compile);
  told = [];
});
afterEach(() => world.close());

/** Compiles a node whose site manifest this is: the report, and all that was written about it. */
async function compiled(code: string) {
  const files = { ...FILES, 'manifests/site.pp': code };
  world.write(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`environments/production/${path}`, text])),
  );
  await world.deploy();
  const say = (line: string) => void told.push(line);
  const log = new LocalLog(say, world.stores.clock, (entry) => say(JSON.stringify(entry)));
  const context = { ...world.context, ruby: new EnvironmentRuby(ruby), logLevel: 'debug' as const };
  await answerCheckIn(world.createService({ holdMs: 0 }), checkIn(NODE));
  const [received] = await world.stores.queue.receive(1, 0);
  if (!received) throw new Error('there is no job');
  const report = await processCompileJob(received.job, context);
  log.logWorkerMessage({ kind: 'report', report });
  await world.stores.queue.acknowledge(received);
  return { report, node: await world.stores.nodes.get(NODE), lines: told };
}

describe('a compile with secrets', () => {
  it('tells of none in what it logs', async () => {
    const { report, node, lines } = await compiled('include m\nfile { "/x": content => $m::password }');
    expect(report).toMatchObject({ outcome: 'compiled' });
    expect(report.log.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      `notice: ${REDACTED} ${REDACTED} ${REDACTED} [${REDACTED}] [${REDACTED}]`,
      `warning: ${REDACTED} Sensitive[String] ${REDACTED}`,
      `debug: ${REDACTED} #<${REDACTED}> [#<${REDACTED}>]`,
    ]);
    expect(lines).toHaveLength(4);
    expect(JSON.stringify(catalogOf(await answerCheckIn(world.createService(), checkIn(NODE))))).toContain(SECRET);
    expect(JSON.stringify([report, node, lines])).not.toContain(SECRET);
  });

  it.each([
    ['fail("no: $m::password $m::list $m::map")', `no: ${REDACTED} [${REDACTED}] ${REDACTED}`],
    ['fail($m::password, $m::list)', `${REDACTED} [#<${REDACTED}>]`],
    ['m::port { a: port => $m::password }', `'port' expects an Integer value, got Sensitive[String]`],
    ['m::refuse($m::password)', `refused ${REDACTED} #<${REDACTED}> [#<${REDACTED}>]`],
    [`inline_template("<%= scope['m::password'].nosuch %>")`, "undefined method `nosuch' for "],
    ['notify { $m::password: }', 'Sensitive'],
    ['notify { a: message => $m::password, nosuch => $m::password }', "no parameter named 'nosuch'"],
    ['notify { a: require => $m::password }', `No title provided and "${REDACTED}" is not a valid resource reference`],
    ['notify { a: before => $m::reference }', `Could not find resource '${REDACTED}' in parameter 'before'`],
    ['Notify <<| message == $m::password |>> fail("after")', 'after'],
    ["lookup('m::map', Hash[String, Integer])", 'Found value has wrong type, expects a Hash value, got Sensitive'],
  ])('tells of none when it fails: %s', async (code, message) => {
    const { report, node, lines } = await compiled(`include m\n${code}`);
    expect(report.outcome).toBe('failed');
    expect(node?.failure?.message).toContain(message);
    expect(node?.failure?.message).toContain(SITE);
    expect(lines.join('\n')).toContain(message);
    expect(JSON.stringify([report, node, lines])).not.toContain(SECRET);
  });
});
