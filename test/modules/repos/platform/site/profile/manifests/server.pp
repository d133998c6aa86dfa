class profile::server (
  Hash[Stdlib::Absolutepath, Hash]                    $files  = {},
  Hash[String, Profile::Job]                          $jobs   = {},
  Hash[String, Hash[String, Variant[String, Integer]]] $limits = {},
) {
  File {
    owner => 'root',
    group => 'root',
  }
  create_resources('file', $files, { 'ensure' => 'file' })
  $jobs.each |$name, $job| {
    cron { $name:
      command => $job['command'],
      user    => $job.get('user', 'nobody'),
      hour    => $job['hour'],
      minute  => pick($job['minute'], fqdn_rand(60, $name)),
    }
  }
  file { '/etc/security/limits.d/server.conf': content => template('profile/limits.conf.erb') }
  file { '/etc/cluster.json': content => to_json_pretty({ 'name' => $facts['networking']['hostname'], 'clusters' => $clusters, 'peers' => profile_members(8) }) }
  unless $facts['os']['family'] == 'windows' {
    profile::logship { ['auth', 'daemon']: }
  }
  @@profile::target { $facts['networking']['fqdn']: address => $facts['networking']['ip'], labels => { 'group' => $group, 'dc' => $facts['datacenter'] }, tag => $clusters }
}
