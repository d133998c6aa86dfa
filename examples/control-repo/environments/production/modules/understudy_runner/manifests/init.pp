# The runner of the orchestrator: has this node run Puppet and tasks when it is asked to, without
# pxp-agent. The program comes from the server, in the server's version, and uses the certificate of
# the node's agent. Nothing here restarts a run: what the runner began goes on.
#
# @param server the server that the node's agent asks
# @param port the port of the server
# @param broker_port the port of the server's broker
# @param ruby the Ruby of the node's agent
# @param puppet the command of the node's agent
# @param folder where the program lies
# @param settings_folder where its configuration lies
# @param units_folder where systemd reads units
# @param manage_service whether the service is started
# @param settings further settings, such as `{ 'max-actions' => 4 }`
class understudy_runner (
  String[1]            $server          = $server_facts['servername'],
  Integer[1, 65535]    $port            = 8140,
  Integer[1, 65535]    $broker_port     = 8142,
  String[1]            $ruby            = understudy_runner::agent_path('/opt/puppetlabs/puppet/bin/ruby', '/usr/bin/ruby'),
  String[1]            $puppet          = understudy_runner::agent_path('/opt/puppetlabs/bin/puppet', '/usr/bin/puppet'),
  String[1]            $folder          = '/opt/understudy-runner',
  String[1]            $settings_folder = understudy_runner::agent_path('/etc/puppetlabs', '/etc/puppet'),
  String[1]            $units_folder    = '/etc/systemd/system',
  Boolean              $manage_service  = true,
  Hash[String[1], Any] $settings        = {},
) {
  $program = "${folder}/understudy-runner.rb"
  $conf = {
    'broker-ws-uris' => ["wss://${server}:${broker_port}/pcp2/"],
    'primary-uris'   => ["https://${server}:${port}"],
    'puppet-bin'     => $puppet,
  } + $settings

  # Only root may write what the service runs.
  file { $folder:
    ensure => directory,
    mode   => '0755',
  }

  file { $program:
    ensure => file,
    mode   => '0755',
    source => "https://${server}:${port}/packages/current/understudy-runner.rb",
  }

  file { "${settings_folder}/understudy-runner.conf":
    ensure  => file,
    mode    => '0644',
    content => "${understudy_runner::to_json($conf)}\n",
  }

  file { "${units_folder}/understudy-runner.service":
    ensure  => file,
    mode    => '0644',
    content => epp('understudy_runner/understudy-runner.service.epp', { 'ruby' => $ruby, 'program' => $program }),
  }

  if $manage_service {
    service { 'understudy-runner':
      ensure    => running,
      enable    => true,
      subscribe => File[$program, "${settings_folder}/understudy-runner.conf", "${units_folder}/understudy-runner.service"],
    }
  }
}
