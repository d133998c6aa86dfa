import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { medianCpu } from './measure.ts';
import { factsOfModules, writeModuleRepo } from './modules.ts';
import { nodeCompiler, repoNodes } from './node-compiler.ts';
import { compileWithPuppet } from './puppet-nodes.ts';
import { type Row, row } from './table.ts';

const NODE = 'master.example.com';
const SIZE = { zones: 1000, hosts: 2500, services: 1800 };

/**
 * Compiles an Icinga 2 master that collects the objects of its fleet, with the module `icinga2` of
 * `directory` (see `modules.ts`), here and with Puppet. `share`: the part of 2,500 hosts, 1,800
 * services, and 1,000 zones with their endpoints.
 */
export async function icingaRows(directory: string, share: number): Promise<Row[]> {
  const facts = factsOfModules(directory).find(({ os }) => os?.name === 'Debian') ?? {};
  const scratch = mkdtempSync(join(tmpdir(), 'understudy-bench-icinga-'));
  const ruby = createWasmRuby();
  try {
    writeModuleRepo(scratch, directory, masterManifest(share), new Map([[NODE, facts]]));
    const theirs = compileWithPuppet(scratch, 2)?.get(NODE);
    const compile = await nodeCompiler(scratch, ruby);
    const [node] = repoNodes(scratch);
    if (!node) throw new Error(`${scratch} has no node`);
    const ours = medianCpu(() => void compile(node), 3, 2);
    const what = `Icinga 2 master, ${Math.round(SIZE.hosts * share)} hosts, warm`;
    return [row(what, 'ms', ours, typeof theirs === 'object' ? theirs.warm : null, 'worse')];
  } finally {
    ruby.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function masterManifest(share: number): string {
  const [zones, hosts, services] = [SIZE.zones, SIZE.hosts, SIZE.services].map((size) => Math.round(size * share));
  return `node '${NODE}' {
  class { 'icinga2':
    confd     => false,
    constants => { 'ZoneName' => 'master', 'TicketSalt' => 'x' },
  }
  class { 'icinga2::feature::api':
    pki             => 'none',
    accept_commands => true,
    endpoints       => { 'NodeName' => {} },
    zones           => { 'ZoneName' => { 'endpoints' => ['NodeName'] } },
  }
  Integer[1, ${zones}].each |$i| {
    @icinga2::object::endpoint { "agent\${i}.example.com": host => "10.0.\${$i / 256}.\${$i % 256}", log_duration => 0 }
    @icinga2::object::zone { "agent\${i}.example.com": endpoints => ["agent\${i}.example.com"], parent => 'master' }
  }
  Integer[1, ${hosts}].each |$i| {
    @icinga2::object::host { "host\${i}.example.com":
      address       => "10.\${$i / 256}.\${$i % 256}.1",
      address6      => "2001:db8::\${i}",
      check_command => 'hostalive',
      import        => ['generic-host'],
      groups        => ['linux', "group\${$i % 10}"],
      vars          => {
        'os'           => 'Linux',
        'disks'        => { 'disk /' => { 'disk_partitions' => '/' }, 'disk /var' => { 'disk_wfree' => '10%' } },
        'http_vhosts'  => { "vhost\${i}" => { 'http_uri' => '/', 'http_vhost' => "www\${i}.example.com" } },
        'notification' => { 'mail' => { 'groups' => ['icingaadmins'] } },
        'roles'        => ['web', 'db'],
      },
      target        => "/etc/icinga2/zones.d/master/hosts\${$i % 25}.conf",
    }
  }
  Integer[1, ${services}].each |$i| {
    @icinga2::object::service { "service\${i}":
      host_name        => "host\${i}.example.com",
      import           => ['generic-service'],
      check_command    => 'by_ssh',
      check_interval   => '5m',
      vars             => { 'by_ssh_command' => ['check_disk', '-w', '$by_ssh_disk_warn$'], 'by_ssh_disk_warn' => "\${i}%" },
      command_endpoint => 'host.vars.remote_client',
      target           => '/etc/icinga2/zones.d/master/services.conf',
    }
  }
  Icinga2::Object::Endpoint <| |>
  Icinga2::Object::Zone <| |>
  Icinga2::Object::Host <| |>
  Icinga2::Object::Service <| |>
}
`;
}
